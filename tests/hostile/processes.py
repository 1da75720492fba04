"""Threads that ask, forks at any moment among them, and pools: the right answers or the sentence, and nobody waits."""

from pathlib import Path
from random import Random

from hostile import asked_while_forking
from hostile.warm import Forked


def case(draw: Random, folder: Path) -> None:
    people, out = folder / "people.csv", folder / "wrong"
    rows = (f"{draw.randint(0, 9)},{draw.choice('abc')},{draw.choice('xyz')}\n" for _ in range(draw.randint(20, 3000)))
    people.write_text("age,town,job\n" + "".join(rows))
    asking = Forked(
        (str(people), str(draw.randrange(2**32))),
        folder / "said",
        program=Path(asked_while_forking.__file__),
        out=str(out),
        environment={"OMP_NUM_THREADS": "1"},
    )
    try:
        assert (asking.ended(), out.read_text().strip()) == ((0, ""), "[]"), (asking.ended(), out.read_text())
    finally:
        asking.done()
