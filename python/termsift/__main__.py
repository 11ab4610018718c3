"""Run the command line as ``python -m termsift``."""

import sys

from termsift.cli import main

if __name__ == "__main__":
    sys.exit(main())
