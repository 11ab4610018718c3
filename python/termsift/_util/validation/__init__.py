"""Checks of all arguments that users pass. The core's ``check_csr`` checks the matrix entries.

Checked arguments have fixed forms: a CSR triple of exact dtypes, class codes, and weights of the
counts' type. No conversion changes a value. The arrays of a scipy matrix are checked again, because
the user may have edited them after scipy checked them.
"""

# Callers write ``validation.check_matrix`` and need not know which module defines it.
from termsift._util.validation.arrays import *  # noqa: F403
from termsift._util.validation.labels import *  # noqa: F403
from termsift._util.validation.values import *  # noqa: F403
