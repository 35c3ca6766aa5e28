"""The public functions of the package, one module for each; `tcpgoodput` exports them."""
