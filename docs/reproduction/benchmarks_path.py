"""Importing this module makes the modules of benchmarks/ importable, wherever Python runs.

Scripts here import `compare`, `corpora` and `workloads` from there.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
