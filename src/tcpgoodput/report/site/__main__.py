"""Build the documentation's web site with Sphinx.

python -m tcpgoodput.report.site INDEX NOTEBOOK... [--results FOLDER --figures FOLDER]
                                 [--configuration FILE] [--changes JSON]
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from sphinx.cmd.build import build_main

from tcpgoodput.jobs import job_parser
from tcpgoodput.project.checked import add_configuration, configuration_of
from tcpgoodput.report.site.gallery import Gallery
from tcpgoodput.report.site.pages import page_of, put_together, titles_of

NEEDED_ONCE = (".doctrees", ".buildinfo", "objects.inv", "_sources")
"""Files that Sphinx needs to build the site. These files are removed afterwards, because no reader
needs them."""

PAPER = "html"
"""Name of the folder in the results that contains the report's web page."""

NOWHERE = Path("/nonexistent")
"""Default folder of results and pictures. It does not exist, so that a site built without
`--results` and `--figures` has no results."""

STRICT = ("--quiet", "--nitpicky", "--fail-on-warning", "--keep-going")


def main() -> int:
    """Build the documentation's web site, and return Sphinx's exit status.

    The folder's content is replaced only if the build succeeds. The report's web page is copied
    into the site if `snakemake html` has made it.
    """
    parser: argparse.ArgumentParser = job_parser("tcpgoodput.report.site", "index")
    parser.add_argument("notebooks", type=Path, nargs="*")
    for name in ("results", "figures"):
        parser.add_argument(f"--{name}", type=Path, default=NOWHERE)
    add_configuration(parser)
    arguments = parser.parse_args()
    site, names = arguments.index.parent, set(map(page_of, arguments.notebooks))
    gallery = Gallery(arguments.results, arguments.figures, names)
    configuration = configuration_of(arguments)
    figures, titles = gallery.pages(configuration), titles_of(configuration)
    with TemporaryDirectory() as folder:
        pages, built = Path(folder, "pages"), Path(folder, "built")
        put_together(pages, arguments.notebooks, titles, figures)
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


if __name__ == "__main__":
    sys.exit(main())
