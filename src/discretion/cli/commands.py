"""The commands, and the overview that help without a command prints."""

# The commands, each a function in the file of its name → the help.
COMMANDS = {
    "audit": "Audit a table of people: what it gives away, and what to do about it.",
    "release": "Write the most useful version of a table that keeps to a goal, and audit the written file.",
    "diff": "Compare a table with the version you have published: what got better or worse.",
    "synthetic": "Attack people with a synthetic table: does it give away more about those it was made from?",
    "check": "Check that files of people give away no more than a policy allows.",
    "measure": "Measure a mechanism: what an adversary can guess of one person's value.",
    "compare": "Compare mechanisms side by side, and find the number of users or the noise that a target needs.",
    "design": "Design a question: the randomizer, its ε and the number of people.",
    "tally": "Estimate the share of each value from the reports of clients.",
    "exposure": "Count the people who stand out in a table by a set of columns.",
    "estimate": "Estimate the leakage of a black box from samples.",
    "collect": "Collect answers so that no party learns more than its part; simulate does this with a table's rows.",
    "serve": "Serve a page to work on, for you alone, in your browser.",
    "reproduce": "Compute a paper's tables and figures again, next to the printed numbers.",
}


def overview() -> str:
    """Return the list of commands, one per line, with a first command to try."""
    commands = "".join(f"  {name:<10}{summary}\n" for name, summary in COMMANDS.items())
    return (
        f"Usage: discretion COMMAND\n\nMeasures what your data gives away.\n\nCommands:\n{commands}\n  --version "
        "Print the version.\n  --install-completion\n            Complete commands and options in bash, zsh, fish or "
        "PowerShell.\n\nStart with: discretion audit example:adult --sensitive income --html report.html\nMore on a "
        "command: discretion COMMAND --help\n\nExit codes: 0 success; 1 only if a --fail-over or a check failed; 2 "
        "bad input, or a limit was\nreached; 3 not decided; 70 an internal error; 129, 130, 143 ended by SIGHUP, "
        "Ctrl-C or SIGTERM.\n"
    )
