"""The public names of termsift.io with their types, for editors and type checkers.

At run time, `__init__.py` imports a name when it is first used. A test compares this file with the
module.
"""

from termsift.io._collection import Collection as Collection
from termsift.io._collection import read_collection as read_collection
from termsift.io._collection import read_split as read_split
from termsift.io._demo import load_demo as load_demo
from termsift.io._demo import scan_demo as scan_demo
from termsift.io._frequency_list import read_frequency_list as read_frequency_list
from termsift.io._frequency_list import read_words as read_words
from termsift.io._matrices import read_names as read_names

__all__ = [
    "Collection",
    "load_demo",
    "read_collection",
    "read_frequency_list",
    "read_names",
    "read_split",
    "read_words",
    "scan_demo",
]
