"""Every measure of every protocol in a crowd: how long it takes, and how wide its answer is.

An answer is good if it is a float, or an interval narrower than 5 % of its distance from what nobody learns, and takes
no more than five seconds of a core. ``python benchmarks/test_crowd_table.py dp_epsilon olh worst`` prints the table, or
the part of it whose names hold all the words given, "k=100" and "n=1000" among them.
"""

import itertools
import multiprocessing
import sys
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest

import discretion as dc
from discretion.adversaries.knowledge import Knowledge
from discretion.channels.channel import System
from discretion.errors import DiscretionError
from discretion.shuffling.known_others import even_counts

WIDTH = 0.05
# A cell of the printed table is given up after so many seconds.
PATIENCE = 20.0

PROTOCOLS: dict[str, Callable[[int], System]] = {
    "krr": lambda k: dc.RandomizedResponse(k, epsilon=1),
    "oue": lambda k: dc.UnaryEncoding.oue(k, epsilon=1),
    "rappor": lambda k: dc.UnaryEncoding.rappor(k, epsilon=1),
    "blh": lambda k: dc.LocalHashing(k, epsilon=1, g=2),
    "olh": lambda k: dc.LocalHashing(k, epsilon=1),
    "subset": lambda k: dc.SubsetSelection(k, epsilon=1),
    "hadamard": lambda k: dc.HadamardResponse(k, epsilon=1),
}
ADVERSARIES: dict[str, Callable[[int, int], Knowledge]] = {
    "outsider": lambda n, k: dc.Uninformed(),
    "known": lambda n, k: dc.AllButOne(even_counts(n - 1, k)),
    "worst": lambda n, k: dc.WorstAllButOne(),
}


class Measured(NamedTuple):
    """A measure of a crowd, and what it comes to where the reports tell nothing of the target."""

    of: Callable[[System], float | dc.Estimate]
    limit: Callable[[int], float]


MEASURES: dict[str, Measured] = {
    "dp_epsilon": Measured(lambda crowd: dc.dp_epsilon(crowd, 1e-6), lambda k: 0.0),
    "bayes_security": Measured(dc.bayes_security, lambda k: 1.0),
    "posterior_vulnerability": Measured(dc.posterior_vulnerability, lambda k: 1 / k),
    "mutual_information": Measured(dc.mutual_information, lambda k: 0.0),
}
USERS = (10**3, 10**5, 10**6, 10**9)
VALUES = (2, 10, 100, 1000)


class Cell(NamedTuple):
    """A place in the table."""

    measure: str
    protocol: str
    adversary: str
    n: int
    k: int

    def answer(self) -> float | dc.Estimate:
        """Return the measure."""
        crowd = dc.Shuffled(PROTOCOLS[self.protocol](self.k), self.n)
        return MEASURES[self.measure].of(crowd.seen_by(ADVERSARIES[self.adversary](self.n, self.k)))

    def width(self, answer: float | dc.Estimate) -> float:
        """Return how wide the answer is, in proportion to its distance from what nobody learns."""
        if not isinstance(answer, dc.Estimate):
            return 0.0
        limit = MEASURES[self.measure].limit(self.k)
        return (answer.high - answer.low) / max(abs(answer.low - limit), abs(answer.high - limit), 1e-300)

    def __str__(self) -> str:
        return f"{self.measure} {self.protocol} {self.adversary} n={self.n} k={self.k}"


def cells() -> Iterator[Cell]:
    """Yield the places of the whole table."""
    return itertools.starmap(Cell, itertools.product(MEASURES, PROTOCOLS, ADVERSARIES, USERS, VALUES))


@pytest.mark.parametrize("cell", cells(), ids=str)
def test_cell(benchmark, cell) -> None:
    answer = benchmark.pedantic(cell.answer, rounds=1)
    benchmark.extra_info["width"] = cell.width(answer)
    assert cell.width(answer) < WIDTH


def _send(cell: Cell, sender) -> None:
    start = time.process_time()
    try:
        answer = cell.answer()
        shown = f"{cell.width(answer):9.2%} {answer!s:.60}"
    except DiscretionError as error:
        shown = f"{'refused':>9} {error!s:.90}"
    sender.send(f"{time.process_time() - start:6.2f} s {shown}")


def main(words: list[str]) -> None:
    """Print the part of the table whose names hold all the words."""
    fork = multiprocessing.get_context("fork")
    for cell in cells():
        if not all(word in str(cell).split() for word in words):
            continue
        receiver, sender = fork.Pipe(duplex=False)
        process = fork.Process(target=_send, args=(cell, sender))
        process.start()
        sender.close()
        try:
            shown = receiver.recv() if receiver.poll(PATIENCE) else f"{PATIENCE:6.2f} s   no answer"
        except EOFError:
            shown = "failed"
        process.kill()
        process.join()
        print(f"{cell!s:50} {shown}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
