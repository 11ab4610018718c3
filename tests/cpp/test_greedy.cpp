#include "termsift/greedy.hpp"

#include "check.hpp"
