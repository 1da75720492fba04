"""The commands, each a function in the file of its name, and what their help says of them."""

COMMANDS = {
    "audit": "Audit a table of people: what it gives away, and what to do about it.",
    "release": "Write the most useful version of a table that keeps to a goal, and audit what was written.",
    "diff": "Compare a table with one that is out: what got better or worse, and what both tell together.",
    "synthetic": "Attack people by a synthetic table: does it tell more of those it was made from?",
    "check": "Check that files of people give away no more than a policy allows.",
    "measure": "Measure a mechanism: what an adversary can guess of one person's value.",
    "compare": "Compare mechanisms side by side, and find how many users or how much noise a target takes.",
    "exposure": "Count who stands out in a table by a set of columns.",
    "estimate": "Estimate from samples of a black box how well it hides its secrets.",
    "collect": "Collect answers so that nobody learns more than its part; simulate does so with a table's rows.",
    "reproduce": "Compute a paper's tables and figures anew, beside what it prints.",
}
