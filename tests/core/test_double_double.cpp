#include "termsift/double_double.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "check.hpp"

using namespace termsift;

namespace {

// All values are whole, so the exact reference is integer arithmetic modulo 2^64. No error vanishes modulo 2^64, because the
// rounding of hi keeps errors below 2^63.
using Residue = std::uint64_t;

Residue residue(double integer) {
  const double rest = std::fmod(std::abs(integer), 0x1p64);  // exact
  const auto r = static_cast<Residue>(rest);
  return integer < 0 ? Residue{0} - r : r;
}
Residue residue(DoubleDouble x) { return residue(x.hi) + residue(x.lo); }

double error(DoubleDouble got, Residue want) {
  return static_cast<double>(static_cast<std::int64_t>(residue(got) - want));
}

bool normalised(DoubleDouble x) { return x.hi + x.lo == x.hi; }

struct Integers {
  std::mt19937_64 random{20160901};
  // Returns a random integer, positive or negative, whose magnitude has exactly `bits` bits.
  std::int64_t operator()(int bits) {
    const auto magnitude = static_cast<std::int64_t>((random() >> (64 - bits)) | (Residue{1} << (bits - 1)));
    return random() % 2 == 0 ? magnitude : -magnitude;
  }
  double as_double(int bits) { return static_cast<double>((*this)(bits)); }
  DoubleDouble as_double_double(int bits) { return exact_double((*this)(bits)); }
  int bits(int most) { return 1 + static_cast<int>(random() % static_cast<Residue>(most)); }
};

constexpr int repeats = 20000;

}  // namespace

TEST(two_sum_loses_nothing) {
  // Catches code that assumes |a| >= |b|, and compilers that optimise the error term away.
  Integers integers;
  for (int i = 0; i < repeats; ++i) {
    const double a = integers.as_double(integers.bits(53)) * 1024, b = integers.as_double(integers.bits(53));
    for (const DoubleDouble s : {two_sum(a, b), two_sum(b, a)}) {
      CHECK_EQ(residue(s), residue(a) + residue(b));
      CHECK(s.hi == a + b && normalised(s));
    }
    const DoubleDouble quick = std::abs(a) >= std::abs(b) ? quick_two_sum(a, b) : quick_two_sum(b, a);
    CHECK(quick.hi == two_sum(a, b).hi && quick.lo == two_sum(a, b).lo);
  }
}

TEST(two_product_loses_nothing) {
  // Catches an error term that loses a bit, or that differs because the compiler fuses a multiplication and an addition.
  Integers integers;
  for (int i = 0; i < repeats; ++i) {
    const double a = integers.as_double(integers.bits(53)), b = integers.as_double(integers.bits(53));
    const DoubleDouble p = two_product(a, b);
    CHECK_EQ(residue(p), residue(a) * residue(b));
    CHECK(p.hi == a * b && normalised(p));
  }
}

TEST(add_keeps_106_bits) {
  // Catches the addition of a high and a low part in plain doubles, which rounds away digits of the low part.
  Integers integers;
  for (int i = 0; i < repeats; ++i) {
    const DoubleDouble a = two_product(integers.as_double(53), integers.as_double(53));
    const DoubleDouble b = two_product(integers.as_double(integers.bits(53)), integers.as_double(53));
    const DoubleDouble sum = add(a, b), difference = subtract(a, b);
    CHECK(std::abs(error(sum, residue(a) + residue(b))) <= 3 * 0x1p-106 * std::abs(sum.hi) && normalised(sum));
    CHECK(std::abs(error(difference, residue(a) - residue(b))) <= 3 * 0x1p-106 * std::abs(difference.hi));
  }
}

TEST(add_keeps_106_bits_where_the_high_parts_cancel) {
  // If the high parts cancel, the low parts matter. Catches a rounded sum of the low parts, as in Dekker's "sloppy" sum.
  Integers integers;
  for (int i = 0; i < repeats; ++i) {
    const double m = integers.as_double(53), k = static_cast<double>(i % 5 - 2);
    if (std::abs(m + k) < 0x1p52 || std::abs(m + k) >= 0x1p53) continue;
    const DoubleDouble a{m * 0x1p54, integers.as_double(53)};
    const DoubleDouble b{-(m + k) * 0x1p54, integers.as_double(integers.bits(53))};
    CHECK_EQ(residue(add(a, b)), residue(a) + residue(b));
  }
}

TEST(subtract_is_exact_where_everything_cancels) {
  // The probabilities p and q may agree to 30 digits, so the difference of such numbers must be exact.
  Integers integers;
  for (int i = 0; i < repeats; ++i) {
    const DoubleDouble a = two_product(integers.as_double(53), integers.as_double(53));
    const auto d = integers(integers.bits(20));
    const DoubleDouble b = add(a, {static_cast<double>(d), 0});
    if (residue(b) != residue(a) + static_cast<Residue>(d)) continue;  // needed 107 bits
    const DoubleDouble difference = subtract(b, a), zero = subtract(a, a);
    CHECK(difference.hi == static_cast<double>(d) && difference.lo == 0);
    CHECK(zero.hi == 0 && zero.lo == 0);
  }
}

TEST(multiply_keeps_its_bound) {
  // Catches a product without one of the terms high * low. The factors have 60 bits, so the error stays below 2^63.
  Integers integers;
  for (int i = 0; i < repeats; ++i) {
    const DoubleDouble a = integers.as_double_double(60), b = integers.as_double_double(integers.bits(60));
    const DoubleDouble p = multiply(a, b);
    CHECK(std::abs(error(p, residue(a) * residue(b))) <= 5 * 0x1p-106 * std::abs(p.hi) && normalised(p));
  }
}

TEST(divide_undoes_a_product) {
  // Catches a division that rounds the remainder to one double, so that quotients have only 60 bits.
  Integers integers;
  for (int i = 0; i < repeats; ++i) {
    const double q = integers.as_double(40);
    const DoubleDouble b = integers.as_double_double(60);
    const DoubleDouble a = add(two_product(q, b.hi), two_product(q, b.lo));
    CHECK_EQ(residue(a), residue(q) * residue(b));
    const DoubleDouble error_of_quotient = subtract(divide(a, b), {q, 0});
    CHECK(std::abs(error_of_quotient.hi) <= 15 * 0x1p-106 * std::abs(q));
  }
  const DoubleDouble third = divide({1, 0}, {3, 0});
  CHECK(third.hi == 1.0 / 3 && third.lo == 0x1.5555555555555p-56);
}

TEST(negate_and_scale_are_exact) {
  // Catches a negation or a scaling that changes only the high part `hi`.
  Integers integers;
  for (int i = 0; i < repeats; ++i) {
    const DoubleDouble a = two_product(integers.as_double(53), integers.as_double(53));
    const DoubleDouble zero = add(a, negate(a));
    CHECK(zero.hi == 0 && zero.lo == 0);
    const DoubleDouble scaled = scale(a, 0x1p-200), back = scale(scaled, 0x1p200);
    CHECK(back.hi == a.hi && back.lo == a.lo && scaled.hi == std::ldexp(a.hi, -200));
  }
}

TEST(exact_double_holds_every_count) {
  // Catches a conversion that rounds counts above 2^53, which need more digits than a double has.
  Integers integers;
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t count : {std::int64_t{0}, std::int64_t{1}, (std::int64_t{1} << 53) + 1, most, most - 1})
    CHECK_EQ(residue(exact_double(count)), static_cast<Residue>(count));
  for (int i = 0; i < repeats; ++i) {
    const std::int64_t count = std::abs(integers(63));
    CHECK_EQ(residue(exact_double(count)), static_cast<Residue>(count));
    CHECK(normalised(exact_double(count)));
  }
  CHECK(exact_double(0.1).hi == 0.1 && exact_double(0.1).lo == 0);
}
