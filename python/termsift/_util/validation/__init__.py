"""The gate: every argument that comes from a user is checked here, or in the core's ``check_csr``.

What passes has one form: a CSR triple of exact dtypes, class codes, weights of the counts' type.
No cast changes a value. The arrays of a scipy matrix are checked too: the user may have edited
them since scipy did.
"""

# Callers write ``validation.check_matrix``, whichever of these modules holds it.
from termsift._util.validation.arrays import *  # noqa: F403
from termsift._util.validation.labels import *  # noqa: F403
from termsift._util.validation.values import *  # noqa: F403
