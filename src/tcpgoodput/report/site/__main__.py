"""Build the site.

python -m tcpgoodput.report.site INDEX NOTEBOOK...
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from sphinx.cmd.build import build_main

from tcpgoodput.jobs import job_parser
from tcpgoodput.report.site.pages import put_together

NEEDED_ONCE = (".doctrees", ".buildinfo", "objects.inv", "_sources")
"""Files that Sphinx writes into the site but that no reader needs."""

PAPER = "html"
"""Folder below the results with the report's web page."""

STRICT = ("--quiet", "--nitpicky", "--fail-on-warning", "--keep-going")


def build(site: Path, notebooks: list[Path]) -> int:
    """Build the site from scratch in a folder, and return Sphinx's exit status.

    The report's web page is copied into the site if `snakemake html` has made it.
    """
    with TemporaryDirectory() as folder:
        pages, built = Path(folder, "pages"), Path(folder, "built")
        put_together(pages, notebooks)
        status = build_main([*STRICT, str(pages), str(built)])
        if status == 0:
            for name in NEEDED_ONCE:
                left = built / name
                shutil.rmtree(left) if left.is_dir() else left.unlink(missing_ok=True)
            shutil.rmtree(site, ignore_errors=True)
            shutil.copytree(built, site)
            if (site.parent / PAPER).is_dir():
                shutil.copytree(site.parent / PAPER, site / "paper")
    return status


def main() -> int:
    """Run the job."""
    parser: argparse.ArgumentParser = job_parser("tcpgoodput.report.site", "index")
    parser.add_argument("notebooks", type=Path, nargs="*")
    arguments = parser.parse_args()
    return build(arguments.index.parent, arguments.notebooks)


if __name__ == "__main__":
    sys.exit(main())
