"""The explorer's form "My link" reads numbers as the options --rate, --rtt and --loss do."""

from __future__ import annotations

import pytest

from tcpgoodput.cli.explorer import my_link
from tcpgoodput.cli.explorer.answering import described
from tcpgoodput.cli.explorer.my_link import ENDLESS, SENDERS, changes_of, texts_of
from tcpgoodput.cli.stated_link import StatedLink
from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.content import content_of
from tcpgoodput.scenario.files import scenario_request

AT_FIRST = {"rate": "20", "rtt": "60", "loss": "1", "buffer": "", "sender": "cubic"}


def changed(texts: dict[str, str], *others: str) -> Scenario:
    changes = [f"{key}={text}" for key, text in changes_of(texts).items()]
    return scenario_request(my_link.document(), [*others, *changes]).scenario


@pytest.mark.parametrize(
    ("texts", "options"),
    [
        ({"rate": "35", "rtt": "45", "loss": "0.3"}, ("35M", "45ms", "0.3%")),
        ({"rate": "500k", "rtt": "0.2 s", "loss": "0"}, ("5e5", "0.2", None)),
        ({"rate": " 2e3 ", "rtt": "7 ms", "loss": "0.01 %"}, ("2 Gbit/s", "0.007", "1e-4")),
    ],
)
def test_the_form_describes_the_link_of_the_options(
    texts: dict[str, str], options: tuple[str | None, ...]
) -> None:
    stated = scenario_request(StatedLink(*options).document(), []).scenario
    assert content_of(changed(texts)) == content_of(stated)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"rate": "0.5", "rtt": "333.3", "loss": "0"},
        {"buffer": "7"},
        {"buffer": ENDLESS},
        *({"sender": sender} for sender in SENDERS),
    ],
)
def test_the_form_shows_what_was_entered(changes: dict[str, str]) -> None:
    texts = AT_FIRST | changes
    assert texts_of(changed(texts)) == texts


def test_values_that_the_form_lacks_are_neither_shown_nor_changed() -> None:
    spread = "loss={process: gilbert-elliott, good_to_bad: 0.001, bad_to_good: 0.3}"
    others = [spread, "tcp.variant=tahoe", "tcp.stack=null"]
    before = scenario_request(my_link.document(), others).scenario
    texts = texts_of(before)
    assert (texts["loss"], texts["sender"]) == (None, None)
    after = changed({"rate": "30", "rtt": "60"}, *others)
    assert (after.loss, after.tcp, after.path.rate_bps) == (before.loss, before.tcp, 3e7)


@pytest.mark.parametrize(
    ("name", "text", "label"),
    [
        ("rate", "fast", "Rate"),
        ("rate", "-1", "Rate"),
        ("rate", "30 ms", "Rate"),
        ("rtt", "", "Round trip without load"),
        ("loss", "100", "Lost packets"),
        ("buffer", "0", "Buffer"),
        ("buffer", "some", "Buffer"),
    ],
)
def test_a_wrong_text_gives_a_message_in_words_of_the_page(
    name: str, text: str, label: str
) -> None:
    with pytest.raises(ConfigurationError) as refusal:
        changes_of(AT_FIRST | {name: text})
    assert str(refusal.value).startswith(f"{label}: is {text!r}; allowed: ")
    assert "--" not in str(refusal.value)


def test_a_decimal_comma_gets_a_hint() -> None:
    with pytest.raises(ConfigurationError, match=r"did you mean 0\.1\?$"):
        changes_of(AT_FIRST | {"loss": "0,1"})


def test_the_form_changes_the_keys_that_its_title_leaves_out() -> None:
    assert set(changes_of(AT_FIRST)) == set(my_link.KEYS)


def test_the_heading_names_only_changes_that_the_form_lacks() -> None:
    def heading(*changes: str) -> str:
        return described(scenario_request(my_link.document(), changes))["heading"]

    assert heading("loss.probability=0.1", "path.rate_bps=5e6") == my_link.TITLE
    changed_else = heading("path.rate_bps=5e6", "tcp.max_window_packets=9")
    assert changed_else.endswith(": tcp.max_window_packets = 9")
