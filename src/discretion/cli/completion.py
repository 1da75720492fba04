"""``discretion --install-completion``: let a shell complete commands and options."""

from pathlib import Path
from typing import Literal

from discretion.cli.run import command_line
from discretion.cli.terminal import say
from discretion.errors import InvalidValueError


def install_completion(
    *, shell: Literal["bash", "zsh", "fish", "powershell"] | None = None, output: str | None = None
) -> int:
    """Complete commands and options in your shell.

    Parameters
    ----------
    shell
        The shell; by default the one that runs this command.
    output
        Write the script to this file, and do not change the shell's settings; by default the script goes to the shell's
        own folder, and bash, zsh and PowerShell get a line in their startup file.
    """
    from cyclopts.completion.detect import ShellDetectionError, detect_shell  # noqa: PLC0415 - rarely used

    try:
        chosen = shell or detect_shell()
    except ShellDetectionError:
        raise InvalidValueError("the shell is not recognized; name it: --shell bash, zsh, fish or powershell") from None
    place = None if output is None else Path(output)
    written = command_line().install_completion(shell=chosen, output=place, add_to_startup=place is None)
    start = "Start a new shell" if place is None else "Load it in the startup file of your shell"
    say(f"Completion for {chosen}: {written}. {start} to use it.")
    return 0
