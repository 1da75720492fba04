"""A measure of one name is one number in every command that takes the name, and a slow count of the people agrees."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discretion.jobs.table_measures import is_on_request, table_measures
from discretion.tables.locations import EXAMPLE, path_of
from oracles.table_numbers import numbers_of
from support.cli_runner import run

K = 5
draw = Random(28)
DRAWN = {
    "age": [draw.choice([30, 40, 50]) for _ in range(60)],
    "town": [draw.choice(["Oslo", "Bergen", None]) for _ in range(60)],
    "ill": [draw.choice(["flu", "cold", None]) for _ in range(60)],
    "paid": [draw.choice([1.5, 2.5]) for _ in range(60)],
}

ADULT = pq.read_table(path_of(EXAMPLE), columns=["age", "sex", "race", "workclass", "income"])


@dataclass(frozen=True)
class Case:
    """A table, its sensitive columns, whose rows they are, and the commands that refuse it."""

    columns: Mapping[str, Sequence[Any]]
    sensitive: tuple[str, ...] = ()
    person: str | None = None
    refused: tuple[str, ...] = ()


TABLES = {
    "nothing is sensitive": Case(DRAWN),
    "one column is sensitive": Case(DRAWN, ("ill",)),
    "two columns are sensitive": Case(DRAWN, ("ill", "paid")),
    "several rows a person": Case(
        {"id": [f"p{i // 3}" for i in range(60)], **DRAWN}, ("ill",), "id", ("release",)
    ),
    "each row is a person whatever its key": Case(
        {"id": [f"p{i // 3}" for i in range(60)], **DRAWN}, ("ill",), "none"
    ),
    "a unique column is sensitive": Case({**DRAWN, "record": [f"r{i}" for i in range(60)]}, ("record",)),
    "a weight and a constant": Case(
        {**DRAWN, "weight": [1 + i % 7 for i in range(60)], "land": ["no"] * 60}, ("paid",)
    ),
    "nothing but nulls is sensitive": Case({**DRAWN, "nothing": [None] * 60}, ("nothing",)),
    "one row": Case({"age": [30], "ill": ["flu"]}, ("ill",)),
    "a single column": Case({"age": DRAWN["age"]}),
    "a single column, sensitive": Case({"ill": DRAWN["ill"]}, ("ill",), None, ("diff",)),
    "Adult": Case(ADULT.slice(0, 400).to_pydict(), ("income", "workclass")),
}  # fmt: skip
SHORT = ("two columns are sensitive", "one row", "a single column, sensitive")


def unbroken(name: str, command: str) -> str:
    """The end of a gate that no table breaks; delta and c may be infinite, and a policy takes no gate that is below."""
    infinite = "delta_disclosure" in name or "recursive_c" in name
    below = "k_anonymity" in name or "l_diversity" in name or (infinite and command != "check")
    return "<0" if below else ">1e9"


def measured(command: str, case: Case, names: Collection[str], path: str, out: str) -> tuple[int, dict[str, Any], str]:
    """The exit code, every one of these numbers by its name, and what was said on stderr."""
    sensitive = [f"--sensitive={','.join(case.sensitive)}"] if case.sensitive else []
    person = [f"--person={case.person}"] if case.person else []
    k, prefix = [f"--k={K}"], "new." if command == "diff" else ""
    arguments = {
        "audit": [path, *sensitive, *k, "--budget=1"],
        "exposure": [path, *sensitive, *k],
        "check": [path, "--policy=discretion.toml"],
        "diff": [path, path, *sensitive, *k],
        # The file as it stands, so that the numbers are of the same people.
        "release": [path, f"--out={out}", *sensitive, f"--keep={','.join(case.columns)}", "--k=1", "--max-suppressed=0",
            "--utility=entropy",
                    "--budget=1", "--guess-budget=1"],
    }[command]  # fmt: skip
    gates = [part for name in names for part in ("--fail-over", f"{prefix}{name}{unbroken(name, command)}")]
    code, said, err = run(command, *arguments, *person, *gates, "--json")
    gates = json.loads(said)["gates"] if said else []
    return code, {gate["measure"].removeprefix(prefix): float(gate["value"]) for gate in gates}, err


@pytest.mark.long
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] * (name not in SHORT)) for name in TABLES]
)
def test_every_name_is_one_number_in_every_command(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    case = TABLES[name]
    table = pa.table(dict(case.columns))
    pq.write_table(table, "people.parquet")
    sensitive = f"sensitive = {json.dumps(case.sensitive)}\nl = 1\n" if case.sensitive else ""
    Path("discretion.toml").write_text(f'k = {K}\ntogether = [["none of them"]]\n{sensitive}')
    person = None if case.person == "none" else case.person
    expected = numbers_of(table.to_pylist(), case.sensitive, K, person)
    in_order = {name for name in expected if is_on_request(name)}
    assert {*expected} == {*table_measures(case.sensitive)} | in_order
    assert bool(in_order) == ("paid" in case.sensitive)
    for command in ("audit", "exposure", "check", "diff", "release"):
        names = {*expected} - (in_order if command == "diff" else set())
        code, numbers, err = measured(command, case, names, "people.parquet", "out.parquet")
        if command in case.refused:
            assert (code, numbers, err.count("\n")) == (2, {}, 1), command
            continue
        assert err == "", command
        assert code == (1 if command == "check" else 0)
        of = numbers_of(table.to_pylist(), case.sensitive, 1, person) if command == "release" else expected
        assert numbers == {
            each: pytest.approx(float(value), rel=1e-12, abs=1e-15) for each, value in of.items() if each in names
        }, command
