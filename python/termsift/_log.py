"""The one logger: silent unless the user's program asks for it.

``logging.getLogger("termsift").setLevel("DEBUG")`` with any handler shows, among other things, in
which way a collection was counted.
"""

from __future__ import annotations

import logging

logger = logging.getLogger("termsift")
logger.addHandler(logging.NullHandler())
