"""A strict and safe YAML reader that returns plain data with the line number of each key.

The reader refuses tags, anchors and aliases, so a file cannot refer to code, and a small file
cannot expand to a large one. Duplicate keys are reported when the content is checked (`validated`).
Keys are text; `1e-3` is a number (YAML 1.2), and `on` and `yes` are text.
"""

from __future__ import annotations

import codecs
import os
import re
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import yaml

from tcpgoodput.configuration.problems import ConfigurationError, Problem, refused
from tcpgoodput.configuration.unreadable import (
    BINARY_YAML,
    EMPTY_YAML,
    cannot_be_read,
    no_mapping,
    no_such_file,
)

YAML_SUFFIXES = (".yaml", ".yml")

SUFFIX = ".yaml"
"""Suffix that a configuration file must have to be read from a folder."""

NAMES = f"[!.]*{SUFFIX}"
"""Pattern of the files that are read from a folder. A name with a dot in front is no user's: Emacs
keeps a link `.#link.yaml` to nowhere beside an unsaved file."""

MAX_BYTES = 1_000_000
MAX_DEPTH = 40
MAX_ENTRIES = 60_000
"""Most keys and values in a file. The largest file of the project has half of them. With this
limit a file is read, or refused, within seconds. Chosen by hand."""

Key: TypeAlias = tuple[str | int, ...]

_INTEGER = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_LONGEST_EXAMPLE = 60
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f"))
_MOST_CONTROLS = 0.02
"""Largest share of control characters in text; chosen by hand."""

_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_WORDS = {"null": None, "Null": None, "NULL": None, "~": None, "": None}
_WORDS |= {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}


@dataclass
class Document:
    """The data of one YAML file, with the line of each key."""

    file: str
    data: Any
    lines: dict[Key, int] = field(default_factory=dict)
    problems: dict[Key, Problem] = field(default_factory=dict)
    """Problems found while reading, by key, such as infinite numbers and duplicate keys. The data
    do not contain these values."""
    given: dict[Key, str] = field(default_factory=dict)
    """Command-line arguments that override the file, by the key that they set."""

    def problem(self, key: Key, message: str) -> Problem:
        """Return a problem of a key, located in the file or in the argument that set the key."""
        for length in range(len(key), 0, -1):
            if argument := self.given.get(key[:length]):
                rest = "" if length == len(key) else dotted(key)
                return Problem(argument, 0, rest, message)
        return Problem(self.file, self.line(key), self.named(key), message)

    def named(self, key: Key) -> str:
        """Return a key as `dotted` does, with the `id` of each list entry that has an `id`."""
        part, text = self.data, ""
        for step in key:
            text = _joined(text, step)
            try:
                part = part[step]
            except (LookupError, TypeError):
                part = None  # the file does not contain this entry
            if isinstance(step, int) and isinstance(part, dict) and isinstance(part.get("id"), str):
                text += f" ({part['id']})"
        return text

    def line(self, key: Key) -> int:
        """Return the line number of `key`, or of the nearest enclosing key that the file has."""
        while key and key not in self.lines:
            key = key[:-1]
        return self.lines.get(key, 1)


def misnamed(folder: Path) -> Iterator[Problem]:
    """Yield a problem for each file of a folder with a suffix such as .yml instead of .yaml."""
    for path in sorted(folder.glob("[!.]*")):
        if path.suffix != SUFFIX and path.suffix.lower() in YAML_SUFFIXES:
            yield Problem(str(path), 0, "", f"is not read: its name must end in {SUFFIX}")


def read(path: Path | str) -> Document:
    """Read one YAML file.

    Raises:
        ConfigurationError: the file is missing, unreadable, too large, or not strict YAML.

    """
    hint = other_kind(path)
    try:
        with Path(path).open("rb") as stream:
            # The terminal is a device, too, but its text ends.
            if stat.S_ISCHR(os.fstat(stream.fileno()).st_mode) and not stream.isatty():
                raise refused(path, "", "is a device, not a YAML file: name a file")
            document = read_stream(stream, str(path))
    except ConfigurationError as error:
        problems = [replace(p, message=p.message + hint) for p in error.problems]
        raise ConfigurationError(problems) from None
    except FileNotFoundError:
        raise refused(path, "", no_such_file(path)) from None
    except IsADirectoryError:
        raise refused(path, "", "is a folder, not a YAML file: name a file in it") from None
    except OSError as error:
        raise refused(path, "", cannot_be_read(path, error)) from None
    if hint and not isinstance(document.data, dict):
        raise refused(path, "", f"{no_mapping(document.data)}{hint}")
    return document


def other_kind(path: Path | str) -> str:
    """Return advice for a file that is not YAML by its name; empty for other files."""
    path = Path(path)
    if path.suffix.lower() in (*YAML_SUFFIXES, ""):
        return ""
    return f"; if it is a table or log of a recorded link, read it by: tcpgoodput trace {path}"


def read_stream(stream: BinaryIO, name: str) -> Document:
    """Read YAML from an open stream, which messages call `name`; see `read`."""
    content = stream.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise refused(
            name, "", f"is larger than {MAX_BYTES} bytes; a YAML file of text is smaller: name it"
        )
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        text = None
    if text is None or "\0" in text:
        raise refused(name, "", _not_utf_8(content))
    return parse(text, name)


def _not_utf_8(content: bytes) -> str:
    """Return the message about content that is not UTF-8: its probable kind, and what to do."""
    marked = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    # Latin letters have a zero byte each in UTF-16, and none in other encodings of text.
    if marked or len(content) / 3 < content.count(0) < len(content) * 2 / 3:
        return "is not UTF-8 text, but probably UTF-16: save it as UTF-8 (iconv -f UTF-16 -t UTF-8)"
    controls = len(content) - len(content.translate(None, _CONTROLS))
    if 0 in content or controls > len(content) * _MOST_CONTROLS:
        return BINARY_YAML
    return "is not UTF-8 text; save it as UTF-8 in the editor"


def parse(text: str, file: str) -> Document:
    """Parse YAML text, which messages call `file`; see `read`.

    Duplicate keys and infinite numbers raise no error here; `validated` reports them.
    """
    reader = _Reader(text, file)
    try:
        return reader.document_of_file()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 0
        if line > len(text.splitlines()):
            # The end of the text counts as the start of a line that does not exist.
            line = len(text.rstrip().splitlines())
        hint = _hint(text, mark, error.problem or "") if mark else ""
        message = f"not YAML: {error.problem or error.context}{hint}"
        raise refused(file, "", message, line) from None
    except yaml.YAMLError as error:
        raise refused(file, "", f"not YAML: {error}".splitlines()[0]) from None


def _hint(text: str, mark: yaml.Mark, problem: str) -> str:
    """Return advice on how to correct a syntax error; empty if there is none."""
    if text[mark.index :][:1] == "\t":
        return "; indent by spaces, not by a tab"
    lines = text.splitlines()
    line = lines[mark.line] if mark.line < len(lines) else ""
    if "mapping values" in problem:
        key, _, value = (part.strip() for part in line.lstrip("- \t").partition(":"))
        if re.fullmatch(r"[\w.]+", key) and re.match(r"[^\"'{\[#].*:(\s|$)", value):
            value = value.replace('"', '\\"')
            if len(value) > _LONGEST_EXAMPLE:
                value = value[:_LONGEST_EXAMPLE] + "…"
            return f'; quote a text that has ": " in it, as in {key}: "{value}"'
        return "; indent all keys of one part by the same number of spaces"
    if _indent(line) not in {_indent(other) for other in lines[: mark.line]}:
        return "; indent all keys of one part by the same number of spaces"
    return "; check the quotes, brackets and colons of this line and the one before"


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


class _Reader:
    """Reader of one YAML text, event by event of the parser."""

    def __init__(self, text: str, file: str) -> None:
        self.document = Document(file, None)
        self.events = yaml.parse(text, Loader=yaml.CSafeLoader)
        self.count = 0
        self.refused: list[Problem] = []

    def document_of_file(self) -> Document:
        """Return the only document of the text."""
        file = self.document.file
        begins = next((e for e in self.events if isinstance(e, yaml.DocumentStartEvent)), None)
        if begins is None:
            raise refused(file, "", EMPTY_YAML)
        self.document.data = self.value(self.next(), ())
        for event in [e for e in self.events if isinstance(e, yaml.DocumentStartEvent)][:1]:
            self.refuse(event, "a second YAML document begins; keep one: remove the line ---")
        if self.refused:
            raise ConfigurationError(self.refused)
        return self.document

    def refuse(self, event: yaml.Event, message: str) -> None:
        self.refused.append(Problem(self.document.file, _line(event), "", message))

    def next(self) -> yaml.Event:
        """Return the next event of the data; record tags, anchors and aliases as problems."""
        event = next(self.events)
        self.count += 1
        if self.count > MAX_ENTRIES:
            message = f"has more than {MAX_ENTRIES} keys and values; divide it into several files"
            raise refused(self.document.file, "", message, _line(event))
        if getattr(event, "anchor", None):
            self.refuse(event, "anchors and aliases are not allowed; repeat the value")
        if getattr(event, "tag", None):
            self.refuse(event, f"YAML tags are not allowed ({event.tag}); write the value alone")
        return event

    def value(self, event: yaml.Event, key: Key) -> Any:
        """Return the value that begins with an event, and has a key; record lines and problems."""
        lines = self.document.lines
        lines.setdefault(key, _line(event))
        if isinstance(event, yaml.ScalarEvent):
            return _scalar(event, lambda message: self.problem(message, event, key))
        if isinstance(event, yaml.AliasEvent):
            return None
        if len(key) >= MAX_DEPTH:
            message = f"nested deeper than {MAX_DEPTH} levels; check the brackets"
            raise refused(self.document.file, "", message, _line(event))
        if isinstance(event, yaml.SequenceStartEvent):
            items: list[Any] = []
            while not isinstance(item := self.next(), yaml.SequenceEndEvent):
                items.append(self.value(item, (*key, len(items))))
            return items
        data: dict[str, Any] = {}
        while not isinstance(named := self.next(), yaml.MappingEndEvent):
            if not isinstance(named, yaml.ScalarEvent):
                self.problem("a key must be text, such as id, without brackets", named, key)
                self.skip((*key, ""), named)
                self.skip((*key, ""))
            elif named.value in data:
                place = (*key, named.value)
                message = f"duplicate key, the first one is in line {lines[place]}; remove one"
                self.problem(message, named, place)
                self.skip((*key, ""))
            else:
                place = (*key, named.value)
                lines[place] = _line(named)
                data[named.value] = self.value(self.next(), place)
        return data

    def problem(self, message: str, event: yaml.Event, key: Key) -> None:
        file = self.document.file
        self.document.problems[key] = Problem(file, _line(event), dotted(key), message)

    def skip(self, key: Key, event: yaml.Event | None = None) -> None:
        """Read a value, by default the next one, without a record of its lines and problems."""
        kept, self.document = self.document, Document(self.document.file, None)
        self.value(event or self.next(), key)
        self.document = kept


def _line(event: yaml.Event) -> int:
    return int(event.start_mark.line) + 1


def _scalar(event: yaml.ScalarEvent, problem: Callable[[str], None]) -> Any:
    # A quoted, literal or folded value is always text.
    return event.value if event.style else _unquoted(event.value, problem)


def _unquoted(text: str, problem: Callable[[str], None]) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        if len(text) > 300:
            problem("a number of more than 300 digits; write it such as 1e9")
            return None
        return int(text)
    if _FLOAT.fullmatch(text):
        value = float(text)
        if value in (float("inf"), float("-inf")):
            problem(f"{text} is too large for a number; at most 1e308 is allowed")
            return None
        return value
    if _NOT_FINITE.fullmatch(text) or text.lower() in {"nan", "inf", "-inf", "infinity"}:
        problem(f"{text} is not a number that can be used; a finite number is needed")
        return None
    return text


def is_text(text: str) -> bool:
    """Return whether the reader takes a text for text, and not for a number, if it is unquoted."""
    return bool(_unquoted(text, lambda _: None) == text)


class _Writer(yaml.SafeDumper):
    """Writer that quotes what `read` would take for something else: PyYAML writes YAML 1.1."""

    def ignore_aliases(self, data: Any) -> bool:
        return True  # `read` refuses aliases, so repeat the value

    def text(self, data: str) -> yaml.Node:
        return self.represent_scalar("tag:yaml.org,2002:str", data, None if is_text(data) else "'")


_Writer.add_representer(str, _Writer.text)


def as_yaml(content: Any, width: int = 80) -> str:
    """Return plain data as YAML that `read` reads as the same data, in lines of about a width."""
    return yaml.dump(content, Dumper=_Writer, sort_keys=False, allow_unicode=True, width=width)


def dotted(key: Key) -> str:
    """Return a key as text, such as `tcp.rto.min_s` or `panels.left.series[2].label`."""
    text = ""
    for part in key:
        text = _joined(text, part)
    return text


def _joined(text: str, part: str | int) -> str:
    return f"{text}[{part}]" if isinstance(part, int) else f"{text}.{part}" if text else part
