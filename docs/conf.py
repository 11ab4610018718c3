"""Configure the documentation site, built by python -m sphinx -n -W -b html docs build/site.

First install termsift[docs], or put python/ on PYTHONPATH if it contains a compiled core.
"""

import contextlib
import io
import os

from docutils.nodes import SkipNode, math
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata
from sphinx.writers.html5 import HTML5Translator

import termsift
from termsift import cli
from termsift.cli import running

COMMENT = "<!-- conf.py lists the commands here -->\n"

project = "termsift"
author = copyright = "The termsift developers"
version = release = termsift.__version__

extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.viewcode"]
myst_enable_extensions = ["dollarmath"]
myst_fence_as_directive = {"math"}  # GitHub and GitLab mark formulas by ```math
myst_heading_anchors = 4

default_role = "py:obj"  # makes `termsift.count` in a docstring a link
autodoc_typehints = "none"  # docstrings already name types and shapes
autodoc_member_order = "bysource"
numpydoc_show_class_members = False  # autodoc lists them

html_theme = "furo"
html_title = "termsift"
html_copy_source = False
html_show_sphinx = False
html_math_renderer = "mathml"


# Formulas become MathML, which browsers show without a script and without fetching anything.
def inline(writer: HTML5Translator, node: math) -> None:
    """Write a formula within a line."""
    writer.body.append(tex2mathml(node.astext()))
    raise SkipNode


def block(writer: HTML5Translator, node: math) -> None:
    """Write a displayed formula, which scrolls if it is wider than the screen."""
    formula = tex2mathml(node.astext(), as_block=True)
    # The theme scrolls this class, but adds it only for its own writers of formulas.
    scrolling = '<div class="math-wrapper" style="overflow-y: hidden; padding-bottom: 0.4em">'
    writer.body.append(f'{scrolling}<div class="math">{formula}</div></div>')
    raise SkipNode


def list_score_functions(app: Sphinx, page: str, source: list[str]) -> None:
    """Replace the line ".. score-functions" of api.md by the functions of the registry."""
    functions = "\n".join(f".. autofunction:: {entry.name}" for entry in termsift.methods())
    source[0] = source[0].replace(".. score-functions\n", f"{functions}\n")


def list_commands(app: Sphinx, page: str, source: list[str]) -> None:
    """Replace the comment in commands.md by the help of every command."""
    if page == "commands":
        parts = [f"## termsift {c}\n\n```text\n{help_of(c)}```\n" for c in running.COMMANDS]
        source[0] = source[0].replace(COMMENT, "\n".join(parts))


def help_of(command: str) -> str:
    """Return the help text of a command."""
    os.environ["COLUMNS"] = "86"  # help texts become as wide as the theme's code blocks
    with contextlib.redirect_stdout(io.StringIO()) as printed, contextlib.suppress(SystemExit):
        cli.main([command, "--help"])
    return printed.getvalue()


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the functions of this file with Sphinx."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    app.connect("source-read", list_score_functions)
    app.connect("source-read", list_commands)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
