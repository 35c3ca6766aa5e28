"""The engine `ns2`: Debian's ns-2.35, run without trace files, its counts read from what it prints.

Habits of ns-2 that the packet simulator does not have:

- the ACK that ends a recovery also opens the window (Reno, NewReno);
- after a timeout in recovery ssthresh is half of a window that duplicate ACKs had inflated;
- NewReno without deflation (`partial_window_deflation: false`) can forget that a recovery is over:
  more duplicate ACKs, as of packets that were late, then inflate the window once more;
- SACK's sender recovers more slowly from several losses in a window, and times out more often;
- the deviation of the round-trip time is a whole number of quarter ticks and sticks at two of them:
  with a coarse tick the timeout is a tick longer. Four timeouts in a row make it forget the rest.

How a scenario is put to it:

- a server takes the capacity at the moment when it starts on a packet: it is told the mean
  capacity over that packet's transmission, in steps (`service_rates`);
- where there are delay spikes, a finite buffer has room for one packet less while none is served;
- the slots of a loss process in time begin half a slot earlier than the simulator's, so that no
  packet of a busy link lies on the edge of two: the chain, which is stationary, does not notice;
- hand-offs hit exactly the packets that they hit in the simulator, where they do it there;
- where a packet leaves the queue as another arrives, it leaves first.
"""

from tcpgoodput.engines.ns2.engine import Ns2

__all__ = ["Ns2"]
