"""The strict YAML reader returns each key's line, and refuses tags, anchors and deep nesting."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tcpgoodput.configuration import ConfigurationError, parse, read
from tcpgoodput.configuration.strict_yaml import as_yaml


def refusal(text: str) -> str:
    try:
        document = parse(text, "file.yaml")
    except ConfigurationError as error:
        return str(error)
    return "\n".join(str(problem) for problem in document.problems.values())


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-3", 0.001),
        ("1e6", 1e6),
        (".5", 0.5),
        ("-2", -2),
        ("007", 7),
        ("null", None),
        ("~", None),
        ("true", True),
        ("on", "on"),
        ("yes", "yes"),
        ("2001-01-01", "2001-01-01"),
        ("0x1F", "0x1F"),
        ("1_000", "1_000"),
        ("'1e-3'", "1e-3"),
        ('"null"', "null"),
    ],
)
def test_scalars_are_those_of_yaml_1_2(text: str, value: object) -> None:
    parsed = parse(f"key: {text}", "file.yaml").data["key"]
    assert parsed == value
    assert type(parsed) is type(value)


@pytest.mark.parametrize("text", [".nan", ".inf", "-.INF", "nan", "inf", "1e999"])
def test_numbers_that_are_not_finite_are_refused(text: str) -> None:
    assert "file.yaml:1: key:" in refusal(f"key: {text}")


@pytest.mark.parametrize(
    "text",
    [
        "!!python/object/apply:os.system ['touch x']",
        "!!str 5",
        "!custom {a: 1}",
        "!!binary aGVsbG8=",
        "!<tag:yaml.org,2002:python/name:os.system> x",
    ],
)
def test_tags_are_refused(text: str) -> None:
    assert "tags are not allowed" in refusal(f"key: {text}")


def test_duplicate_keys_are_refused_with_their_line() -> None:
    message = "duplicate key, the first one is in line 1; remove one"
    assert refusal("a: 1\nb: 2\na: 3") == f"file.yaml:3: a: {message}"


def test_merge_keys_are_ordinary_keys() -> None:
    assert parse("<<: {a: 1}", "file.yaml").data == {"<<": {"a": 1}}


def test_anchors_and_aliases_are_refused() -> None:
    lines = ["a0: &a0 [x]"]
    lines += [f"a{i}: &a{i} [" + ", ".join([f"*a{i - 1}"] * 9) + "]" for i in range(1, 12)]
    assert "anchors and aliases are not allowed" in refusal("\n".join(lines))


def test_deep_nesting_is_refused() -> None:
    assert "nested deeper" in refusal("[" * 5000 + "]" * 5000)


@pytest.mark.parametrize(
    "text", ["", "# only a comment", "a: [1", "a: b: c", "\t- x", "a: 1\n---\nb: 2"]
)
def test_input_that_is_not_one_document_is_refused_without_traceback(text: str) -> None:
    message = refusal(text)
    assert message.startswith("file.yaml")
    assert "Traceback" not in message


def test_line_returns_the_line_of_a_key() -> None:
    document = parse("a:\n  b:\n    - 1\n    - c: 2\n", "file.yaml")
    assert document.line(("a", "b", 1, "c")) == 4
    assert document.line(("a", "b", 1, "missing")) == 4


@pytest.mark.parametrize("name", ["missing.yaml", "."])
def test_an_unreadable_file_is_reported(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigurationError, match=r"no such file|is a folder"):
        read(tmp_path / name)


@pytest.mark.parametrize(
    "text", ["1e-4", "007", ".5", "+2", "null", "~", "", "TRUE", "on", "nan", "-inf", "9" * 301]
)
def test_text_is_written_such_that_it_is_read_as_text(text: str) -> None:
    data = {"id": text, "panels": [{text: text}, {text: 0.0001}]}
    assert parse(as_yaml(data), "file.yaml").data == data


@given(st.recursive(st.text() | st.integers() | st.booleans() | st.none(), st.lists, max_leaves=5))
def test_any_data_is_read_as_it_was_written(data: object) -> None:
    found = parse(as_yaml([data]), "file.yaml")
    assert (found.data, found.problems) == ([data], {})


def test_a_value_that_stands_twice_is_written_twice() -> None:
    both = [{"place": "after"}] * 2
    assert parse(as_yaml(both), "file.yaml").data == both


UTF_16, OTHER = "probably UTF-16: save it as UTF-8", "not UTF-8 text; save it as UTF-8"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        *(("id: über\ntitle: A link\n".encode(f"utf-16{e}"), UTF_16) for e in ("", "-le", "-be")),
        ("title: Über\n".encode("latin-1"), OTHER),
        (b"\xff\xfe\x00key", "not UTF-8"),
    ],
)
def test_text_that_is_not_utf_8_is_named_with_what_to_do(
    tmp_path: Path, content: bytes, message: str
) -> None:
    (tmp_path / "other.yaml").write_bytes(content)
    with pytest.raises(ConfigurationError, match=message):
        read(tmp_path / "other.yaml")


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null"])
def test_a_device_is_refused(device: str) -> None:
    with pytest.raises(ConfigurationError, match="is a device, not a YAML file"):
        read(device)


@given(st.text(max_size=200))
def test_any_text_is_parsed_or_refused_with_a_short_message(text: str) -> None:
    report = ""
    try:
        parse(text, "file.yaml")
    except ConfigurationError as error:
        report = str(error)
    assert len(report) <= 1200


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("title: A train: ICE\n", 'as in title: "A train: ICE"'),
        ("tcp:\n\tvariant: sack\n", "indent by spaces"),
        ("tcp:\n  variant: sack\n   mss_bytes: 1448\n", "same number of spaces"),
        ("tcp:\n    variant: sack\n  mss_bytes: 1448\n", "same number of spaces"),
    ],
)
def test_invalid_yaml_is_reported_with_advice(text: str, advice: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        parse(text, "a.yaml")
    assert advice in str(refused.value)
    if "as in " in advice:
        assert parse(advice.partition("as in ")[2], "a.yaml").data == {"title": "A train: ICE"}
    assert str(refused.value).startswith(f"a.yaml:{len(text.splitlines())}: not YAML")


@pytest.mark.parametrize("end", ["\n", "\n\n\n", ""])
@pytest.mark.parametrize("last", ["loss: {process: none", "title: 'unfinished", "a: [1, 2"])
def test_an_error_at_the_end_has_the_last_line_with_text(last: str, end: str) -> None:
    assert refusal(f"id: a\n{last}{end}").startswith("file.yaml:2: not YAML")
