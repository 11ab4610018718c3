#include "gain/posterior_kernels.hpp"
#include "scoring/kernels.hpp"

namespace termsift {

PosteriorKernels posterior_kernels_in_use() {
  switch (simd_target_in_use()) {
#ifdef TERMSIFT_X86_TARGETS
    case SimdTarget::avx512: return simd::avx512::posterior_kernels();
    case SimdTarget::avx2: return simd::avx2::posterior_kernels();
#endif
    default: return simd::baseline::posterior_kernels();
  }
}

}  // namespace termsift
