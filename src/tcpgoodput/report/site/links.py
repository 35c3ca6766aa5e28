"""Links of a page that stands elsewhere on the site than in the project.

In the project a page links to files, as a git host shows them; on the site to pages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from posixpath import normpath, relpath

LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\]]*)\]\((?P<target>[^)\s]+)\)")
PICTURE = re.compile(r'(?<=<img src=")[^"]+')
FENCE = re.compile(r"(^ *(`{3,}).*?^ *\2 *$)", re.MULTILINE | re.DOTALL)


def placed(text: str, source: str, places: Mapping[str, str]) -> str:
    """Return a page's Markdown with its links as they are on the site.

    A link to a file that is no page becomes its text, with the file's name.

    Args:
        text: the page.
        source: where it stands in the project.
        places: where files of the project are on the site.

    """
    page = places[source]

    def there(target: str) -> str | None:
        file = normpath(PurePosixPath(source).parent / target)
        return relpath(places[file], PurePosixPath(page).parent) if file in places else None

    def link(found: re.Match[str]) -> str:
        target, hash_, anchor = found["target"].partition("#")
        if not target or ":" in target:
            return found[0]
        if moved := there(target):
            return f"{found['image']}[{found['text']}]({moved}{hash_}{anchor})"
        file = normpath(PurePosixPath(source).parent / target)
        return found["text"] if found["text"] == file else f"{found['text']} (`{file}`)"

    def prose(part: str) -> str:
        part = PICTURE.sub(lambda found: there(found[0]) or found[0], part)
        return LINK.sub(link, part)

    parts = FENCE.split(text)  # prose, a fenced block, its fence, and so on
    return "".join(
        prose(part) if index % 3 == 0 else part
        for index, part in enumerate(parts)
        if index % 3 != 2
    )
