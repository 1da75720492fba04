"""Names, values, files, limits and moments drawn at random by nobody who means well, and what must hold all the same.

A case takes a source of randomness and an empty folder, does one hostile thing, and fails on a finding. A few cases of
each kind are among the long tests, many run with ``-m hostile``, and ``--cases`` says how many by hand.
"""

import importlib.util
import tempfile
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from hostile import (
    counts,
    csv_tables,
    disks,
    expanding,
    headers,
    layouts,
    limits,
    moments,
    names,
    paths,
    planted,
    processes,
    seeds,
)

Case = Callable[[Random, Path], None]

# How many cases of each kind the suite and .ci/run draw.
KINDS: dict[str, tuple[Case, int, int]] = {
    "counts of columns": (counts.case, 20, 400),
    "disks": (disks.case, 1, 20),
    "expanding": (expanding.case, 1, 8),
    "headers": (headers.case, 10, 150),
    "layouts": (layouts.case, 20, 400),
    "limits": (limits.case, 1, 10),
    "moments": (moments.case, 1, 20),
    "names": (names.case, 1, 20),
    "paths": (paths.case, 10, 200),
    "planted values": (planted.case, 2, 50),
    "processes": (processes.case, 1, 6),
    "the same seed": (seeds.case, 2, 40),
    "CSV tables": (csv_tables.case, 12, 300),
}
if importlib.util.find_spec("cryptography"):
    from hostile import bodies

    KINDS["bodies"] = (bodies.case, 4, 40)

# Arrow, closing what it had read, with a line of its own when that failed.
FOUND = (("disks", 26), ("disks", 28))


def findings(kind: str, cases: int) -> Iterator[str]:
    for number in range(cases):
        try:
            ask(kind, number)
        except Exception as finding:  # an error of ours is a finding too
            yield f"case {number}: {type(finding).__name__}: {finding}"


def ask(kind: str, number: int) -> None:
    with tempfile.TemporaryDirectory(prefix="hostile") as folder:
        KINDS[kind][0](Random(f"{kind} {number}"), Path(folder))


@pytest.mark.long
@pytest.mark.parametrize(("kind", "number"), FOUND)
def test_what_was_found_is_not_found_again(kind: str, number: int) -> None:
    ask(kind, number)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_some_cases_have_no_finding(kind: str) -> None:
    assert list(findings(kind, KINDS[kind][1])) == []


@pytest.mark.hostile
@pytest.mark.parametrize("kind", KINDS)
def test_many_cases_have_no_finding(kind: str, cases: int | None, capsys: pytest.CaptureFixture[str]) -> None:
    many = KINDS[kind][2] if cases is None else cases
    found = list(islice(findings(kind, many), 20))
    with capsys.disabled():
        print(f"\n{kind}: {many} cases, {len(found) or 'no'} findings")
    assert not found, "\n".join(found)
