"""The commands, and the overview that help without a command prints."""

# The commands, each a function in the file of its name, and their help.
COMMANDS = {
    "audit": "Audit a table of people: what it gives away, and what to do about it.",
    "release": "Write the most useful version of a table that keeps to a goal, and audit what was written.",
    "diff": "Compare a table with the version you have published: what got better or worse.",
    "synthetic": "Attack people with a synthetic table: does it give away more about those it was made from?",
    "check": "Check that files of people give away no more than a policy allows.",
    "measure": "Measure a mechanism: what an adversary can guess of one person's value.",
    "compare": "Compare mechanisms side by side, and find how many users or how much noise a target takes.",
    "design": "Design a question: which randomizer, which ε, how many people.",
    "tally": "Estimate from the reports of clients how many of them hold each value.",
    "exposure": "Count the people who stand out in a table by a set of columns.",
    "estimate": "Estimate from samples of a black box how well it hides its secrets.",
    "collect": "Collect answers so that nobody learns more than its part; simulate does so with a table's rows.",
    "serve": "Serve a page to work on, for you alone, in your browser.",
    "reproduce": "Compute a paper's tables and figures again, next to the printed numbers.",
}


def overview() -> str:
    """Return the commands, a line each, with where to begin."""
    commands = "".join(f"  {name:<10}{summary}\n" for name, summary in COMMANDS.items())
    return (
        "Usage: discretion COMMAND\n\nMeasures what your data gives away.\n\n"
        f"Commands:\n{commands}\n"
        "  --version Print the version.\n"
        "  --install-completion\n            Complete commands and options in bash, zsh, fish or PowerShell.\n\n"
        "Start with: discretion audit example:adult --sensitive income --html report.html\n"
        "More on a command: discretion COMMAND --help\n\n"
        "Exit codes: 0 fine; 1 failed: a --fail-over or a check, and nothing else; 2 bad input, or a limit\n"
        "reached; 3 not decided; 70 an internal error; 129, 130, 143 ended by SIGHUP, Ctrl-C or SIGTERM.\n"
    )
