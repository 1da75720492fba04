"""Redaction rules as options: read once each, carried by every command and plan, refused in a sentence."""

import json
import shlex
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, strategies as st

from discretion.anonymity import RedactionRule
from discretion.presenting.shell import Command
from discretion.spelling import spelled
from discretion.spelling.rules import rule_of
from support.cli_runner import run
from support.shells import in_a_shell

VALUES = ["a,b", 'say "no"', "x=1", "a b", "null", "$HOME `ls`", "it's", "b\\", "!", None]
names = st.text(" ,:=\"'\\$`!|#ab\n", min_size=1, max_size=5) | st.sampled_from(["when", "null", "rule", "--k"])
values = st.lists(st.none() | names, min_size=1, max_size=3, unique=True)


@given(names, values, st.dictionaries(names, values, max_size=2), st.floats(0, 1), st.integers(40, 100))
def test_a_rule_survives_the_shell_that_it_is_pasted_into(
    column: str, these: list[Any], when: dict[str, list[Any]], decoys: float, width: int
) -> None:
    when = {name: values for name, values in when.items() if name != column}
    rule = RedactionRule(column, values=these, when=when, decoys=decoys)
    arguments = ["release", f"--rule={spelled(rule)}", "--out=o.csv"]
    lines = Command(["discretion", *arguments]).lines(width)
    assert all(len(line) <= width for line in lines)
    pasted = in_a_shell(lines)
    assert pasted == arguments
    assert rule_of(pasted[1].removeprefix("--rule=")) == rule


@pytest.fixture
def table(tmp_path: Path) -> Path:
    draw = Random(1)
    people = {name: pa.array(draw.choices(VALUES, k=400), pa.string()) for name in ("x", "a column", 'c,"=d')}
    pq.write_table(pa.table(people), tmp_path / "people.parquet")
    return tmp_path / "people.parquet"


def rows_of(path: Path) -> Counter[tuple[Any, ...]]:
    written = pq.read_table(path)
    return Counter(zip(*(written[name].to_pylist() for name in written.column_names), strict=True))


@pytest.mark.long
def test_the_command_and_the_plan_of_an_audit_write_the_file_that_the_rules_make(tmp_path: Path, table: Path) -> None:
    rules = [
        RedactionRule(
            "x", values=["a,b", 'say "no"', None], when={"a column": ["x=1", "a b", None], 'c,"=d': VALUES[:7]}
        ),
        RedactionRule("x", values=["b\\", "null"]),
        RedactionRule('c,"=d', values=["$HOME `ls`", "it's", "!"]),
    ]
    given_rules = [f"--rule={spelled(rule)}" for rule in rules]
    plan, goal = tmp_path / "plan.toml", ["--k=2", "--budget=1", "--max-suppressed=0"]
    code, out, err = run("audit", table, f"--plan={plan}", *given_rules, *goal)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("  discretion release"))
    end = next(i for i in range(start, len(lines)) if not lines[i].endswith("\\"))
    arguments = in_a_shell(lines[start : end + 1])
    assert [each for each in arguments if each.startswith("--rule=")] == given_rules
    assert run(*arguments[:-1], f"--out={tmp_path / 'first.parquet'}")[0] == 0
    assert run("release", table, f"--plan={plan}", f"--out={tmp_path / 'second.parquet'}")[0] == 0
    assert rows_of(tmp_path / "first.parquet") == rows_of(tmp_path / "second.parquet")
    people = pq.read_table(table).to_pylist()
    for name in ("x", 'c,"=d'):
        expected = sum(
            row[name] is None
            or any(
                rule.column == name
                and row[name] in (rule.values or ())
                and all(row[other] in these for other, these in rule.when.items())
                for rule in rules
            )
            for row in people
        )
        assert pq.read_table(tmp_path / "first.parquet")[name].null_count == expected


@pytest.mark.long
def test_the_command_of_an_audit_has_no_rule_for_what_it_drops(tmp_path: Path) -> None:
    crossed = pa.table({"a": ["x"] * 12 + ["y"] * 12, "b": ["p", "q"] * 12})
    pq.write_table(crossed, tmp_path / "people.parquet")
    goal = ["--keep=a", "--budget=0", "--max-suppressed=0", "--redact=a"]
    code, out, _ = run("audit", tmp_path / "people.parquet", "--rule=b: rarer than 2", *goal)
    assert code == 0
    assert "Publish 1 of 2 columns: a." in out
    assert "--rule" not in out
    out_file = tmp_path / "out.parquet"
    code, out, _ = run("release", tmp_path / "people.parquet", "--rule=b: rarer than 2", *goal, f"--out={out_file}")
    assert code == 0
    assert "the rules for b" in " ".join(out.split())


@pytest.mark.one_in(11)
@pytest.mark.parametrize("command", [["audit"], ["release", "--out=o.csv"]])
@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--rule=x"], "nothing in place of ':'"),
        (["--rule=x: zz"], "nobody has the value 'zz' of 'x'"),
        (["--rule=y: zz"], "y"),
        (["--rule=x: null", "--rule=x: null decoys 0.5"], "have decoys of 0 and 0.5"),
        (["--rule=x: null", "--redact=x"], "x has a rule and is also named by redact"),
        (["--rule=x: null", "--drop=x"], "the rule for x cannot be followed (by --drop)"),
        (['--rule=x: any when "a column": null', '--rule="a column": any when x: null'], "form a circle"),
    ],
)
def test_a_bad_rule_is_one_sentence_and_exit_code_2(
    table: Path, monkeypatch: pytest.MonkeyPatch, command: list[str], options: list[str], why: str
) -> None:
    monkeypatch.chdir(table.parent)
    code, out, err = run(*command, table, *options)
    assert (code, out) == (2, "")
    assert why in err
    assert len(err.splitlines()) == 1
    assert not Path("o.csv").exists()


@pytest.mark.long
def test_json_has_the_rules_and_what_their_blanks_give_away(tmp_path: Path, table: Path) -> None:
    rule = "x: null decoys 0.25"
    code, out, _ = run("release", table, f"--rule={rule}", "--keep=x", "--k=2", f"--out={tmp_path / 'o.csv'}", "--json")
    answer = json.loads(out)
    assert code == 0
    assert answer["inputs"]["rules"] == [rule]
    (blank,) = answer["results"]["blanks"]
    assert blank["rules"] == [rule]
    assert blank["suspicion"] == blank["needed"] / (blank["needed"] + blank["decoys"])
    code, out, _ = run("audit", table, f"--rule={rule}", "--json")
    (ruled,) = json.loads(out)["results"]["redaction"]["ruled"]
    assert (ruled["rules"], ruled["suspicion"]) == ([rule], blank["expected_suspicion"])
    assert ruled["guesses"][0]["posterior"] == blank["guesses"][0]["expected_posterior"]


@pytest.mark.long
def test_a_rule_without_decoys_is_warned_of_on_the_first_screen(table: Path) -> None:
    code, out, _ = run("audit", table, "--rule=x: null", "--keep=x", "--k=2", "--budget=1", "--max-suppressed=0")
    words = " ".join(out.split())
    assert code == 0
    assert words.index("Every blank of x is required by a rule") < words.index("Next, write the file")
    assert "Redacting by the given rules" not in words
    _, out, _ = run("audit", table, "--rule=x: null", "--keep=x", "--k=2", "--budget=1", "--full")
    assert "Redacting by the given rules" in out


def test_every_option_of_a_release_can_be_typed(tmp_path: Path, table: Path) -> None:
    rule = '"a column": rarer than 50 when x: "it\'s" decoys 0.1'
    typed = shlex.split(f"release {table} --rule {shlex.quote(rule)} --k 2 --out {tmp_path / 'o.csv'}")
    assert run(*typed)[0] == 0
