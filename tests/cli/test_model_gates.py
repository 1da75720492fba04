"""Gates of t-closeness by each distance, and of recursive (c, l)-diversity, in each command that takes them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import discretion as dc
from discretion.anonymity import recursive_c_l_diversity, t_closeness
from discretion.jobs.table_measures import CLOSENESS
from oracles.table_numbers import t_in_order
from support.cli_runner import run

LINES = "0;low;*\n1;low;*\n2;high;*\n3;high;*\n"
TOWNS, PAINS = ["Oslo"] * 40 + ["Bergen"] * 40, ["0", "1", "2", "2"] * 10 + ["1", "1", "2", "3"] * 10
NAMES = {"0": "none", "1": "some", "2": "much", "3": "most"}
KNOWN = {
    "pain": PAINS,
    "day": [f"2024-01-0{int(pain) + 1}" for pain in PAINS],
    "word": [NAMES[pain] for pain in PAINS],
}
COMMANDS = {
    "exposure": ["exposure", "people.csv", "--k", "2"],
    "check": ["check", "people.csv", "--policy", "discretion.toml"],
    "audit": ["audit", "people.csv", "--k", "2", "--l", "3"],
    "release": ["release", "people.csv", "--out", "out.csv", "--k", "2", "--l", "3", "--guess-budget", "1"],
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, values in KNOWN.items():
        Path(name).mkdir()
        rows = [f"{town},{value}\n" for town, value in zip(TOWNS, values, strict=True)]
        Path(name, "people.csv").write_text("".join([f"town,{name}\n", *rows]))
        Path(name, "discretion.toml").write_text(f'k = 2\nsensitive = "{name}"\nl = 3\n')
    Path("word", "levels").mkdir()
    lines = "".join(f"{NAMES[line[0]]}{line[1:]}\n" for line in LINES.splitlines())
    Path("word", "levels", "word.csv").write_text(lines)


def gated(command: str, column: str, *gates: str, more: tuple[str, ...] = ()) -> tuple[int, dict[str, Any], str]:
    """The exit code, the numbers of the gates, and what was said on stderr."""
    sensitive, over = ["--sensitive", column], [part for gate in gates for part in ("--fail-over", gate)]
    chosen = {
        "exposure": sensitive, "check": [], "audit": [*sensitive, "--keep", column],
        "release": [*sensitive, "--publish", f"town,{column}"],
    }[command]  # fmt: skip
    code, out, err = run(*COMMANDS[command], *chosen, *more, *over, "--json")
    return code, {gate["measure"]: gate["value"] for gate in json.loads(out)["gates"]} if out else {}, err


@pytest.mark.one_in(7)
@pytest.mark.parametrize("column", ["pain", "day"])
@pytest.mark.parametrize("command", COMMANDS)
def test_numbers_and_dates_have_places(command: str, column: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(column)
    expected = float(t_in_order(TOWNS, KNOWN[column], sorted(set(KNOWN[column]))))
    name = f"t_closeness_ordered:{column}"
    code, numbers, err = gated(command, column, f"{name}>{expected - 0.01}", f"t_closeness:{column}>1")
    assert (code, err) == (1, "")
    assert numbers[name] == pytest.approx(expected, abs=1e-12)
    assert numbers[f"t_closeness:{column}"] > expected  # by another distance, and never under the same name
    assert gated(command, column, f"{name}>{expected + 0.01}")[0] == 0


@pytest.mark.one_in(5)
@pytest.mark.parametrize("command", COMMANDS)
def test_recursive_diversity_is_with_the_l_of_the_command(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("pain")
    least = 2 if command == "exposure" else 3
    expected = recursive_c_l_diversity("people.csv", ["town"], "pain", least)
    code, numbers, err = gated(command, "pain", f"recursive_c:pain>{expected - 0.01}")
    assert (code, err, numbers["recursive_c:pain"]) == (1, "", pytest.approx(expected))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("command", ["audit", "release"])
def test_words_have_the_places_and_levels_of_their_hierarchy(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("word")
    more = ("--hierarchies", "levels")
    ordered, by_level = "t_closeness_ordered:word", "t_closeness_hierarchical:word"
    code, numbers, err = gated(command, "word", f"{ordered}>0.9", f"{by_level}>0.9", more=more)
    assert (code, err) == (0, "")
    assert numbers[ordered] == pytest.approx(float(t_in_order(TOWNS, PAINS, "0123")))
    assert numbers[by_level] == pytest.approx(
        t_closeness("people.csv", ["town"], "word", hierarchy="levels/word.csv"), abs=1e-12
    )


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("command", "gate", "fault", "way_out"),
    [
        ("exposure", "t_closeness_ordered:word>0.5", "4 of the 4 values of 'word' are no numbers", "gate t_closeness,"),
        ("check", "t_closeness_ordered:word>0.5", "4 of the 4 values of 'word' are no numbers", "gate t_closeness,"),
        ("audit", "t_closeness_ordered:word>0.5", "4 of the 4 values of 'word' are no numbers", "--hierarchies"),
        ("release", "t_closeness_ordered:word>0.5", "4 of the 4 values of 'word' are no numbers", "add a hierarchy"),
        ("audit", "t_closeness_hierarchical:word>0.5", "needs a hierarchy of 'word'", "--hierarchies"),
        ("release", "t_closeness_hierarchical:word>0.5", "needs a hierarchy of 'word'", "--hierarchies"),
        ("exposure", "t_closeness_hierarchical:word>0.5", "no measure here called", "t_closeness"),
        ("check", "t_closeness_hierarchical:word>0.5", "no measure here called", "t_closeness"),
    ],
)
def test_a_distance_that_values_do_not_have_is_refused(
    command: str, gate: str, fault: str, way_out: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("word")
    code, _, err = gated(command, "word", gate)
    assert code == 2
    assert fault in err
    assert way_out in err
    assert not Path("out.csv").exists()


def test_bags_of_values_have_no_order() -> None:
    Path("visits.csv").write_text("".join(["id,town,pain\n", *(f"{i // 2},Oslo,{i % 4}\n" for i in range(40))]))
    code, _, err = run(
        "exposure", "visits.csv", "--person", "id", "--sensitive", "pain", "--fail-over", "t_closeness_ordered:pain>0"
    )
    assert code == 2
    assert "people with one row each" in err
    assert "gate t_closeness," in err


@pytest.mark.one_in(7)
@pytest.mark.parametrize("against", ["file", "input"])
@pytest.mark.parametrize("distance", CLOSENESS)
def test_what_a_release_reports_of_t_is_what_its_goal_limits(distance: Any, against: Any) -> None:
    """A value that only people have who are left out keeps its place, and its part of the input."""
    towns = ["Oslo"] * 30 + ["Bergen"] * 30 + ["Røros", "Bodø", "Vardø"]
    pains = [i % 3 for i in range(30)] + [i // 15 for i in range(30)] + [9] * 3
    Path("levels").mkdir()
    Path("levels/pain.csv").write_text("0;low;*\n1;low;*\n2;high;*\n9;high;*\n")
    table = pa.table({"town": towns, "pain": pains})
    options: dict[str, Any] = {"hierarchies": "levels"} if distance == "hierarchical" else {}
    result = dc.release(
        table, "out.csv", publish=["town", "pain"], sensitive="pain", k=3, budget=0, guess_budget=1, t=0.5,
        t_distance=distance, t_against=against, max_suppressed=0.1, **options,
    )  # fmt: skip
    assert result.suppressed == 3
    name = f"{CLOSENESS[distance]}:pain"
    seen, values, whole = towns[:60], pains[:60], pains if against == "input" else pains[:60]
    groups = [[value for town, value in zip(seen, values, strict=True) if town == each] for each in {*seen}]

    def apart(of: Callable[[int], Any]) -> Callable[[list[int]], float]:
        """Half the sum of how far the shares of a group's values are from the whole's, by what these are taken for."""
        kinds = {of(value) for value in pains}

        def share(some: list[int], kind: Any) -> float:
            return sum(of(value) == kind for value in some) / len(some)

        return lambda group: sum(abs(share(group, kind) - share(whole, kind)) for kind in kinds) / 2

    by_value, by_level = apart(lambda value: value), apart(lambda value: value < 2)
    expected = {
        "equal": max(map(by_value, groups)),
        "ordered": float(t_in_order(seen, values, [0, 1, 2, 9], whole)),
        "hierarchical": max((by_value(group) + by_level(group)) / 2 for group in groups),
    }[distance]
    assert result.measures[name] == pytest.approx(expected)
    assert result.measures[f"all_columns.{name}"] == pytest.approx(expected)
    assert [CLOSENESS[each] for each in CLOSENESS if f"{CLOSENESS[each]}:pain" in result.measures] == [
        *dict.fromkeys(["t_closeness", CLOSENESS[distance]])
    ]
    assert json.loads(Path("out.csv.discretion.json").read_text())["measures"][name] == pytest.approx(expected)
