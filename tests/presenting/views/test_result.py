"""A job's result is one document on every face: JSON, Markdown, a page, a notebook, a line and a table."""

import json
from collections.abc import Callable
from html import unescape
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import discretion as dc
from discretion.jobs.check import PolicyCheck, PolicyChecks, check, read_policy
from discretion.jobs.claim import run_claim
from discretion.jobs.compare import compare
from discretion.jobs.estimate import estimate
from discretion.jobs.exposure import marginals_exposure, table_exposure
from discretion.jobs.measure import measure
from discretion.jobs.options.mechanisms import ClaimOptions, EstimateOptions
from discretion.jobs.options.tables import ExposureOptions
from discretion.jobs.scenario import Scenario
from discretion.presenting.views.result import JobResult
from discretion.reproduce import PAPERS, PaperReproduction

# A name that no face may take for markup.
NAME = "<b>town|*"
RR = dc.RandomizedResponse(2, p=0.75)


def people(count: int = 60, seed: int = 1) -> pa.Table:
    draw = np.random.default_rng(seed)
    return pa.table(
        {NAME: draw.integers(3, size=count), "ill": draw.integers(2, size=count), "age": draw.integers(4, size=count)}
    )


def of_a_release(folder: Path) -> JobResult:
    return dc.release(people(), folder / "out.csv", k=2, budget=1, sensitive="ill")


def of_a_diff(_: Path) -> JobResult:
    return dc.diff(people(), people(seed=2), sensitive="ill", k=2)


def of_a_synthetic_table(_: Path) -> JobResult:
    return dc.synthetic_risk(people(), people(seed=2), people(seed=3), sensitive="ill", seed=1)


def of_a_check(folder: Path) -> PolicyCheck:
    (folder / "policy.toml").write_text('columns = ["age"]\nk = 2\n')
    return check(people(), read_policy(folder / "policy.toml"))


def of_checks(folder: Path) -> JobResult:
    return PolicyChecks((of_a_check(folder), of_a_check(folder)))


def of_samples(folder: Path) -> JobResult:
    lines = [f"{i % 2},{i % 3}" for i in range(60)]
    (folder / "sam\nples.csv").write_text("\n".join([f"secret,{NAME}", *lines]) + "\n")
    return estimate(str(folder / "sam\nples.csv"), EstimateOptions(epsilon=1.0, delta=1e-5, seed=1), converging=True)


def of_an_exposure(_: Path) -> JobResult:
    return table_exposure(people(), ExposureOptions(sensitive=["ill"], k=5, bounds=True), curve=True)


def of_counts(_: Path) -> JobResult:
    return marginals_exposure({NAME: {"f": 6, "m": 4}, "blood": {"0": 9, "AB": 1}}, ExposureOptions(k=2))


def of_a_mechanism(_: Path) -> JobResult:
    return measure(RR, Scenario(users=10), name=NAME, shuffled=True, only=["posterior_vulnerability"], curve=True)


def of_a_claim(_: Path) -> JobResult:
    return run_claim("dp:epsilon=1,delta=1e-6", ClaimOptions(delta=1e-6))


def of_mechanisms(_: Path) -> JobResult:
    return compare({"krr:k=2,p=0.75": RR, NAME: dc.RandomizedResponse(2, p=0.7)}, Scenario(users=10, seed=1))


def of_a_paper(_: Path) -> JobResult:
    paper = PAPERS["ldp"]
    name = next(iter(paper.items))
    return PaperReproduction(paper, {name: paper.items[name].reproduce()})


RESULTS = [
    of_a_release, of_a_diff, of_a_synthetic_table, of_a_check, of_checks, of_samples, of_an_exposure, of_counts,
    of_a_mechanism, of_a_claim, of_mechanisms, of_a_paper,
]  # fmt: skip


@pytest.mark.one_in(13)
@pytest.mark.parametrize("made", RESULTS)
def test_every_face_shows_the_one_document(made: Callable[[Path], JobResult], tmp_path: Path) -> None:
    result = made(tmp_path)
    document = result.document()
    assert isinstance(json.loads(result.to_json()), dict)
    line = repr(result)
    assert line.startswith(f"{type(result).__name__}(")
    assert "\n" not in line
    assert len(line) < 400
    page, cell, markdown = result.to_html(), result._repr_html_(), result.to_markdown()
    assert page.startswith("<!doctype html>")
    for markup in (page, cell):
        assert "<b>town" not in markup
        assert all(section.heading in unescape(markup) for section in document.sections)
    assert "<b>town" not in markdown
    assert markdown.count("\n## ") + markdown.startswith("## ") == len(document.sections)
    if figures := document.figures:
        assert result.chart().to_dict() == result.chart(next(iter(figures))).to_dict()


@pytest.mark.one_in(3)
@pytest.mark.parametrize("made", RESULTS)
def test_a_table_has_a_row_for_each_number(made: Callable[[Path], JobResult], tmp_path: Path) -> None:
    result = made(tmp_path)
    frame = result.to_frame()
    assert frame.num_rows == len(list(result.table_rows())) > 0
    if {"low", "value", "high"} <= set(frame.column_names):
        low, value, high = (frame[name].to_numpy() for name in ("low", "value", "high"))
        assert np.all((low <= value) & (value <= high))
