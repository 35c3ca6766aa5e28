"""Whole lines of a text file, some at a time: plain or packed by xz, in bounded memory."""

from __future__ import annotations

import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from tcpgoodput.configuration import refused

BLOCK_BYTES = 2**20

MOST_BYTES = 2**28
"""Of text: sixty million packets, an hour at 200 Mbit/s. What is longer is hardly a recording."""

LONGEST_LINE_BYTES = 1000
"""What is longer is no number, and would be held in memory as a whole."""

XZ_MAGIC = b"\xfd7zXZ\x00"

XZ_MEMORY_BYTES = 2**27
"""That a file may want for its unpacking: xz -9 asks for 65 MB."""


class Digest(Protocol):
    """A checksum in the making, of `hashlib`."""

    def update(self, data: bytes, /) -> None:
        """Go on with more bytes."""


def lines_of(path: Path, digest: Digest | None = None) -> Iterator[bytes]:
    r"""Yield a file's text, whole lines at a time; every block ends with a line's end, \n.

    Args:
        path: the file.
        digest: what is fed with the file's unpacked bytes, as they are.

    Raises:
        ConfigurationError: the file cannot be read or unpacked, is too long or has no lines.

    """
    if path.is_dir():
        raise refused(path, "", "is a folder")
    if not path.exists():
        raise refused(path, "", "no such file")
    if not path.is_file():
        raise refused(path, "", "is no file that ends")
    rest, read = b"", 0
    too_long = refused(path, "", f"is longer than the {MOST_BYTES >> 20} MB of text that are read")
    try:
        for block in _unpacked(path):
            read += len(block)
            if digest is not None:
                digest.update(block)
            if read > MOST_BYTES:
                raise too_long
            rest += block
            end = rest.rfind(b"\n") + 1
            if len(rest) - end > LONGEST_LINE_BYTES:
                raise refused(path, "", "is no text of lines with a number each")
            if end:
                yield rest[:end].replace(b"\r\n", b"\n")
                rest = rest[end:]
    except OSError as error:
        raise refused(path, "", f"cannot be read: {error.strerror or error}") from None
    except (lzma.LZMAError, EOFError) as error:
        raise refused(path, "", f"cannot be unpacked: {error}") from None
    if rest:
        yield rest + b"\n"


def _unpacked(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        if file.read(len(XZ_MAGIC)) != XZ_MAGIC:
            file.seek(0)
            while block := file.read(BLOCK_BYTES):
                yield block
            return
        file.seek(0)
        packed = lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=XZ_MEMORY_BYTES)
        while not packed.eof:
            more = file.read(BLOCK_BYTES) if packed.needs_input else b""
            if packed.needs_input and not more:
                raise EOFError("it ends too early")
            yield packed.decompress(more, BLOCK_BYTES)
