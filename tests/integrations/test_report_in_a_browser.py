"""The page on a collection in a browser: searching, sorting, narrow screens. Needs Chromium."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from test_report import HOSTILE, Page, letters

from termsift.report import write_report

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)
pytestmark = pytest.mark.skipif(BROWSER is None, reason=f"none of {', '.join(BROWSERS)} is here")
BEST = "The best terms, in the order of their scores"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "page.html"
    write_report(letters(), path, cv=2)
    return path


def shown(url: str) -> str:
    """Return the page as the browser has it once scripts have run."""
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


def after(path: Path, script: str) -> str:
    """Return a copy of the page as it is after a script of ours too."""
    copy = path.with_name("copy.html")
    page = path.read_text("utf-8").replace("</body>", f"<script>{script}</script></body>")
    copy.write_text(page, "utf-8")
    return shown(copy.as_uri())


def visible(source: str) -> list[list[str]]:
    """Return the rows of the best terms that a visitor sees."""
    rows = Page(source).tables[BEST][1:]
    body = source[source.index('id="ranking"') :]
    hidden = ["hidden" in tag for tag in re.findall(r"<tr[^>]*>", body[: body.index("</table>")])]
    return [row for row, is_hidden in zip(rows, hidden[1:], strict=True) if not is_hidden]


def sorted_by(source: str) -> list[tuple[str, str]]:
    found = re.findall(r'aria-sort="(\w+)"[^>]*><button type="button">([^<]*)', source)
    return [(title, how) for how, title in found]


def test_at_first(path: Path) -> None:
    source = shown(path.as_uri())
    assert len(visible(source)) == 30
    assert sorted_by(source) == [("rank", "ascending")]
    page = Page(source)
    assert "30 terms" in [text for _, text in page.texts]
    assert not any("hidden" in attributes for attributes in page.all("div"))
    titles = ["rank", "term", "score", "occurrences", "documents", "speaks for"]
    assert [text for tag, text in page.texts if tag == "button"] == titles


def test_search_by_the_address(path: Path) -> None:
    source = shown(path.as_uri() + "#q=TERM+2")
    terms = {row[1] for row in visible(source)}
    assert terms == {"term 2", *(f"term {i}" for i in range(20, 30))}
    assert "11 of 30 terms" in source
    assert len(visible(shown(path.as_uri() + "#q=class+0"))) == sum(
        row[5] == "class 0" for row in Page(path.read_text("utf-8")).tables[BEST]
    )
    assert "0 of 30 terms" in shown(path.as_uri() + "#q=%3Cscript%3E")
    assert len(visible(shown(path.as_uri() + "#terms"))) == 30


@pytest.mark.parametrize(
    ("asked", "column", "descending"),
    [("occurrences&down", 3, True), ("documents", 4, False), ("score&down", 2, True)],
)
def test_sort_by_the_address(path: Path, asked: str, column: int, descending: bool) -> None:
    source = shown(f"{path.as_uri()}#sort={asked}")
    title, _, down = asked.partition("&")
    assert sorted_by(source) == [(title, "descending" if down else "ascending")]
    rows = [(float(row[column]), int(row[0])) for row in visible(source)]
    assert rows == sorted(rows, key=lambda row: (-row[0] if descending else row[0], row[1]))
    assert len(rows) == 30


def test_clicks_and_keys(path: Path) -> None:
    click = "document.querySelectorAll('#ranking button')[{}].click();"
    source = after(path, click.format(4))  # numbers begin with the largest
    assert sorted_by(source) == [("documents", "descending")]
    assert int(visible(source)[0][4]) == max(int(row[4]) for row in visible(source))
    source = after(path, 2 * click.format(4))
    assert sorted_by(source) == [("documents", "ascending")]
    source = after(path, click.format(5))  # words with the first
    assert sorted_by(source) == [("speaks for", "ascending")]
    classes = [row[5] for row in visible(source)]
    assert classes == sorted(classes)
    typed = (
        "const field = document.getElementById('find'); field.value = 'term 17';"
        "field.dispatchEvent(new Event('input'));"
    )
    source = after(path, typed + click.format(3))
    assert [row[1] for row in visible(source)] == ["term 17"]
    assert "1 of 30 terms" in source


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    collection = letters()
    assert collection.term_names is not None
    collection.term_names[: len(HOSTILE)] = HOSTILE
    for c, label in enumerate((HOSTILE[0], HOSTILE[5], HOSTILE[3])):
        collection.y[collection.y == f"class {c}"] = label  # type: ignore[index]
    path = tmp_path / "hostile.html"
    write_report(collection, path, cv=2, title=HOSTILE[1])
    return path


def test_strangers_text_stays_text(hostile: Path) -> None:
    source = shown(hostile.as_uri())
    page = Page(source)
    assert len(page.all("script")) == 1
    assert not page.all("img")
    terms = [row[1] for row in visible(source)]
    for term in HOSTILE[:7]:
        assert term in terms


@pytest.mark.parametrize("width", [320, 375, 1440])
def test_nothing_is_wider_than_the_screen(path: Path, hostile: Path, width: int) -> None:
    # A window has a least width, a frame has none.
    tell = (
        "const all = document.documentElement;"
        "parent.postMessage(all.scrollWidth - all.clientWidth + ' too wide', '*')"
    )
    for page in (path, hostile):
        copy = page.with_name("framed.html")
        text = page.read_text("utf-8").replace("</body>", f"<script>{tell}</script></body>")
        copy.write_text(text, "utf-8")
        frame = page.with_name("frame.html")
        frame.write_text(
            "<!DOCTYPE html><p id=told>-</p><script>onmessage = (told) => "
            "document.getElementById('told').textContent = told.data</script>"
            f"<iframe src='framed.html' width={width} height=800 style='border: 0'></iframe>",
            "utf-8",
        )
        assert '<p id="told">0 too wide</p>' in shown(frame.as_uri())
