"""The site that Sphinx makes of these pages, which read as well on a code forge.

python -m sphinx -n -W -b html docs build/site, with termsift[docs] installed; or with the package's
sources on PYTHONPATH, where its core has been built beside them.
"""

from docutils.nodes import SkipNode, math
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata
from sphinx.writers.html5 import HTML5Translator

import termsift

project = "termsift"
author = copyright = "The termsift developers"
version = release = termsift.__version__

extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.viewcode"]
myst_enable_extensions = ["dollarmath"]
myst_fence_as_directive = {"math"}  # ```math, as code forges have it
myst_heading_anchors = 4

default_role = "py:obj"  # of docstrings: `termsift.count` is a link
autodoc_typehints = "none"  # the docstrings say it, and shapes as well
autodoc_member_order = "bysource"
numpydoc_show_class_members = False  # autodoc lists them

html_theme = "furo"
html_title = "termsift"
html_copy_source = False
html_show_sphinx = False
html_math_renderer = "mathml"


# MathML, which every browser shows by itself: no script, and nothing fetched from elsewhere.
def inline(writer: HTML5Translator, node: math) -> None:
    """Write a formula within a line."""
    writer.body.append(tex2mathml(node.astext()))
    raise SkipNode


def block(writer: HTML5Translator, node: math) -> None:
    """Write a formula of its own; the theme lets it scroll where the screen is narrow."""
    formula = tex2mathml(node.astext(), as_block=True)
    writer.body.append(f'<div class="math">{formula}</div>')
    raise SkipNode


def setup(app: Sphinx) -> ExtensionMetadata:
    """Tell Sphinx of the formulas."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
