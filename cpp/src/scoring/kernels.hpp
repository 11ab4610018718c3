// The scoring kernels' interface. kernels_impl.hpp holds their one source, compiled once for each SIMD target;
// targets.cpp chooses among them at run time.
#pragma once

#include "scoring/class_model.hpp"
#include "scoring/pair_model.hpp"

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
  Variable variable;
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

// The counts of n terms in one class.
struct PairRun {
  std::int64_t n;
  const PairConstants* constants;  // of the class
  const PairTotals* totals;
  Variable variable;
  Measure measure;
  PairSum sum;
  double lost;                    // ClassModel::lost
  const std::uint32_t* narrow_l;  // (n,) l_ic, or null
  const double* l;                // (n,) l_ic, if that is null
  const TermId* terms;            // (n,) distinct
  TermId first;
  TermSums* sums;           // term i stands at sums[i - first]
  TermValue* values;        // the same
  unsigned char* doubtful;  // the same
};

// n <= block_terms made-up terms that no class has, n a multiple of 8, with U as given.
struct EmptyRun {
  int n;
  int n_classes;
  const PairConstants* constants;  // (n_classes,)
  const PairTotals* totals;
  Variable variable;
  Measure measure;
  PairSum sum;
  double lost;
  const double* U_hi;  // (n,)
  const double* U_lo;
  double* V_hi;        // (n,) out
  double* V_lo;
  unsigned char* doubtful;  // (n,) out
};

// n <= block_terms terms, n a multiple of 8, whose classes have all been gone through.
struct TermRun {
  int n;
  const PairTotals* totals;
  PairSum sum;
  const TermSums* sums;      // (n,)
  const TermValue* values;   // (n,)
  const double* empty_hi;    // (n,) V of all classes as if none had the term
  const double* empty_lo;
  double* scores;            // (n,) out
  unsigned char* doubtful;   // (n,) out: the score is worth nothing
};

// The functions of one SIMD target. A term's results depend on its own lane alone.
struct Kernels {
  // x[j] = s l[j] + s b1: n numerators of a class, exact where the sum is a double.
  void (*numerators)(const std::uint32_t* l, int n, double scale, double scaled_b1, double* x);
  void (*score_block)(const Block&);
  void (*score_block_carefully)(const CarefulBlock&);
  // log(hi + lo), to an absolute error of 2^-68; n is a multiple of 8, the arguments are in [2^-900, 2^900].
  void (*logarithms)(const double* hi, const double* lo, int n, double* log_hi, double* log_lo);
  // x[j] = log(1 + x[j]) for finite x >= 0, to 1 ulp; n is a multiple of 8.
  void (*log_plus_one)(double* x, std::int64_t n);
  void (*mix_pairs)(const PairRun&);       // U += what the class adds; for a split sum P and A as well
  void (*score_pairs)(const PairRun&);     // V += the value with l_ic less the value without, given U
  void (*score_empty)(const EmptyRun&);    // V = sum_c omega_c (value without)
  void (*finish_terms)(const TermRun&);
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
