"""The public verbs, a module for each; `tcpgoodput` hands them on."""
