"""The engine `ns2`: Debian's ns-2.35, run without trace files; its printed counts are parsed.

Behaviour of ns-2 that the packet simulator does not have:

- the ACK that ends a recovery also opens the window (Reno, NewReno);
- after a timeout in recovery, ssthresh is half of a window that duplicate ACKs had inflated;
- NewReno without deflation (`partial_window_deflation: ssthresh`) can miss the end of a recovery:
  further duplicate ACKs, for example of late packets, then inflate the window once more;
- SACK's sender recovers more slowly from several losses in a window, and times out more often;
- the deviation of the round-trip time is a whole number of quarter ticks and never falls below two
  of them, so with a coarse tick the timeout is a tick longer. After four timeouts in a row, the
  smoothed round-trip time is reset.

How a scenario is expressed in ns-2:

- ns-2's server reads the capacity only when it starts to transmit a packet. So the script sets, for
  each time, the mean capacity over the transmission of a packet that starts at this time
  (`service_rates`);
- with `capacity_as: cross-traffic` the server's rate is constant instead. A flow of 400-bit packets
  with priority takes what the capacity leaves of it, as in the study variable_capacity, IV. Within
  a step of the capacity, the flow's rate is constant. Between steps, no part of a packet is lost,
  so that the flow sends the integral of its rate. The study does not give the length of a step;
  here, a sinusoid has steps of at least 2 ms (or a sixteenth of the period, if shorter), and at
  most 4096 steps per period. A packet of the flow that arrives while the server sends another one
  waits until that one is sent;
- with delay spikes, a finite buffer has room for one packet less during a spike;
- the slots of a loss process in time begin half a slot earlier than the simulator's, so that no
  packet of a busy link lies on the edge of two slots. The chain is stationary, so this does not
  change the losses' distribution;
- if hand-offs occur at the same times as in the simulator, they affect exactly the same packets;
- if a packet leaves the queue at the time at which another packet arrives, it leaves first.
"""

from tcpgoodput.engines.ns2.engine import Ns2
from tcpgoodput.engines.ns2.script import CapacityAs

__all__ = ["CapacityAs", "Ns2"]
