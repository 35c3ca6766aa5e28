"""The engine `ns2`: Debian's ns-2.35, run without trace files, its counts read from what it prints.

What differs from the packet simulator, in ns-2's habits and in how a scenario is put to it:

- the ACK that ends a recovery also opens the window (Reno, NewReno); in recovery at most two
  packets follow an ACK; SACK's sender sends one packet for each that is acknowledged in recovery;
- a server takes the capacity at the moment when it starts on a packet. It is told the mean capacity
  over that packet's transmission, in steps (`service_rates`);
- with delay spikes a finite buffer has one packet's room less while nothing is in service;
- the slots of a loss process in time begin half a slot later than the simulator's, which a chain
  that knows no time does not notice: a packet on the edge of two slots has no place of its own;
- a hand-off's lateness, its losses and the steps of the delay are exact.
"""

from tcpgoodput.engines.ns2.engine import Ns2

__all__ = ["Ns2"]
