"""An audit's answer is a file: its next command, pasted from any report, writes it, with the numbers announced."""

import html
import io
import re
import subprocess
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rich.console import Console

import discretion as dc
from discretion.jobs.audit import Audit
from discretion.jobs.release import release
from discretion.presenting.views.terminal import to_text
from support.cli_runner import run

NAMES = (
    "age", "job title", "born_on", "sex", "rate_%", "a=b", "com,ma", "it's", '"quoted"', "$HOME", "back`tick`s",
    "*star_", "bang!", "semi;colon", "pipe|d", "ünï", "-dash", "#hash", "back\\slash", "<b>",
)  # fmt: skip


def table(seed: int) -> pa.Table:
    """Return people with columns of several kinds under names that a shell, a page or Markdown might change."""
    draw, n = Random(seed), 400 + 37 * seed % 300
    names = draw.sample(NAMES, 4)
    columns: list[list[Any]] = [
        [draw.randrange(18, 90) for _ in range(n)],
        draw.choices(["Nurse", "Cook", "Clerk", "Smith", "Wombat keeper"], [40, 30, 20, 9, 1], k=n),
        [f"{draw.randrange(1950, 1990)}-{draw.randrange(1, 13):02}-{draw.randrange(1, 29):02}" for _ in range(n)],
        draw.choices(["F", "M", None], [5, 5, 1], k=n),
    ]
    ill = draw.choices(["Flu", "Cold", "Cancer"], [6, 3, 1], k=n)
    return pa.table({**dict(zip(names, columns, strict=True)), "ill": ill})


def announced(audit: Audit) -> tuple[Any, ...]:
    offer = audit.decision.offers[0]
    return offer.columns, offer.suppressed, offer.exposed_people, offer.exposure, offer.utility, offer.guesses


def written(result: Any) -> tuple[Any, ...]:
    columns = tuple(each.column for each in result.columns if each.verdict != "drop")
    checked = result.checked
    return columns, result.suppressed, checked.exposed_people, checked.exposure, result.kept, checked.guesses


@pytest.mark.long
@pytest.mark.parametrize("seed", [pytest.param(seed, marks=pytest.mark.long if seed > 2 else ()) for seed in range(12)])
def test_the_plan_of_an_audit_writes_the_file_with_the_announced_numbers(tmp_path: Path, seed: int) -> None:
    people = table(seed)
    audit = dc.audit(people, sensitive="ill", k=5 + seed % 7)
    result = release(people, tmp_path / "out.parquet", audit.decision.plan)
    assert written(result) == announced(audit)
    verdicts = {each.column: each.verdict for each in result.columns}
    assert {each.column: each.verdict for each in audit.decision.columns} == verdicts
    assert audit.measures["recommended_exposure"] == result.numbers["exposure"]
    assert audit.measures["all_columns.recommended_exposure"] == result.numbers["all_columns.exposure"]


def commands(audit: Audit) -> dict[str, str]:
    """Return the command to release as it stands on terminals, in Markdown and on the page."""
    result: dict[str, str] = {}
    for width in (60, 80, 120):
        console = Console(width=width, file=io.StringIO(), record=True)
        console.print(to_text(audit.document()))
        lines = console.export_text().splitlines()
        first = next(i for i, line in enumerate(lines) if line.startswith("  discretion release"))
        last = next(i for i in range(first, len(lines)) if not lines[i].rstrip().endswith("\\"))
        result[f"{width} columns"] = "\n".join(line.rstrip() for line in lines[first : last + 1])
    fenced = re.search(r"(?ms)^(`{3,})sh\n(discretion release .*?)\n\1$", audit.to_markdown())
    code = re.search(r"(?s)<code[^>]*>(discretion release .*?)</code>", audit.to_html())
    assert fenced is not None
    assert code is not None
    return result | {"Markdown": fenced[2], "page": html.unescape(code[1])}


def pasted(command: str) -> list[str]:
    """Return the arguments of a command as a shell reads them."""
    replaced = command.strip().replace("discretion ", "printf '%s\\0' ", 1)
    output = subprocess.run(["bash", "-c", replaced], check=True, capture_output=True, text=True)
    return output.stdout.split("\0")[:-1]


@pytest.mark.long
@pytest.mark.parametrize("seed", [pytest.param(seed, marks=pytest.mark.long if seed else ()) for seed in range(12)])
def test_the_next_command_pasted_from_any_report_writes_that_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.chdir(tmp_path)
    pq.write_table(table(seed), "people.parquet")
    audit = dc.audit("people.parquet", sensitive="ill", k=5)
    read = {where: pasted(command) for where, command in commands(audit).items()}
    assert len({*map(tuple, read.values())}) == 1, read
    code, _, err = run(*read["page"])
    assert (code, err) == (0, "")
    assert pq.read_table("published.parquet").column_names == [*audit.decision.recommended]
    record = dc.Population("published.parquet")
    assert record.people == audit.people - audit.decision.offers[0].suppressed


@pytest.mark.long
def test_a_file_is_never_poorer_than_the_columns_as_they_are(tmp_path: Path) -> None:
    for seed in range(3):
        audit = dc.audit(table(seed), k=5, max_suppressed=0)
        offers = {offer.by: offer for offer in audit.decision.offers}
        assert offers["information"].utility >= max(offer.utility for offer in offers.values())


@pytest.mark.long
def test_where_nothing_fits_each_way_out_lets_a_file_out(tmp_path: Path) -> None:
    people = pa.table({"town": [*"ABCDE"] * 80, "sex": [*"FM"] * 200})
    audit = dc.audit(people, k=250, max_suppressed=0)
    assert audit.decision.plan is None
    assert audit.decision.recommended == ()
    assert audit.decision.refusal is not None
    assert "has 100 % of the people in classes of fewer than 250" in audit.decision.refusal
    for report in (audit.to_html(), audit.to_markdown().replace("\\", "")):
        assert "in classes of fewer than 250" in html.unescape(report).replace("\N{NO-BREAK SPACE}", " ")
    assert {way.limit: getattr(way.options, way.limit) for way in audit.decision.ways_out} == {"k": 200}
    few = pa.table({"town": ["A"] * 385 + ["B"] * 15})
    eased = dc.audit(few, k=50).decision.ways_out
    # No budget lets out what fewer than k people have, and without these a file would have one value.
    assert {way.limit: getattr(way.options, way.limit) for way in eased} == {"k": 15}
    for way in eased:
        assert release(few, tmp_path / "out.csv", way.options).kept > 0
    for way in audit.decision.ways_out:
        assert release(people, tmp_path / "out.csv", way.options).kept > 0
