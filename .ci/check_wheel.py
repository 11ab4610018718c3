"""Refuse wheels that are too large, hold other files, or hide what they hold.

python check_wheel.py WHEEL...
"""

import json
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
SBOM = r"termsift-[\d.]+\.dist-info/sboms/termsift\.cdx\.json"
REPAIRED = r"termsift-[\d.]+\.dist-info/sboms/auditwheel\.cdx\.json"


def parts(wheel: Path) -> set[str]:
    """Return the names in the wheel's lists of the code of others (PEP 770)."""
    with ZipFile(wheel) as archive:
        names = [n for n in archive.namelist() if re.search(r"\.dist-info/sboms/.+\.json$", n)]
        boms = [json.loads(archive.read(name)) for name in names]
    return {part["name"] for bom in boms for part in bom["components"]}


def complaints(wheel: Path) -> list[str]:
    """Return the faults of a wheel."""
    with ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = next(name for name in names if name.endswith(".dist-info/METADATA"))
        readme = archive.read(metadata).decode()
        times = {entry.date_time for entry in archive.infolist()}
        binaries = {name: archive.read(name) for name in names if name.endswith((".so", ".pyd"))}
    wrong = [
        f"{name} does not belong in a wheel"
        for name in names
        if not re.match(PARTS, name) or re.search(r"test|bench|\.(cpp|hpp|a|o)$", name)
    ]
    relative = re.findall(r"\]\((?!https:)([^)]+)\)", readme)
    wrong += [f"a package index cannot resolve the relative link {link}" for link in relative]
    libraries = {re.split(r"[-.]", n.rpartition("/")[2])[0] for n in names if ".libs/lib" in n}
    for needed in (*NEEDED, LICENSE, SBOM, *([REPAIRED] if libraries else [])):
        if sum(bool(re.fullmatch(needed, name)) for name in names) != 1:
            wrong.append(f"expected one file {needed}")
    listed = parts(wheel)
    for part in ("pybind11", *sorted(libraries)):
        if not any(name.startswith(part) for name in listed):
            wrong.append(f"no list in sboms/ names {part}")
    wrong += [
        f"{name} has paths of the machine that built it, so a build elsewhere would differ"
        for name, content in binaries.items()
        if re.search(rb"[/\\]cpp[/\\](src|include|bindings)[/\\]", content)
    ]
    if len(times) > 1 and "-macosx_" not in wheel.name:  # delocate sets times of its own
        wrong.append("files have times of their own, so a second build would differ")
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
