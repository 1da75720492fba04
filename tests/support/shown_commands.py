"""The commands and files that a page of the documentation shows, in their order."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_CAPTION = re.compile(r":caption: (?P<name>[\w./-]+\.\w+)\n(?::.*\n)*\n?")
_OURS = re.compile(r"(?:uv run (?:--extra \w+ )*)?discretion ")
ELLIPSIS = "…"


@dataclass(frozen=True)
class ShownFile:
    """A file whose content stands in a block with its name as caption."""

    name: str
    content: str


@dataclass(frozen=True)
class ShownCommand:
    """A command of a block, with the output and the exit code that the page shows, if it does."""

    line: str
    output: list[str] | None = None
    code: int = 0

    @property
    def run(self) -> str:
        """The command as a shell has it where Discretion is installed."""
        return re.sub(r"^uv run (?:--extra \w+ )*", "", self.line)


@dataclass
class _Prompted:
    line: str
    output: list[str] = field(default_factory=list)


def shown(text: str) -> Iterator[ShownFile | ShownCommand]:
    """Yield what a page shows.

    A block of `console` has commands after `$ `, with their output below; `$ echo $?` shows the exit code of the
    command before it. A block without a language has commands if each of its lines is one of ours.
    """
    for block in _FENCE.finditer(text):
        info, body = block["info"], block["body"]
        if info.startswith("{code-block}") and (caption := _CAPTION.match(body)):
            yield ShownFile(caption["name"], body[caption.end() :])
        elif info == "console":
            yield from _prompted(body)
        elif not info:
            lines = body.replace("\\\n", "").splitlines()
            if lines and all(_OURS.match(line) for line in lines):
                yield from map(ShownCommand, lines)


def _prompted(body: str) -> Iterator[ShownCommand]:
    commands: list[_Prompted] = []
    for line in body.splitlines():
        if line.startswith("$ "):
            commands.append(_Prompted(line[2:]))
        elif commands[-1].line.endswith("\\"):
            commands[-1].line = commands[-1].line[:-1] + line.strip()
        else:
            commands[-1].output.append(line)
    for command, following in zip(commands, [*commands[1:], None], strict=True):
        if command.line != "echo $?":
            code = int(following.output[0]) if following and following.line == "echo $?" else 0
            yield ShownCommand(command.line, command.output or None, code)


def agrees(shown: list[str], printed: str) -> bool:
    """Return whether a page shows what a command prints; an ellipsis is any text, or any lines."""
    pattern = "\n".join(re.escape(line.rstrip()) for line in shown)
    whole = re.escape(ELLIPSIS)
    pattern = re.sub(rf"(?:^|\n){whole}(?=\n|$)", lambda _: r"(?:\n[^\n]*)*", "\n" + pattern).replace(whole, r"[^\n]*?")
    given = "\n".join(line.rstrip() for line in printed.rstrip().splitlines())
    return re.fullmatch(pattern, "\n" + given) is not None
