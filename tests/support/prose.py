"""The prose of the pages and of all commands' help, without code; `python tests/support/prose.py FOLDER` writes it."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt

from discretion.cli.collect import SUBCOMMANDS
from discretion.cli.commands import COMMANDS
from discretion.cli.run import command_line

ROOT = Path(__file__).parent.parent.parent
PAGES = [
    *(ROOT / name for name in ("README.md", "SECURITY.md", "CONTRIBUTING.md")),
    *(path for path in sorted((ROOT / "docs").rglob("*.md")) if "generated" not in path.parts),  # what the site writes
]
EVERY_COMMAND = [[name] for name in COMMANDS if name != "collect"] + [["collect", name] for name in SUBCOMMANDS]
SUMMARIES = COMMANDS | {name: summary for name, (_, summary) in SUBCOMMANDS.items()}
CODE = "CODE"  # stands for code within a sentence


class Block(NamedTuple):
    """A heading, a paragraph, a cell of a table or the help of an option."""

    place: str
    line: int
    text: str
    is_heading: bool = False


def page_prose(text: str) -> Iterator[Block]:
    """Yield the blocks of a page, without code, by the number of the first line; bold first words are a heading."""
    before = 0
    if text.startswith("---\n"):  # how a notebook is run
        head, _, text = text[4:].partition("\n---\n")
        before = head.count("\n") + 3
    kind = ""
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        if token.type == "inline" and token.map is not None:
            line = before + token.map[0] + 1
            read = {"text": "{}", "code_inline": CODE, "softbreak": "\n", "hardbreak": "\n"}
            children = token.children or []
            bold = next((i for i, child in enumerate(children) if child.type == "strong_close"), 0)
            opens = [child.type for child in children if child.content or child.type != "text"][:1] == ["strong_open"]
            parts = [children[:bold], children[bold:]] if opens else [children]
            for part in parts:
                text = "".join(read.get(child.type, "").replace("{}", child.content) for child in part)
                text = re.sub(r"\b[\w-]+\.(?:csv|html|json|md|parquet|py|toml)\b", CODE, text)
                yield Block(str(line), line, text, kind == "heading_open" or (opens and part is parts[0]))
                line += text.count("\n")
        kind = token.type


def command_help(command: list[str]) -> dict[str, str]:
    """Return the summary of a command by its name, and the help of each argument and option by theirs."""
    app = whole = command_line()
    for name in command:
        app = app[name]
    arguments = app.assemble_argument_collection(default_parameter=whole.default_parameter, parse_docstring=True)
    shown = [argument for argument in arguments if argument.show]
    options = {argument.names[0]: " ".join((argument.parameter.help or "").split()) for argument in shown}
    return {" ".join(command): SUMMARIES[command[-1]], **options}


def help_prose(text: str) -> str:
    """Return the help of an option with code in place of values, names of options and measures, and quoted examples."""
    text = re.sub(r'"[^"]*"', CODE, text)
    text = re.sub(r"(?<![\w-])--?[a-z][\w-]*(?:[ =](?:[A-Z_]{2,}|\d[\d.]*)\b)?", CODE, text)
    text = re.sub(r"[\w.-]*[a-z][\w.-]*:[\w:;,.…-]*\w", CODE, text)
    return re.sub(r"\b[a-z]+(?:_[a-z]+)+\b|\bnearest-neighbours\b|\bue\b", CODE, text)


def prose() -> dict[str, list[Block]]:
    """Return the blocks of each page and of each command's help."""
    pages = {str(path.relative_to(ROOT)): [*page_prose(path.read_text(encoding="utf-8"))] for path in PAGES}
    for command in EVERY_COMMAND:
        texts = command_help(command).items()
        pages[f"help/{'-'.join(command)}.txt"] = [
            Block(name, line, help_prose(text)) for line, (name, text) in enumerate(texts, 1)
        ]
    return pages


def main(folder: Path) -> None:
    """Write the prose to a folder, a file for each page and each command, every line at its place."""
    for name, blocks in prose().items():
        lines = [""] * max((block.line + block.text.count("\n") for block in blocks), default=0)
        for block in blocks:
            for number, line in enumerate(block.text.split("\n"), block.line - 1):
                lines[number] += f"{line}  "
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line.rstrip()}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
