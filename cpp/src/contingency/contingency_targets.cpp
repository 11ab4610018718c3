#include "contingency/contingency_kernels.hpp"
#include "scoring/kernels.hpp"

namespace termsift {

ContingencyKernel contingency_kernel_in_use(ContingencyMeasure measure) {
  switch (simd_target_in_use()) {
#ifdef TERMSIFT_X86_TARGETS
    case SimdTarget::avx512: return simd::avx512::contingency_kernel(measure);
    case SimdTarget::avx2: return simd::avx2::contingency_kernel(measure);
#endif
    default: return simd::baseline::contingency_kernel(measure);
  }
}

CellKernel cell_kernel_in_use(ContingencyMeasure measure) {
  switch (simd_target_in_use()) {
#ifdef TERMSIFT_X86_TARGETS
    case SimdTarget::avx512: return simd::avx512::cell_kernel(measure);
    case SimdTarget::avx2: return simd::avx2::cell_kernel(measure);
#endif
    default: return simd::baseline::cell_kernel(measure);
  }
}

}  // namespace termsift
