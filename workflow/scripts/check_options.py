"""Print what is wrong with options of Snakemake; the exit status is then 2.

Snakemake itself answers a wrong option with a hundred lines of usage.
"""

import sys
from typing import NoReturn

from snakemake.cli import get_argument_parser
from snakemake.exceptions import CliException

from tcpgoodput.configuration.problems import nearest


def refuse(message: str) -> NoReturn:
    """Print a message, and end the program."""
    print(message)
    sys.exit(2)


def main() -> None:
    """Check the options on the command line."""
    parser = get_argument_parser()
    parser.error = refuse
    known = [option for action in parser._actions for option in action.option_strings]
    try:
        unknown = parser.parse_known_args(sys.argv[1:])[1]
    except CliException as error:
        refuse(str(error))
    for word in unknown:
        option = word.partition("=")[0]
        refuse(f"{option} is no option of snakemake{nearest(option, known)}")


if __name__ == "__main__":
    main()
