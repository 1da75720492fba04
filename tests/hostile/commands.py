"""Commands that write files, as real processes, and what must hold of them however they end."""

from dataclasses import dataclass
from pathlib import Path
from random import Random

OLD = "what was there before"
# How a file of each kind ends when it is whole.
_ENDS = {
    ".html": b"</html>",
    ".svg": b"</svg>",
    ".pdf": b"%%EOF",
    ".png": b"IEND\xaeB`\x82",
    ".csv": b"\n",
    ".md": b"\n",
}


@dataclass(frozen=True)
class Command:
    """Its arguments, and the files that it writes, of which some may be there before."""

    arguments: tuple[str, ...]
    outputs: tuple[Path, ...]

    def check(self, before: frozenset[Path], code: int, said: str, folder: Path) -> None:
        """Fail where a file is not whole, nor absent or the old one; and on names that nobody gave, or many words."""
        made = {output for output in self.outputs if output.exists()}
        for output in made:
            content = output.read_bytes()
            new = content.rstrip().endswith(_ENDS[output.suffix].strip()) and len(content) > len(OLD) + 10
            assert new or (output in before and content == OLD.encode()), (self, code, output, content[-99:])
            assert new or code != 0, (self, said, "said to be written", output)
        assert before <= made, (self, code, "removed", before - made)
        assert code != 0 or len(made) == len(self.outputs), (self, "said to be written", set(self.outputs) - made)
        others = {file for file in folder.rglob("*") if file.is_file()} - made
        assert others == {folder / "people.csv", folder / "samples.csv"}, (self, code, others)
        assert said == "" or (said.startswith("discretion: ") and said.count("\n") == 1), (self, code, said)


def drawn(draw: Random, folder: Path) -> tuple[Command, frozenset[Path]]:
    """Return a command that writes into the folder, after some of its outputs were put there."""
    people, samples = folder / "people.csv", folder / "samples.csv"
    towns = [draw.choice("abcdefgh") for _ in range(draw.randint(20, 200))]
    people.write_text("age,town\n" + "".join(f"{draw.randint(0, 9)},{town}\n" for town in towns))
    samples.write_text("secret,seen\n" + "".join(f"{draw.choice('xy')},{draw.choice('uvw')}\n" for _ in range(100)))
    out = folder / "out"
    commands = (
        Command(("audit", f"{people}", "--html", f"{out}.html"), (Path(f"{out}.html"),)),
        Command(("audit", f"{people}", "--markdown", f"{out}.md"), (Path(f"{out}.md"),)),
        Command(("exposure", f"{people}", "--k", "5", "--chart", f"{out}.svg"), (Path(f"{out}.svg"),)),
        Command(("estimate", f"{samples}", "--seed", "1", "--chart", f"{out}.svg"), (Path(f"{out}.svg"),)),
        Command(
            ("reproduce", "shuffle", "table-1c", "--out", f"{out}"),
            tuple(out / f"table-1c.{kind}" for kind in ("csv", "svg", "pdf", "png")),
        ),
    )
    command = draw.choices(commands, (1, 1, 4, 2, 2))[0]  # a page takes the longest
    before = frozenset(command.outputs if draw.random() < 0.5 else ())
    for output in before:
        output.parent.mkdir(exist_ok=True)
        output.write_text(OLD)
    return command, before
