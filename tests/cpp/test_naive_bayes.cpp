#include "termsift/naive_bayes.hpp"
