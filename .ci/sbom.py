"""Print one CycloneDX list of the parts of wheels: what the lists inside the wheels name (PEP 770).

python .ci/sbom.py [--validate] WHEEL...
"""

import json
import sys
from pathlib import Path
from typing import Any
from zipfile import ZipFile


def lists(wheel: Path) -> dict[str, str]:
    """Return the lists inside a wheel by their names: termsift's and, on Linux, auditwheel's."""
    with ZipFile(wheel) as archive:
        names = sorted(n for n in archive.namelist() if ".dist-info/sboms/" in n and n[-1] != "/")
        return {name.rpartition("/")[2]: archive.read(name).decode() for name in names}


def merged(wheels: list[Path]) -> dict[str, Any]:
    """Return termsift's own list with the parts of all other lists of the wheels."""
    texts = {text for wheel in wheels for text in lists(wheel).values()}
    boms = [json.loads(text) for text in sorted(texts)]
    own = json.loads(lists(wheels[0])["termsift.cdx.json"])
    termsift = own["metadata"]["component"]
    parts = {
        part["bom-ref"]: part
        for bom in boms
        for part in bom["components"]
        if part["name"] != termsift["name"]  # auditwheel lists the wheel, too
    }
    refs = sorted(parts)
    needed = [{"ref": termsift["bom-ref"], "dependsOn": refs}, *({"ref": ref} for ref in refs)]
    return {**own, "components": [parts[ref] for ref in refs], "dependencies": needed}


def validate(text: str) -> None:
    """Refuse a list that the schema of its version of CycloneDX refuses."""
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    version = SchemaVersion.from_version(json.loads(text)["specVersion"])
    if fault := JsonStrictValidator(version).validate_str(text):
        sys.exit(f"not a CycloneDX list: {fault}")


if __name__ == "__main__":
    wheels = [Path(name) for name in sys.argv[1:] if name != "--validate"]
    if not wheels:
        sys.exit("sbom.py: no wheel to list")
    text = json.dumps(merged(wheels), indent=2)
    if "--validate" in sys.argv:
        for each in (text, *(one for wheel in wheels for one in lists(wheel).values())):
            validate(each)
    print(text)
