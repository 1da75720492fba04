"""``discretion collect``: the two-round collection, a command for each of its parties."""

from cyclopts import App

SUBCOMMANDS = {
    "plan": ("planning", "Show how many people a collection needs, before you ask anyone."),
    "keys": ("preparing", "Make a party's keys, in a folder of its own."),
    "init": ("preparing", "Make a task from its description in TOML."),
    "shuffler": ("services", "Run a shuffler, which sees senders and never answers."),
    "curator": ("services", "Run the curator, which counts single answers and chooses the questions of the analyst."),
    "analyst": ("services", "Run the analyst, which gets the joint answers to the chosen questions."),
    "admitter": ("services", "Run the admitter, which knows who is eligible and sees no message."),
    "admit": ("inviting", "Make an invitation for each person who may take part."),
    "submit": ("submitting", "Take part: send one participant's answers, a round at a time."),
    "open": ("operating", "Begin the next round of a task without a curator."),
    "close": ("operating", "Close a round: accept no more answers."),
    "status": ("operating", "Show the progress of a task at a party."),
    "result": ("result", "Show the counts of a curator or an analyst."),
    "destroy": ("operating", "Destroy all data of a task at a party, and its keys."),
    "simulate": (
        "simulating",
        "Run a whole collection with a table's rows as its participants, and show the messages that each party saw.",
    ),
}

collect = App(
    name="collect", help="Collect answers so that no party learns more than its part.", help_format="plaintext"
)
for _name, (_file, _help) in SUBCOMMANDS.items():
    collect.command(f"discretion.cli.collect.{_file}:{_name if _name != 'open' else 'open_'}", name=_name, help=_help)
