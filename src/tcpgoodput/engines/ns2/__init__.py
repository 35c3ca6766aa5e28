"""The engine `ns2`: Debian's ns-2.35, run without trace files, its counts read from what it prints.

Habits of ns-2 that the packet simulator does not have:

- the ACK that ends a recovery also opens the window (Reno, NewReno);
- after a timeout in recovery ssthresh is half of a window that duplicate ACKs had inflated;
- NewReno without deflation (`recovery: slow-but-steady`) can forget that a recovery is over: more
  duplicate ACKs, as of packets that were late, then inflate the window once more;
- the round-trip time is counted in ticks of a clock that the packets do not know.

How a scenario is put to it:

- a server takes the capacity at the moment when it starts on a packet: it is told the mean
  capacity over that packet's transmission, in steps (`service_rates`);
- where there are delay spikes, a finite buffer has room for one packet less while none is served;
- the slots of a loss process in time begin half a slot earlier than the simulator's, so that no
  packet of a busy link lies on the edge of two: the chain, which is stationary, does not notice;
- hand-offs hit exactly the packets that they hit in the simulator, on the way that they take there.
"""

from tcpgoodput.engines.ns2.engine import Ns2

__all__ = ["Ns2"]
