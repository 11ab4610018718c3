"""Check that Python imports termsift from a folder: ``python .ci/check_import.py FOLDER``.

An editable install is found before PYTHONPATH. Tests would then measure another build than the one
that a tier has made for them.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

folder = Path(sys.argv[1]).resolve()
found = find_spec("termsift")
origin = found.origin if found else None
if origin is None or folder not in Path(origin).resolve().parents:
    sys.exit(
        f"termsift would be imported from {origin}, expected {folder}: uninstall an editable "
        "termsift, or use an environment without it"
    )
