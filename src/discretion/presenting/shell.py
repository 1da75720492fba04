"""Commands to copy: quoted for a shell, and folded so that they run unchanged."""

import re
import shlex
from collections.abc import Sequence

from discretion.escaping import printable

# Characters that a shell interprets within double quotes, too.
_SPECIAL = re.compile(r'([\\"$`])')


# The preferred places to cut a long argument: not within a word or a number.
_CUT = re.compile(r" |,(?=\D)")


class Command:
    r"""A command, folded into lines that end in a backslash if it is wider than the terminal.

    Examples
    --------
    >>> print(*Command(["ls", "a b", "--long"]).lines(12), sep=chr(10))
      ls "a b" \
    --long
    """

    def __init__(self, arguments: Sequence[str]) -> None:
        self._arguments = [printable(argument) for argument in arguments]

    def __str__(self) -> str:
        return shlex.join(self._arguments)

    def lines(self, width: int) -> list[str]:
        """Return lines of this width, broken between arguments if possible, else within one."""
        lines, line = list[str](), "  "
        last = len(self._arguments) - 1
        for place, argument in enumerate(map(_quoted, self._arguments)):
            if line.strip() and len(line) + len(argument) + 3 > width:
                lines.append(f"{line} \\")
                line = ""
            line += f" {argument}" if line.strip() else argument
            # A blank and a backslash follow every argument except the last one.
            while len(line) > (width if place == last else width - 2):
                end = max((cut.end() for cut in _CUT.finditer(line, 0, width - 1)), default=min(width, len(line)) - 1)
                while line[end - 1] == "\\" or line[end - 1 : end + 1] in ("'!", "!'"):
                    end -= 1
                lines.append(f"{line[:end]}\\")
                line = line[end:]
        return [*lines, line]


def _quoted(argument: str) -> str:
    """Return an argument in double quotes if it needs any: within these a shell joins a folded line.

    Each exclamation mark is in single quotes, since an interactive shell reads one in double quotes as a command.
    """
    if shlex.quote(argument) == argument:
        return argument
    return '"' + _SPECIAL.sub(r"\\\1", argument).replace("!", "\"'!'\"") + '"'
