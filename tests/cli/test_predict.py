"""`tcpgoodput predict` explains the number of well-known calculators."""

from __future__ import annotations

from tests.cli.program import tcpgoodput

LINK = """
id: calculators
title: A link without a limit but loss
tcp: {variant: sack, mss_bytes: 1460}
path: {rate_bps: 1e9, forward_delay_s: 0.025, backward_delay_s: 0.025}
"""


def test_the_number_of_calculators() -> None:
    lossy = f"{LINK}loss: {{process: bernoulli, probability: 0.001}}\n"
    printed = " ".join(tcpgoodput("predict", "-", "--model", "mathis", text=lossy).stdout.split())
    # 8 · 1460 / (0.05 √0.001) = 7387.1 kbit/s; with C = √1.5 it is 9047.3 kbit/s.
    assert "mathis 9047 " in printed
    assert "= 7387.08 kbit/s here, or these 923.385 kbyte/s" in printed


def test_no_such_number_without_loss() -> None:
    done = tcpgoodput("predict", "-", "--model", "mathis", text=LINK)
    assert done.returncode == 0
    assert "Calculators" not in done.stdout
