"""The command line, by `python -m tcpgoodput`."""

from tcpgoodput.cli import main

if __name__ == "__main__":
    main()
