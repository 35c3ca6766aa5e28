"""Load and compile models and simulator in the process from which workers are forked.

Importing this module does all of this. Worker processes, which answer the explorer's requests, then
start within milliseconds.
"""

from __future__ import annotations

import signal

PLAIN = {
    "id": "warm-up",
    "title": "Ten megabits, a drop-tail buffer",
    "tcp": {"variant": "sack", "mss_bytes": 1460},
    "path": {
        "rate_bps": 1e7,
        "forward_delay_s": 0.05,
        "backward_delay_s": 0.05,
        "buffer_packets": 40,
    },
    "loss": {"process": "bernoulli", "probability": 0.01},
}


def _preload() -> None:
    from tcpgoodput.cli.explorer.answering import CONDITIONS, FIRST_LOOK, window_of
    from tcpgoodput.comparison.answers import prediction_records
    from tcpgoodput.engines.packet import Packet
    from tcpgoodput.models import MODELS
    from tcpgoodput.scenario import Scenario

    plain = Scenario.model_validate(PLAIN)
    for model in MODELS.values():
        model.compile()
    Packet().compile()
    prediction_records(plain, CONDITIONS)
    window_of(plain, CONDITIONS.seed, Packet().measure(plain, FIRST_LOOK).record(plain))


# A terminal sends Ctrl-C to the server and all its processes. By default it ends this one silently;
# Python would print the traceback of a KeyboardInterrupt while it loads and compiles.
signal.signal(signal.SIGINT, signal.SIG_DFL)
_preload()
