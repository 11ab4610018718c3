// The scoring kernels' interface. kernels_impl.hpp holds their one source, compiled once for each SIMD target;
// targets.cpp chooses among them at run time.
#pragma once

#include "../class_model.hpp"

namespace termsift {

// Terms are scored in blocks of this many: whole vectors on every target, and loops long enough to pay for the constants
// of a class.
inline constexpr int block_terms = 128;

// One block of n <= block_terms terms, n a multiple of 8. Arrays named (n_classes, block) are row-major with rows of
// block_terms. Lanes beyond the terms hold any counts; nobody reads their results.
struct Block {
  int n;
  int n_classes;                    // that take part
  const ClassConstants* constants;  // (n_classes,)
  Measure measure;
  Aggregate aggregate;
  double lost;          // ClassModel::lost
  const double* x_hi;   // (n_classes, block) x_ic = s (l_ic + b1), as double-double
  const double* x_lo;   // the same; null if all are 0
  double* class_scores;     // (n_classes, block) out, or null
  double* scores;           // (block,) out, or null
  unsigned char* doubtful;  // (block,) out: the term's results are worth nothing, score_block_carefully has better ones
};

struct CarefulBlock : Block {  // x_lo and class_scores are not null; doubtful is not used
  int reference;  // ClassModel::reference
  double* e_hi;   // (n_classes, block) scratch: p_ic - p_ir
  double* e_lo;
};

enum class SimdTarget : std::uint8_t { baseline, avx2, avx512 };
SimdTarget simd_target_in_use();

// What is known of a term while the classes that have it are gone through.
struct alignas(32) TermSums {
  double T_hi, T_lo;  // sum_k pi_k p_ik, or a part of it
  double score_hi, score_lo;
};

// The counts of n <= block_terms terms in one class.
struct PairRun {
  int n;
  const ClassConstants* constants;  // of the class
  Measure measure;
  double weight;               // of the class in the score
  double lost;                 // ClassModel::lost
  const double* l;             // (n,) s l_ic
  const TermId* places;        // (n,) distinct
  TermSums* terms;             // term j stands at terms[places[j]]
  unsigned char* doubtful;     // the same
};

// n <= block_terms made-up terms that no class has, n a multiple of 8, with T as given.
struct EmptyRun {
  int n;
  int n_classes;
  const ClassConstants* constants;  // (n_classes,)
  Measure measure;
  Aggregate aggregate;  // sum or mean
  double lost;
  const double* T_hi;  // (n,)
  const double* T_lo;
  double* score_hi;    // (n,) out
  double* score_lo;
  unsigned char* doubtful;  // (n,) out
};

// The functions of one SIMD target. A term's results depend on its own lane alone.
struct Kernels {
  // x[j] = s l[j] + s b1: n numerators of a class, exact where the sum is a double.
  void (*numerators)(const std::uint32_t* l, int n, double scale, double scaled_b1, double* x);
  void (*score_block)(const Block&);
  void (*score_block_carefully)(const CarefulBlock&);
  void (*mix_pairs)(const PairRun&);      // T += w_c s l_ic
  void (*score_pairs)(const PairRun&);    // score += weight * (value with l_ic - value without)
  void (*score_empty)(const EmptyRun&);   // score = sum_c weight * (value without)
};

// Those of the target in use (termsift/runtime.hpp).
const Kernels& kernels_in_use();

namespace simd {
namespace baseline {
extern const Kernels kernels;
}
#ifdef TERMSIFT_X86_TARGETS
namespace avx2 {
extern const Kernels kernels;
}
namespace avx512 {
extern const Kernels kernels;
}
#endif
}  // namespace simd

}  // namespace termsift
