#include "greedy/gain_kernels.hpp"
#include "scoring/kernels.hpp"

namespace termsift {

GainKernels gain_kernels_in_use() {
  switch (simd_target_in_use()) {
#ifdef TERMSIFT_X86_TARGETS
    case SimdTarget::avx512: return simd::avx512::gain_kernels();
    case SimdTarget::avx2: return simd::avx2::gain_kernels();
#endif
    default: return simd::baseline::gain_kernels();
  }
}

}  // namespace termsift
