"""The public functions, one module for each; `tcpgoodput` exports them."""
