// The scoring kernels' interface. kernels_impl.hpp holds their one source, compiled once for each SIMD target;
// targets.cpp chooses among them at run time.
#pragma once

#include "../class_model.hpp"

namespace termsift {

// Terms are scored in blocks of this many: whole vectors on every target, and four cache lines of bounds an array.
inline constexpr int block_terms = 64;

// One block of terms. Arrays named (n_classes, block) are row-major with rows of block_terms. Lanes beyond the number of
// terms in the last block hold valid counts (no occurrence) whose results nobody reads.
struct Block {
  int n_classes;                     // that take part
  const ClassConstants* constants;   // (n_classes,)
  int reference;                     // ClassModel::reference
  Measure measure;
  Aggregate aggregate;
  const double* x_hi;  // (n_classes, block) in: x_ic = s (l_ic + b1), as double-double
  const double* x_lo;
  double* e_hi;  // (n_classes, block) scratch: p_ic - p_ir
  double* e_lo;
  double* class_scores;  // (n_classes, block) out
  double* scores;        // (block,) out, or null
};

using ScoreBlock = void (*)(const Block&);

enum class SimdTarget : std::uint8_t { baseline, avx2, avx512 };
SimdTarget simd_target_in_use();

// That of the target in use (termsift/runtime.hpp).
ScoreBlock score_block_in_use();

namespace simd {
namespace baseline {
void score_block(const Block& block);
}
#ifdef TERMSIFT_X86_TARGETS
namespace avx2 {
void score_block(const Block& block);
}
namespace avx512 {
void score_block(const Block& block);
}
#endif
}  // namespace simd

}  // namespace termsift
