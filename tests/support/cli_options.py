"""The options of a command, as the command line reads them."""

from discretion.cli.run import command_line


def option_names(*command: str) -> set[str]:
    """Return the names of a command's options."""
    app = whole = command_line()
    for name in command:
        app = app[name]
    arguments = app.assemble_argument_collection(default_parameter=whole.default_parameter)
    return {name for argument in arguments for name in argument.names if name.startswith("--")}
