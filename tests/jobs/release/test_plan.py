"""A plan writes exactly the file that it was made for, and no plan gets round the goal."""

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discretion.errors import InvalidValueError, MissedGoalError
from discretion.jobs.options.tables import ReleaseOptions
from discretion.jobs.release import Release, release
from discretion.jobs.release.plan import plan_text, read_plan
from support.cli_runner import run

HOSTILE = ("a=b", "a", "a=b=as it is", 'quo"te', "com,ma", "new\nline", "ünï.cøde", "#x", "dr\x7fop", "[columns]")


def table(seed: int, names: tuple[str, ...] = ("age", "job", "born", "sex", "same")) -> pa.Table:
    draw, n = random.Random(seed), 900
    columns = (
        [draw.randrange(18, 90) for _ in range(n)],
        draw.choices([*"ABCDEFGHIJ"], [512, 256, 128, 64, 32, 16, 8, 4, 2, 1], k=n),
        [f"{draw.randrange(1950, 1990)}-{draw.randrange(1, 13):02}-{draw.randrange(1, 29):02}" for _ in range(n)],
        draw.choices("fm", k=n),
        ["here"] * n,
    )
    return pa.table(dict(zip(names, columns, strict=False)))


def rows(path: Path) -> Counter[tuple[Any, ...]]:
    written = pq.read_table(path)
    return Counter(zip(*(written[name].to_pylist() for name in written.column_names), strict=True))


def told(result: Release) -> tuple[Any, ...]:
    return result.columns, result.suppressed, result.kept, result.checked, result.numbers


@pytest.mark.long
@pytest.mark.parametrize("options", [{}, {"suppress": "cells", "budget": 0.0}, {"sensitive": ["sex"], "keep": ["sex"]}])
@pytest.mark.parametrize("seed", range(2))
def test_a_plan_writes_the_file_again(tmp_path: Path, seed: int, options: dict[str, Any]) -> None:
    people = table(seed)
    first = release(people, tmp_path / "first.parquet", **options)
    plan = ReleaseOptions(**options, publish=first.publish)
    dropped = {each.column: each.how for each in first.columns if each.verdict == "drop"}
    text = plan_text(plan, dict.fromkeys(people.column_names, ()), dropped)
    (tmp_path / "plan.toml").write_text(text)
    for again in (plan, tmp_path / "plan.toml"):
        second = release(people, tmp_path / "second.parquet", again)
        assert [each.column for each in second.columns if each.verdict != "drop"] == [
            each.column for each in first.columns if each.verdict != "drop"
        ]
        assert (second.suppressed, second.kept, second.checked) == (first.suppressed, first.kept, first.checked)
        assert rows(tmp_path / "second.parquet") == rows(tmp_path / "first.parquet")
        assert (second.ended, second.bound) == ("chosen", 1.0)
        assert second.publish == first.publish


@pytest.mark.long
@pytest.mark.parametrize("start", range(0, len(HOSTILE), 5))
def test_any_name_survives_a_plan_and_the_command_line(tmp_path: Path, start: int) -> None:
    people = table(1, HOSTILE[start : start + 5])
    first = release(people, tmp_path / "first.parquet", budget=0)
    plan = ReleaseOptions(budget=0, publish=first.publish)
    choices = {name: ["as it is", "in steps of 10"] for name in people.column_names}
    (tmp_path / "plan.toml").write_text(plan_text(plan, choices, {}), encoding="utf-8")
    assert release(people, tmp_path / "second.parquet", tmp_path / "plan.toml").publish == first.publish
    pq.write_table(people, tmp_path / "in.parquet")
    out = tmp_path / "third.parquet"
    code, _, err = run("release", tmp_path / "in.parquet", *plan.arguments(), f"--out={out}")
    assert not err
    assert code == 0
    assert rows(out) == rows(tmp_path / "first.parquet")


@pytest.mark.long
def test_no_plan_gets_round_the_goal(tmp_path: Path) -> None:
    people, out = table(2).append_column("id", pa.array(range(900))), tmp_path / "out.parquet"
    for publish, why in (
        (["id"], "not within the goal"),
        (["age", "born"], "not within the goal: age, born, generalized as given, has .* in classes of fewer than 10"),
    ):
        with pytest.raises(MissedGoalError, match=why):
            release(people, out, publish=publish)
        assert not out.exists()
    for publish, why in (
        (["age=in steps of 7"], "no generalization 'in steps of 7'; it has 'as it is'"),
        (["sx"], "publish takes columns of the table"),
        (["sex", "sex=as he is"], "twice"),
    ):
        with pytest.raises(InvalidValueError, match=why):
            release(people, out, publish=publish)
        assert not out.exists()
    with pytest.raises(InvalidValueError, match="leave out the plan or --k=5"):
        release(people, out, ReleaseOptions(publish=["sex"]), k=5)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no table \\[columns\\]"),
        ("columns = 3", "no table \\[columns\\]"),
        ("[columns]\na = 1", "no table \\[columns\\]"),
        ("kk = 3\n[columns]", "kk, which is no option of a release"),
        ("publish = ['a']\n[columns]", "publish, which is no option of a release"),
        ("sensitive = 'a'\n[columns]", "sensitive must be a list of columns"),
        ("k = [3]\n[columns]", "k must be a text, a number"),
        ("k = 1979-05-27\n[columns]", "k must be a text, a number"),
        ("[columns", "not TOML"),
    ],
)
def test_what_is_no_plan_is_refused_by_name(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "plan.toml").write_text(text)
    with pytest.raises(InvalidValueError, match=why):
        read_plan(tmp_path / "plan.toml")


def test_a_plan_that_drops_everything_is_refused(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text("[columns]\nage = 'drop'\n")
    with pytest.raises(InvalidValueError, match="drops every column"):
        release(table(1), tmp_path / "out.csv", tmp_path / "plan.toml")
