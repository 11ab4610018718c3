"""What is special in a notebook: progress and figures are shown below the cell that makes them.

Nothing is imported for this, because a notebook has imported IPython before.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def notebook() -> Any:
    """Return the notebook's shell of IPython, or None outside a notebook."""
    get = getattr(sys.modules.get("IPython"), "get_ipython", None)
    shell = None if get is None else get()
    # A shell of a terminal has no kernel.
    return None if getattr(shell, "kernel", None) is None else shell


class Line:
    """A line of text below the cell, which changes until it is cleared."""

    def __init__(self) -> None:
        self._shown: Any = None

    def write(self, line: str) -> None:
        """Show the line in place of the last one. The line "" shows nothing."""
        data = {"text/plain": line} if line else {"text/plain": "", "text/html": ""}
        if self._shown is None:
            from IPython.display import display

            self._shown = display(data, raw=True, display_id=True)
        else:
            self._shown.update(data, raw=True)


def show_after_cell(figure: Figure) -> None:
    """In a notebook, show a figure at the end of the cell that makes it, as pyplot does.

    The figure then has the titles that the cell adds. A figure that is the value of the cell is
    shown by the notebook itself.
    """
    shell = notebook()
    if shell is None:
        return
    _draw_figures(shell)

    def show(result: Any) -> None:
        shell.events.unregister("post_run_cell", show)
        if result.result is not figure:
            from IPython.display import display

            display(figure)

    shell.events.register("post_run_cell", show)


def _draw_figures(shell: Any) -> None:
    """Make the notebook draw figures, unless pyplot or the user has chosen how."""
    from IPython.core.pylabtools import select_figure_formats
    from matplotlib.figure import Figure

    formatters = shell.display_formatter.formatters
    images = ("image/png", "image/svg+xml", "image/jpeg", "application/pdf")
    if not any(Figure in formatters[image] for image in images if image in formatters):
        select_figure_formats(shell, {"png"})
