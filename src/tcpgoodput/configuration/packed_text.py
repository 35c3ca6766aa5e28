"""Read text files of users' data, plain or compressed by gzip, bzip2 or xz, in bounded memory."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import zlib
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import IO, Protocol

from tcpgoodput.configuration.problems import refused
from tcpgoodput.configuration.unreadable import cannot_be_read, no_such_file

BLOCK_BYTES = 2**20

MOST_BYTES = 2**28
"""Largest size of a text in bytes; longer texts are refused. A file of this size with the times of
packets of 1500 bytes in milliseconds has 36 million packets, 36 minutes at 200 Mbit/s. Chosen by
hand."""

LONGEST_LINE_BYTES = 2**16
"""Largest length of a line in bytes, chosen by hand. A longer line is no row of numbers, and could
fill the memory."""

GZIP_MAGIC, BZIP2_MAGIC, XZ_MAGIC = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00"

PACKED_SUFFIXES = (".gz", ".bz2", ".xz")

UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

XZ_MEMORY_BYTES = 2**27
"""Largest memory in bytes for decompressing a file; xz -9 needs 65 MB. Chosen by hand."""


def unpacked_name(path: Path) -> str:
    """Return a file's name without the suffix of its compression."""
    return path.stem if path.suffix in PACKED_SUFFIXES else path.name


class Digest(Protocol):
    """Interface of a checksum object of `hashlib`."""

    def update(self, data: bytes, /) -> None:
        """Add more bytes to the checksum."""


def lines_of(
    path: Path,
    digest: Digest | None = None,
    most_bytes: int | None = None,
    longest_line_bytes: int = LONGEST_LINE_BYTES,
) -> Iterator[bytes]:
    r"""Yield a file's text in UTF-8, in blocks of whole lines; every line ends with \n.

    A byte order mark is left out. Text in UTF-16 that begins with such a mark is converted. Lines
    of the file may end with \n, \r\n or \r.

    Args:
        path: the file.
        digest: a checksum that is updated with the decompressed bytes; None: no checksum.
        most_bytes: the largest allowed size of the decompressed file; None: `MOST_BYTES`.
        longest_line_bytes: the largest allowed length of a line.

    Raises:
        ConfigurationError: the file cannot be read or decompressed, is too long, or has too long
            lines.

    """
    if path.is_dir():
        raise refused(path, "", "is a folder: name a file in it")
    if not path.exists():
        raise refused(path, "", no_such_file(path))
    if not path.is_file():
        raise refused(path, "", "is no file that ends: save its text to a file, and name that")
    rest = b""
    try:
        for block in _in_utf8(_bounded(path, digest, most_bytes or MOST_BYTES), True):
            rest += block
            end = rest.rfind(b"\n") + 1
            if len(rest) - end > longest_line_bytes:
                raise refused(
                    path,
                    "",
                    f"has a line longer than {longest_line_bytes} bytes: is it binary data?",
                )
            if end:
                yield rest[:end]
                rest = rest[end:]
    except UnicodeDecodeError:
        raise refused(path, "", "begins as text in UTF-16, and is none: save it as UTF-8") from None
    except (lzma.LZMAError, zlib.error, gzip.BadGzipFile, EOFError) as error:
        raise refused(path, "", f"cannot be unpacked: {error}; get or pack it again") from None
    except OSError as error:
        # The module bz2 reports corrupt data as an OSError without a number.
        if error.errno is None:
            message = f"cannot be unpacked: {error}; get or pack it again"
        else:
            message = cannot_be_read(path, error)
        raise refused(path, "", message) from None
    if rest:
        yield rest + b"\n"


def _bounded(path: Path, digest: Digest | None, most_bytes: int) -> Iterator[bytes]:
    """Yield a file's decompressed bytes in blocks, up to a largest size."""
    read = 0
    for block in _unpacked(path):
        read += len(block)
        if digest is not None:
            digest.update(block)
        if read > most_bytes:
            message = f"is longer than the {most_bytes >> 20} MB of text that are read; cut it"
            raise refused(path, "", message)
        yield block


def _in_utf8(blocks: Iterable[bytes], is_normalised: bool = False) -> Iterator[bytes]:
    r"""Yield text in UTF-8 without byte order mark, with every end of a line \n if normalised."""
    decoder: codecs.IncrementalDecoder | io.IncrementalNewlineDecoder | None = None
    for block in chain(blocks, [b""]):
        if decoder is None:
            utf_16 = block.startswith(UTF_16_MARKS)
            decoding = codecs.getincrementaldecoder("utf-16" if utf_16 else "utf-8-sig")
            # Other bytes stay as they are: `rows_of` reports them.
            decoder = decoding("strict" if utf_16 else "surrogateescape")
            if is_normalised:
                decoder = io.IncrementalNewlineDecoder(decoder, translate=True)
        yield decoder.decode(block, final=not block).encode("utf-8", "surrogateescape")


def rows_of(path: Path) -> Iterator[str]:
    """Yield the lines of a file's text, decompressed; see `lines_of`.

    Raises:
        ConfigurationError: as in `lines_of`, or the text is not in UTF-8.

    """
    try:
        for block in lines_of(path):
            yield from block.decode("utf-8").split("\n")[:-1]
    except UnicodeDecodeError:
        message = "is no text in UTF-8; tcpgoodput trace FILE says what kind of file it is"
        raise refused(path, "", message) from None


def beginning_of(path: Path, count: int) -> bytes:
    """Return the first bytes of a file's text; fewer if it is shorter or unreadable.

    Args:
        path: the file.
        count: the number of bytes; the text is decompressed, and in UTF-8 as in `lines_of`.

    """
    found = b""
    try:
        for block in _in_utf8(_unpacked(path)):
            found += block
            if len(found) >= count:
                break
    except (lzma.LZMAError, zlib.error, OSError, EOFError, UnicodeDecodeError):
        pass  # ignore the error, because `lines_of` reports it
    return found[:count]


def _unpacked(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        magic = file.read(len(XZ_MAGIC))
        file.seek(0)
        if magic == XZ_MAGIC:
            yield from _from_xz(file)
            return
        unpacked: IO[bytes] = file
        if magic.startswith(GZIP_MAGIC):
            unpacked = gzip.GzipFile(fileobj=file)
        elif magic.startswith(BZIP2_MAGIC):
            unpacked = bz2.BZ2File(file)
        while block := unpacked.read(BLOCK_BYTES):
            yield block


def _from_xz(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the decompressed bytes of all streams of a file; zeros may follow a stream."""
    rest = file.read(BLOCK_BYTES)
    while rest:
        packed = lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=XZ_MEMORY_BYTES)
        yield packed.decompress(rest, BLOCK_BYTES)
        while not packed.eof:
            more = file.read(BLOCK_BYTES) if packed.needs_input else b""
            if packed.needs_input and not more:
                raise EOFError("it ends too early")
            yield packed.decompress(more, BLOCK_BYTES)
        rest = packed.unused_data.lstrip(b"\0")
        while not rest and (more := file.read(BLOCK_BYTES)):
            rest = more.lstrip(b"\0")
