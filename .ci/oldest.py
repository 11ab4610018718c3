"""Print each lower bound of pyproject.toml as a constraint for pip, which installs that version.

python .ci/oldest.py > oldest.txt && pip install -c oldest.txt ".[full,gzip]"

What builds the package is constrained, too, if it is installed before, with --no-build-isolation.
"""

import re
import tomllib
from itertools import chain
from pathlib import Path

pyproject = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))
project = pyproject["project"]
extras = project["optional-dependencies"].values()
needed = chain(pyproject["build-system"]["requires"], project["dependencies"], *extras)
oldest = {re.sub(r"(\[.*\])?>=", "==", each) for each in needed if ">=" in each}
print(*sorted(oldest), sep="\n")
print("pyparsing<3.3  # which warns about names that matplotlib 3.8 calls")
