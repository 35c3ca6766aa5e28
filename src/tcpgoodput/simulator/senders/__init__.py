"""TCP senders as compiled state machines, one module per variant; see `sender` and `state`."""
