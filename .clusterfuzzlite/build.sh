#!/bin/bash -eu
# Builds the fuzz targets of tests/core/fuzz with the compiler, flags and engine of OSS-Fuzz, and packs their seeds:
#
#     SRC=.. OUT=out CXX=clang++ CXXFLAGS="-O1 -fsanitize=address,fuzzer-no-link" LIB_FUZZING_ENGINE=-fsanitize=fuzzer build.sh
#
# Threads come from the C++ library, because OSS-Fuzz has no OpenMP. The build type "None" adds no flags to those given.
cmake -S "$SRC/termsift" -B "${WORK:-/tmp}/termsift" -DCMAKE_BUILD_TYPE=None -DTERMSIFT_OPENMP=OFF \
  -DTERMSIFT_BUILD_TESTS=OFF -DTERMSIFT_BUILD_FUZZERS=ON -DTERMSIFT_FUZZ_ENGINE="$LIB_FUZZING_ENGINE"
cmake --build "${WORK:-/tmp}/termsift" --parallel "$(nproc)"
for seeds in "$SRC"/termsift/tests/core/fuzz/seeds/*; do
  target=fuzz_$(basename "$seeds")
  cp "${WORK:-/tmp}/termsift/$target" "$OUT/"
  python3 -m zipfile -c "$OUT/${target}_seed_corpus.zip" "$seeds"/*
done
