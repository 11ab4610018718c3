"""The page about a collection with untrusted text, in a browser. The tests need Chromium."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from report_pages import BEST, HOSTILE, Page, letters, write

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)
pytestmark = pytest.mark.skipif(BROWSER is None, reason=f"none of {', '.join(BROWSERS)} is here")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "page.html"
    write(letters(), path)
    return path


def shown(url: str) -> str:
    """Return the page in the browser after its scripts have run."""
    profile = Path(url.removeprefix("file://").partition("#")[0]).parent / "profile"
    still = ("quic", "background-networking", "component-update", "sync", "gpu")
    command = [
        str(BROWSER),
        "--headless",
        "--no-sandbox",
        "--no-first-run",
        *(f"--disable-{part}" for part in still),
        f"--user-data-dir={profile}",
        "--virtual-time-budget=2000",
        "--dump-dom",
        url,
    ]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
    return result.stdout


def with_script(page: Path, name: str, script: str) -> Path:
    """Write a copy of the page with an additional script at its end."""
    copy = page.with_name(name)
    text = page.read_text("utf-8").replace("</body>", f"<script>{script}</script></body>")
    copy.write_text(text, "utf-8")
    return copy


def test_no_script_runs(path: Path) -> None:
    copy = with_script(path, "copy.html", "document.querySelector('h1').textContent = 'changed'")
    assert "changed</h1>" not in shown(copy.as_uri())


def without_policy(copy: Path) -> Path:
    """Allow every script of a page to run."""
    text = copy.read_text("utf-8").replace("Content-Security-Policy", "no-policy")
    copy.write_text(text, "utf-8")
    return copy


def test_the_chart_can_be_used(path: Path) -> None:
    use = """
      const chart = document.getElementById("scatter"), said = document.getElementById("said");
      const results = [];
      const set = (id, value, kind) => {
        document.getElementById(id).value = value;
        document.getElementById(id).dispatchEvent(new Event(kind));
      };
      const heights = [...chart.querySelectorAll("circle")].map((c) => c.getAttribute("cy"));
      results.push(new Set(heights).size);
      set("query", "TERM 2", "input");
      results.push(said.textContent, chart.querySelectorAll(".found").length);
      set("query", "", "input");
      set("theirs", "1", "change");
      results.push(chart.textContent.includes("per million tokens in class 1"));
      const at = chart.querySelector("circle").getBoundingClientRect();
      chart.dispatchEvent(new PointerEvent("pointermove",
        { clientX: at.x + at.width / 2, clientY: at.y + at.height / 2 }));
      results.push(/term \\d+.*: .* per million tokens/.test(said.textContent));
      results.push(/^term \\d+/.test(chart.querySelector("text.hover").textContent.slice(1)));
      document.querySelector("h1").textContent = JSON.stringify(results);
    """
    page = Page(shown(without_policy(with_script(path, "used.html", use)).as_uri()))
    (results,) = (text for tag, text in page.texts if tag == "h1")
    # The search finds terms 2 and 20 to 29. Terms of equal frequency have points of unequal height.
    said = "11 of 30 terms contain “TERM 2”."
    assert json.loads(results) == [30, said, 11, True, True, True]


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    collection = letters()
    assert collection.term_names is not None
    collection.term_names[: len(HOSTILE)] = HOSTILE
    for c, label in enumerate((HOSTILE[0], HOSTILE[5], HOSTILE[3])):
        collection.y[collection.y == f"class {c}"] = label  # type: ignore[index]
    path = tmp_path / "hostile.html"
    write(collection, path, title=HOSTILE[1])
    return path


def test_untrusted_text_stays_text(hostile: Path) -> None:
    page = Page(shown(hostile.as_uri()))
    assert len(page.all("script")) == 2  # the data and the script of the page
    assert not page.all("img")
    terms = [row[1] for row in page.tables[BEST]]
    for term in HOSTILE[:7]:
        assert term in terms
