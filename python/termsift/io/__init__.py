"""Reading labelled collections from files."""

from termsift.io._read import *  # noqa: F403
from termsift.io._read import __all__ as __all__
