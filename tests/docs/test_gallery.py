"""The gallery (pages of the site) shows each figure of a run with data, notebook and definition."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
import yaml
from nbformat.v4 import new_markdown_cell, new_notebook
from PIL import Image

from tcpgoodput.project.settings import Configuration, load_configuration
from tcpgoodput.report.site.__main__ import STRICT
from tcpgoodput.report.site.gallery import NO_RUN, Gallery, entry, groups
from tcpgoodput.storage import write_bytes
from tcpgoodput.studies.open_settings import as_drawn, places
from tests.folders import ROOT

INDEX = Path("figures/index.md")


@pytest.fixture(scope="module")
def configuration() -> Configuration:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        return load_configuration(Path("config/config.yaml"))


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a made-up run with two pictures and three tables."""
    monkeypatch.chdir(ROOT)
    for name in ("mathis/fig02", "comparison/matrix"):
        picture = tmp_path / "figures" / f"{name}.png"
        picture.parent.mkdir(parents=True)
        Image.new("RGB", (2000, 1000), "white").save(picture)
    for name in ("mathis/fig02", "delay_spikes/table1", "comparison"):
        table = tmp_path / "results" / f"{name}.csv"
        table.parent.mkdir(parents=True, exist_ok=True)
        table.write_text(f"name\n{name}\n", encoding="utf-8")
    return tmp_path


def pages(run: Path, configuration: Configuration) -> dict[Path, str | bytes]:
    return Gallery(run / "results", run / "figures", {"mathis"}).pages(configuration)


def test_a_figure_links_to_data_notebook_and_definition(
    run: Path, configuration: Configuration
) -> None:
    made = pages(run, configuration)
    index, page = str(made[INDEX]), str(made[Path("figures/mathis.md")])
    for text in (index, page):
        assert "(small/mathis/fig02.png)](#figure-mathis-fig02)" in text
        assert "[data](files/mathis/fig02.csv)" in text
        assert "[notebook](../notebooks/mathis.ipynb)" in text
        assert "[YAML](#figure-mathis-fig02-yaml)" in text
    assert made[Path("figures/files/mathis/fig02.csv")] == b"name\nmathis/fig02\n"
    assert "fig01" not in index  # the gallery omits figures that the run did not make
    title = configuration.sources["delay_spikes"].figures.figures["table1"].title
    assert f"Tables: [{title}](#figure-delay_spikes-table1)." in index
    assert "[data](files/comparison.csv) · [YAML](files/comparison.yaml)" in index


def test_the_gallery_is_built_without_a_warning(run: Path, configuration: Configuration) -> None:
    source = run / "source"
    shutil.copytree(ROOT / "docs/static", source / "static")
    shutil.copy(ROOT / "docs/conf.py", source)
    notebook = new_notebook(cells=[new_markdown_cell("# The notebook")])
    index = "# Site\n\n```{toctree}\nfigures/index\nnotebooks/mathis\n```\n"
    files: dict[Path, str | bytes] = {
        **pages(run, configuration),
        Path("notebooks/mathis.ipynb"): nbformat.writes(notebook),
        Path("index.md"): index,
    }
    for place, content in files.items():
        write_bytes(source / place, content.encode() if isinstance(content, str) else content)
    command = [sys.executable, "-m", "sphinx", *STRICT, source, run / "site"]
    built = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert built.returncode == 0, built.stdout + built.stderr
    text = (run / "site/figures/index.html").read_text(encoding="utf-8")
    links = set(re.findall(r'href="([^"#]*)', text))
    assert {"../notebooks/mathis.html", "mathis.html"} <= links
    files_linked = {Path(link).name for link in links if link.startswith("../_downloads/")}
    assert files_linked == {"fig02.csv", "comparison.csv", "comparison.yaml"}


def test_the_gallery_reports_a_missing_run(
    tmp_path: Path, configuration: Configuration, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    made = pages(tmp_path, configuration)
    assert list(made) == [INDEX]
    assert NO_RUN in str(made[INDEX])


def test_entry_returns_the_yaml_of_the_figure(
    configuration: Configuration, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    for study, source in configuration.sources.items():
        file = Path(f"config/figures/{study}.yaml")
        whole = yaml.safe_load(file.read_text(encoding="utf-8"))["figures"]
        for name in as_drawn(source.figures):
            assert yaml.safe_load(entry(file, ("figures", name))) == {name: whole[name]}


def test_every_picture_of_a_run_is_in_the_gallery(configuration: Configuration) -> None:
    made = {
        file.relative_to(ROOT / "figures").with_suffix("").as_posix()
        for file in (ROOT / "figures").rglob("*.png")
    }
    if not (ROOT / "results/manifest.json").is_file():
        pytest.skip("./reproduce has not been run here")
    elsewhere = {  # figures in another setting, which the report's tables count
        f"{study}/{name}"
        for study, source in configuration.sources.items()
        for name in places(source.figures)
    }
    shown = {exhibit.path for *_, exhibits in groups(configuration) for exhibit in exhibits}
    assert made - elsewhere <= shown
