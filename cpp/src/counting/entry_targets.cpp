#include "counting/entry_kernels.hpp"
#include "scoring/kernels.hpp"

namespace termsift {

template <class Index, class Value>
RowKernels<Index, Value> row_kernels_in_use() {
  switch (simd_target_in_use()) {
#ifdef TERMSIFT_X86_TARGETS
    case SimdTarget::avx512: return simd::avx512::row_kernels<Index, Value>();
    case SimdTarget::avx2: return simd::avx2::row_kernels<Index, Value>();
#endif
    default: return simd::baseline::row_kernels<Index, Value>();
  }
}

CounterKernels counter_kernels_in_use() {
  switch (simd_target_in_use()) {
#ifdef TERMSIFT_X86_TARGETS
    case SimdTarget::avx512: return simd::avx512::counter_kernels();
    case SimdTarget::avx2: return simd::avx2::counter_kernels();
#endif
    default: return simd::baseline::counter_kernels();
  }
}

#define TERMSIFT_INSTANTIATE(Index, Value) template RowKernels<Index, Value> row_kernels_in_use();
TERMSIFT_FOR_EACH_MATRIX(TERMSIFT_INSTANTIATE)
#undef TERMSIFT_INSTANTIATE

}  // namespace termsift
