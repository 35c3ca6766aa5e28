"""Tests of parts of the command-line program `tcpgoodput`, such as its lists."""
