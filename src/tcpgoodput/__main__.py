"""Entry point of `python -m tcpgoodput`, the command line."""

from tcpgoodput.cli import main

if __name__ == "__main__":
    main()
