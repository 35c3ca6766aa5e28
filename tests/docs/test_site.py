"""The documentation's site is built without warnings and has no dead links.

It loads nothing from a network, and its search works without a server.
"""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import nbformat
import numpy as np
import pandas as pd
import pytest
import typer
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

import tcpgoodput
from tcpgoodput.cli.app import app
from tcpgoodput.configuration.documentation import documented_keys
from tcpgoodput.models import MODELS
from tcpgoodput.project.settings import SCHEMAS
from tcpgoodput.report.site.generated import errors_of
from tcpgoodput.report.site.mathml import displayed, mathml
from tcpgoodput.report.site.pages import (
    LINK,
    ordered,
    placed,
    put_together,
    shown,
    titles_of,
    with_tables,
)
from tcpgoodput.report.site.pictures import PICTURES
from tests import shipped
from tests.folders import ROOT

pytestmark = pytest.mark.xdist_group("site")

WIDTHS = (1440, 390)

HIDDEN = {"tags": ["injected-parameters"]}
WIDE = {"text/html": f"<table><tr>{'<td>wide</td>' * 60}</tr></table>"}
EXECUTED = new_notebook(
    cells=[
        new_markdown_cell("# Executed\n\n$x^2$"),
        new_code_cell("run = 'hidden.json'", metadata=HIDDEN),
        new_code_cell("table", outputs=[new_output("execute_result", WIDE, execution_count=2)]),
    ],
    metadata={"language_info": {"name": "python"}},
)

NAMESAKES = ("mathis", "census_mathis")
"""Pages of a study's notebook, and of a random sample's with the same name."""


class Page(HTMLParser):
    """An HTML page: its links, the files that it loads (such as scripts), and its anchors."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.text = path.read_text(encoding="utf-8")
        self.feed(self.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        self.anchors |= {attributes[name] for name in ("id", "name") if name in attributes}
        if tag == "a" and "href" in attributes:
            self.links.append(attributes["href"])
        elif tag == "link" and "href" in attributes:
            self.loaded.append(attributes["href"])
        elif "src" in attributes:
            self.loaded.append(attributes["src"])


Pages = dict[Path, Page]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site with the project's notebooks and an executed one; return its folder."""
    folder = tmp_path_factory.mktemp("site")
    # A random sample may have a study's name.
    sample = folder / "census" / "mathis" / "recorded" / "mathis.ipynb"
    sample.parent.mkdir(parents=True)
    for executed in (folder / "executed.ipynb", sample):
        nbformat.write(EXECUTED, executed)
    notebooks = [*sorted(ROOT.glob("notebooks/*.ipynb")), folder / "executed.ipynb", sample]
    index = folder / "built" / "index.html"
    command = [sys.executable, "-m", "tcpgoodput.report.site", index, *notebooks]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stdout + run.stderr
    assert index.is_file()
    return index.parent


@pytest.fixture(scope="module")
def pages(site: Path) -> Pages:
    return {path: Page(path) for path in site.rglob("*.html")}


def target(page: Path, link: str) -> tuple[Path, str]:
    """Return the file and the anchor that a link on a page leads to; the anchor may be empty."""
    parts = urlsplit(link)
    file = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    return file, unquote(parts.fragment)


def is_internal(link: str) -> bool:
    return not urlsplit(link).scheme


def test_no_link_is_dead(pages: Pages) -> None:
    dead = []
    for path, page in pages.items():
        for link in filter(is_internal, [*page.links, *page.loaded]):
            file, anchor = target(path, link)
            known = pages[file].anchors if file in pages else set()
            if not file.is_file() or (anchor and file in pages and anchor not in known):
                dead.append(f"{path.name}: {link}")
    assert dead == []


def test_every_page_is_linked_from_the_index(site: Path, pages: Pages) -> None:
    reached, waiting = set(), [site / "index.html"]
    while waiting:
        path = waiting.pop()
        if path in pages and path not in reached:
            reached.add(path)
            links = filter(is_internal, pages[path].links)
            waiting += [target(path, link)[0] for link in links]
    assert set(pages) - reached <= {site / "search.html"}  # only the search form links to this page


def test_nothing_is_loaded_from_the_network(site: Path, pages: Pages) -> None:
    for path, page in pages.items():
        assert all(map(is_internal, page.loaded)), path
        assert not re.search(r"@import|url\(\s*['\"]?(?:https?:)?//", page.text), path
    for style in site.rglob("*.css"):
        text = style.read_text(encoding="utf-8")
        assert not re.search(r"url\(\s*['\"]?(?:https?:)?//", text), style


def text_of(site: Path, page: str) -> str:
    found = (site / page).read_text(encoding="utf-8")
    return re.sub(r"<[^>]+>", "", found)


def test_every_command_and_option_is_documented(site: Path) -> None:
    text = text_of(site, "reference/commands.html")
    group: Any = typer.main.get_command(app)
    for name, command in group.commands.items():
        assert f"tcpgoodput {name}" in text
        for parameter in command.params:
            assert (parameter.metavar or parameter.opts[0]) in text


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_key_is_documented(site: Path, name: str) -> None:
    text = text_of(site, f"reference/keys/{name}.html")
    shown = set(re.findall(r"[\w.()\[\]-]+", text))
    for key in documented_keys(SCHEMAS[name]):
        assert key.key.rpartition(".")[2].partition(" ")[0] in shown


def test_every_public_name_and_model_is_documented(site: Path) -> None:
    text = text_of(site, "reference/python.html")
    assert all(re.search(rf"\b{name}\b", text) for name in tcpgoodput.__all__)
    text = text_of(site, "concepts/vocabulary.html")
    assert all(name in text for name in MODELS.names())


@pytest.mark.parametrize("name", MODELS.names())
def test_every_model_page_has_equation_domain_inputs_and_errors(site: Path, name: str) -> None:
    text = " ".join(html.unescape(text_of(site, f"reference/models/{name}.html")).split())
    model = MODELS[name]
    for part in (model.title, model.domain, model.equation, "Errors on random connections"):
        assert part
        assert " ".join(part.split()) in text
    for condition in model.conditions:
        assert f"{condition.text} {condition.basis} {condition.because}" in text
    assert all(key in text for key in model.inputs)


def test_a_model_that_was_not_evaluated_is_not_called_out_of_domain(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    assert "not evaluated" in errors_of("tfrc_mine")
    assert "not evaluated" not in errors_of("pftk")
    assert "| independent loss | native |" in errors_of("bbr.random_loss")


def test_the_example_of_a_model_can_be_pasted(site: Path) -> None:
    page = (site / "reference/models/pftk.html").read_text(encoding="utf-8")
    (example,) = re.findall(r"highlight-sh.*?<pre>(.*?)</pre>", page, re.DOTALL)
    command = html.unescape(re.sub(r"<[^>]+>", "", example)).strip()
    assert re.fullmatch(r"tcpgoodput predict \S+\.yaml --model pftk", command)


def test_a_notebooks_page_omits_outputs_for_the_run(site: Path) -> None:
    page = (site / "notebooks" / "executed.html").read_text(encoding="utf-8")
    assert "<td>wide</td>" in page
    assert "<math" in page
    assert "hidden.json" not in page


def test_the_site_has_no_hidden_files_and_no_build_paths(site: Path) -> None:
    assert not [path for path in site.rglob("*") if path.name.startswith(".")]
    for path in site.rglob("*.html"):
        assert "/tmp/" not in re.sub(r"<pre>.*?</pre>", "", path.read_text(), flags=re.DOTALL)


# ------------------------------------------------------------ the Markdown sources of the pages


SOURCES = [*ROOT.glob("docs/**/*.md"), ROOT / "README.md", ROOT / "config" / "README.md"]
PICTURE = re.compile(r'<img src="([^"]+)"|!\[[^\]]*\]\(([^)\s]+)|```\{(?:figure|image)\} (\S+)')


@pytest.mark.parametrize("page", SOURCES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_are_valid_on_a_git_host(page: Path) -> None:
    for found in LINK.finditer(page.read_text(encoding="utf-8")):
        file, _, anchor = found["target"].partition("#")
        if not urlsplit(found["target"]).scheme:
            linked = page.parent / file if file else page
            assert linked.exists(), found[0]
            assert not anchor or anchor in anchors_of(linked), found[0]


@pytest.mark.parametrize("page", SOURCES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pictures_are_tracked_files(page: Path) -> None:
    """They are in git, so that a fresh clone has them."""
    command = ["git", "-C", str(ROOT), "ls-files"]
    tracked = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    for names in PICTURE.findall(page.read_text(encoding="utf-8")):
        picture = (page.parent / "".join(names)).resolve().relative_to(ROOT.resolve())
        assert picture.as_posix() in tracked, picture


@pytest.mark.parametrize("name", PICTURES)
def test_drawn_pictures_are_up_to_date(name: str) -> None:
    picture = (ROOT / "docs/pictures" / f"{name}.svg").read_text(encoding="utf-8")
    assert picture == PICTURES[name](), "run: python -m tcpgoodput.report.site.pages"


def anchors_of(page: Path) -> set[str]:
    """Return the anchors of a Markdown page's headings, by the rule of git hosts and MyST."""
    heads = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", SOURCES, ids=lambda page: str(page.relative_to(ROOT)))
def test_tables_in_pages_are_up_to_date(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    text = page.read_text(encoding="utf-8")
    assert with_tables(text) == text, "run: python -m tcpgoodput.report.site.pages"


def test_the_first_page_has_the_table_of_models_to_take() -> None:
    text = (ROOT / "docs/index.md").read_text(encoding="utf-8")
    (table,) = re.findall(r"<!-- table: choice -->\n(.*?)<!-- end -->", text, re.DOTALL)
    assert table.count("\n| ") > 10


PLACES = {"docs/a.md": "a.md", "docs/sub/b.md": "sub/b.md", "README.md": "start.md"}


@pytest.mark.parametrize(
    ("source", "before", "after"),
    [
        ("docs/a.md", "[x](../README.md#first)", "[x](start.md#first)"),
        ("docs/sub/b.md", "[x](../../README.md)", "[x](../start.md)"),
        ("README.md", "[x](docs/sub/b.md)", "[x](sub/b.md)"),
        ("README.md", "[LICENSE](LICENSE)", "LICENSE"),
        ("docs/a.md", "[law](../LICENSE)", "law (`LICENSE`)"),
        ("docs/a.md", "[x](#here) [y](https://example.org)", "[x](#here) [y](https://example.org)"),
        ("docs/a.md", "```\n[x](../README.md)\n```\n", "```\n[x](../README.md)\n```\n"),
    ],
)
def test_links_to_files_become_links_to_pages(source: str, before: str, after: str) -> None:
    assert placed(before, source, PLACES) == after


@pytest.mark.parametrize(
    ("latex", "made"),
    [
        (r"R \ln w", '<mi>R</mi><mspace width="0.167em" /><mi>ln</mi><mspace width="0.167em" />'),
        (r"\ln(w)", '<mi>ln</mi><mo stretchy="false">'),
        (r"\mathrm{E}[C]", "<mtext>E</mtext>"),
    ],
)
def test_formulas_become_the_mathml_of_tex(latex: str, made: str) -> None:
    assert made in mathml(latex)


@pytest.mark.parametrize("pair", [r"\Big( x \Big)", r"\bigl[ x \bigr]", r"\Bigg\{ x \Bigg\}"])
def test_both_brackets_of_a_pair_grow(pair: str) -> None:
    brackets = re.findall(
        r"<mo([^>]*)>(?:&#x0*(?:28|29|7B|7D|5B|5D);|[\[\](){}])</mo>", mathml(pair)
    )
    assert len(brackets) == 2
    assert all('stretchy="true"' in attributes for attributes in brackets)


def test_the_number_of_a_formula_is_beside_it() -> None:
    made = displayed(r"x = 1 . \tag{77}")
    formula, number = made.split("</math>")
    assert "77" not in formula
    assert ">(77)<" in number
    assert "numbered" not in displayed("x = 1")


def test_a_sample_with_the_name_of_a_study_has_its_own_page(site: Path) -> None:
    lecture, sample = (Page(site / f"notebooks/{name}.html").text for name in NAMESAKES)
    assert "saw-tooth" in lecture
    assert "saw-tooth" not in sample


def test_two_notebooks_of_one_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="would replace the page of"):
        put_together(tmp_path / "pages", [Path("a/x.ipynb"), Path("b/x.ipynb")], {}, {})


def test_notebooks_have_distinct_titles_and_an_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    titles = titles_of(shipped.configuration())
    assert {"links", "transfers", "census_connections", "census_linux"} <= set(titles)
    assert len(set(titles.values())) == len(titles)
    assert "mathis" not in titles  # it has a notebook of its own
    names = ordered(["claims", "transfers", "handoffs", "mathis", "comparison"])
    assert names == ["mathis", "handoffs", "transfers", "comparison", "claims"]


def test_every_picture_of_a_notebook_has_its_own_alternative_text(tmp_path: Path) -> None:
    def picture(**metadata: str) -> NotebookNode:
        found = {"image/png": metadata} if metadata else {}
        return new_output("display_data", {"image/png": "aa"}, metadata=found)

    outputs = [picture(alt="First"), picture(alt="Second"), picture()]
    every = [new_markdown_cell("# Old\n\n## Below"), new_code_cell("show()", outputs=outputs)]
    file = tmp_path / "made.ipynb"
    file.write_text(json.dumps(new_notebook(cells=every)), encoding="utf-8")
    first, *cells = json.loads(shown(file, "A *new* title"))["cells"]
    assert first["source"].startswith("# A \\*new\\* title\n")
    alts = [cell["metadata"]["mystnb"]["image"]["alt"] for cell in cells]
    assert alts == ["First", "Second", "Below"]
    assert [cell["source"] for cell in cells] == ["show()", "", ""]
    assert [len(cell["outputs"]) for cell in cells] == [1, 1, 1]


def test_a_page_of_a_notebook_keeps_folds_and_links_only_to_pages(tmp_path: Path) -> None:
    fold = {"tags": ["hide-cell"], "mystnb": {"code_prompt_show": "Solution"}}
    text = "# One\n\n[a](here.ipynb) [b](absent.ipynb) [c](https://example.org/x.ipynb)"
    file = tmp_path / "made.ipynb"
    every = [new_markdown_cell(text), new_code_cell("1", metadata=fold)]
    file.write_text(json.dumps(new_notebook(cells=every)), encoding="utf-8")
    page = json.loads(shown(file, others=["here"], gallery="../figures/made.md"))
    words, folded, link = page["cells"]
    assert words["source"].endswith("[a](here.ipynb) b [c](https://example.org/x.ipynb)")
    assert folded["metadata"]["tags"] == ["hide-cell"]
    assert folded["metadata"]["mystnb"]["code_prompt_show"] == "Solution"
    assert "(../figures/made.md)" in link["source"]


def test_an_unsupported_formula_is_refused() -> None:
    with pytest.raises(ValueError, match="one formula to a line"):
        mathml(r"\begin{aligned} a &= b \end{aligned}")


def test_the_workflow_graph_is_drawn_with_every_arrow() -> None:
    page = (ROOT / "docs" / "workflow.md").read_text(encoding="utf-8")
    arrows = sorted(re.findall(r"^ *(\w+) --> (\w+)$", page, re.MULTILINE))
    picture = (ROOT / "docs" / "pictures" / "rules-1.svg").read_text(encoding="utf-8")
    drawn = re.findall(r'id="my-svg-L_(\w+)_\d+"', picture)
    assert sorted(drawn) == sorted(map("_".join, arrows)), "see docs/workflow.md"


def test_numbers_of_models_and_points_on_pages_are_correct(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    texts = {page: page.read_text(encoding="utf-8") for page in SOURCES}
    counts = [n for text in texts.values() for n in re.findall(r"(\d+) (?:models|others)\b", text)]
    assert {*map(int, counts)} == {len(MODELS.names())}
    cases = pd.read_csv("data/ns2/agreement.csv").query("setting == 'as it is'")
    page = texts[ROOT / "docs" / "simulator.md"]
    assert f"{len(cases)} connections in both" in page
    close = np.log(cases["ratio"]).abs() <= 0.01
    assert f"{close.sum()} agree within one per cent" in page
    points = shipped.configuration().censuses["connections"].census.points
    for name in ("census.md", "tutorials/census.md", "tutorials/cluster.md"):
        assert f"{points:,}".replace(",", " ") in texts[ROOT / "docs" / name]


# ------------------------------------------------------------ pages in a real browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    chromium = shutil.which("chromium")
    if not chromium:
        pytest.skip("chromium is not installed (Debian: apt-get install chromium)")
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="the packages of requirements-browser.lock are not installed"
    )
    with playwright.sync_playwright() as tools:
        # Chromium's sandbox does not work for root in a container
        found = tools.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.mark.browser
def test_the_search_finds_a_page_without_a_server(site: Path, browser: Any) -> None:
    urls: list[str] = []
    page = browser.new_page()
    page.on("request", lambda request: urls.append(request.url))
    page.goto((site / "index.html").as_uri())
    page.get_by_placeholder("Search").fill("hand-off")
    page.keyboard.press("Enter")
    page.wait_for_function(
        "/found|did not match/.test(document.querySelector('.search-summary')?.innerText)"
    )
    found = page.locator("ul.search li a").evaluate_all("links => links.map(a => a.href)")
    assert any("simulator.html" in link for link in found)
    page.locator("ul.search li a").first.click()
    page.wait_for_load_state()
    assert page.locator("h1").count() == 1
    assert all(urlsplit(url).scheme in ("file", "data") for url in urls)
    page.close()


@pytest.mark.browser
@pytest.mark.parametrize("width", WIDTHS)
def test_no_page_is_wider_than_the_screen(site: Path, browser: Any, width: int) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900})
    page = context.new_page()
    messages: list[str] = []
    page.on("console", lambda message: messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))
    for path in sorted(site.rglob("*.html")):
        page.goto(path.as_uri())
        wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0, f"{path.name} by {wide} pixels"
    assert messages == []
    context.close()
