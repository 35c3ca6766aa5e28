"""TCP senders as compiled state machines: one module per variant, one record for all."""
