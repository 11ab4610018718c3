"""Refuse wheels that are too large, hold other files, or have relative links in the README.

python check_wheel.py WHEEL...
"""

import re
import sys
from pathlib import Path
from zipfile import ZipFile

MOST_BYTES = 3_250_000
GIVEN_LATER = 150_000  # bytes of compressed libgomp, which auditwheel adds to Linux wheels
PARTS = r"termsift/|termsift\.libs/|termsift-[\d.]+\.dist-info/"  # auditwheel adds .libs
STUBS = r"termsift/__init__\.pyi", r"termsift/text/__init__\.pyi", r"termsift/_core\.pyi"
NEEDED = (r"termsift/py\.typed", *STUBS, r"termsift/_core\.[^/]+\.(so|pyd)")
LICENSE = r"termsift-[\d.]+\.dist-info/licenses/LICENSE"


def complaints(wheel: Path) -> list[str]:
    """Return the faults of a wheel."""
    with ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = next(name for name in names if name.endswith(".dist-info/METADATA"))
        readme = archive.read(metadata).decode()
    wrong = [
        f"{name} does not belong in a wheel"
        for name in names
        if not re.match(PARTS, name) or re.search(r"test|bench|\.(cpp|hpp|a|o)$", name)
    ]
    relative = re.findall(r"\]\((?!https:)([^)]+)\)", readme)
    wrong += [f"a package index cannot resolve the relative link {link}" for link in relative]
    for needed in (*NEEDED, LICENSE):
        if sum(bool(re.fullmatch(needed, name)) for name in names) != 1:
            wrong.append(f"expected one file {needed}")
    is_repaired = any(name.startswith("termsift.libs/") for name in names)
    most = MOST_BYTES if is_repaired or "-linux_" not in wheel.name else MOST_BYTES - GIVEN_LATER
    if wheel.stat().st_size > most:
        wrong.append(f"{wheel.stat().st_size:,} bytes, expected at most {most:,}")
    return wrong


wheels = [Path(name) for name in sys.argv[1:]]
if not wheels:
    sys.exit("check_wheel.py: no wheel to check")
found = [f"{wheel.name}: {what}" for wheel in wheels for what in complaints(wheel)]
if found:
    sys.exit("\n".join(found))
for wheel in wheels:
    print(f"{wheel.name}: {wheel.stat().st_size:,} bytes")
