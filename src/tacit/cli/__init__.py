"""The command line: a word per command, each in a file of its own that loads when it is called."""

import sys
from collections.abc import Sequence
from contextlib import suppress

COMMANDS = {
    "audit": "Audit a table of people: what it gives away, and what to do about it.",
    "measure": "Measure a mechanism: what an adversary can guess of one person's value.",
    "compare": "Compare mechanisms side by side, and find how many users or how much noise a target takes.",
    "exposure": "Count who stands out in a table by a set of columns.",
    "estimate": "Estimate from samples of a black box how well it hides its secrets.",
    "reproduce": "Compute a paper's tables and figures anew, beside what it prints.",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0 fine, 1 only when --fail-over is exceeded, 2 bad input."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given in ([], ["--help"], ["-h"]) and sys.stdout is not None:
        with suppress(BrokenPipeError):
            print(_overview(), end="", flush=True)
        return 0
    from tacit.cli.run import run  # noqa: PLC0415 - the overview answers without loading anything

    return run(given)


def _overview() -> str:
    commands = "".join(f"  {name:<10}{summary}\n" for name, summary in COMMANDS.items())
    return (
        "Usage: tacit COMMAND\n\nMeasures what data tells without saying it.\n\n"
        f"Commands:\n{commands}\n"
        "  --version Print the version.\n\n"
        "Start with: tacit audit example:adult --sensitive income --html report.html\n"
        "More on a command: tacit COMMAND --help\n"
    )
