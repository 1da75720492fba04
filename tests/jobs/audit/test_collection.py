"""Asking the people instead: the best protocol, what it hides, and what is said of it."""

import io
import re
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st
from rich.console import Console

import discretion as dc
from discretion.estimate import Estimate, highest, lowest
from discretion.jobs.audit.collection import (
    EPSILONS,
    KEPT_ERROR,
    PROTOCOLS,
    AskedCrowd,
    collection_report,
    compared,
    divided,
    kept_error,
)
from discretion.jobs.audit.collection_document import (
    added_up,
    all_asked_grid,
    collection_grid,
    collection_section,
    in_short,
    too_few,
)
from discretion.jobs.audit.result import CollectionReport
from discretion.presenting.views.document import Document, Grid
from discretion.presenting.views.terminal import to_text
from discretion.spelling import mechanism_of
from jobs.audit import samples
from oracles.asked_crowds import best_error, guess_among, mean_variances
from support.lowering import lowered


def asked(*values: str) -> CollectionReport:
    sizes = dc.Population(pa.table({"a": list(values)})).class_sizes(["a"])
    return collection_report("a", sizes)


def printed(reports, width: int) -> str:
    page = io.StringIO()
    Console(file=page, width=width).print(to_text(Document("", (collection_grid(reports), all_asked_grid(reports)))))
    return page.getvalue()


@pytest.mark.parametrize("k", [2, 3, 5, 16, 91, 256])
@pytest.mark.parametrize("epsilon", [0.2857, 0.5, 1.0, 2.0, 4.0])
def test_the_best_protocol_is_that_of_the_least_variance(k: int, epsilon: float) -> None:
    shares = np.arange(1, k + 1) / (k * (k + 1) / 2)
    found = compared(k, epsilon, shares.tolist(), 1000)
    name, error = best_error(k, epsilon, 1000)
    assert found[0].error_share == pytest.approx(error, rel=1e-9)
    if name in ("krr", "ss") and mean_variances(k, epsilon)["krr"] > mean_variances(k, epsilon)["ss"] * (1 + 1e-9):
        assert found[0].mechanism == f"{name}:k={k},epsilon={epsilon:g}"
    for report in found:
        variance = mean_variances(k, epsilon)[report.mechanism.partition(":")[0]]
        assert report.error_share == pytest.approx((variance / 1000) ** 0.5, rel=1e-9)
        assert report.error_people == pytest.approx(1000 * report.error_share)
    assert {report.mechanism.partition(":")[0] for report in found} == {*PROTOCOLS}


def test_of_equals_the_plainest_is_named() -> None:
    assert compared(2, 1.0, [0.5, 0.5], 10)[0].mechanism == "krr:k=2,epsilon=1"


@pytest.mark.long
@settings(max_examples=25)
@given(
    counts=st.lists(st.integers(1, 2), min_size=2, max_size=3),
    name=st.sampled_from(["krr", "ss", "oue", "hadamard"]),
    epsilon=st.sampled_from([0.5, 1.0, 4.0]),
    quick=st.booleans(),
)
def test_guesses_hold_against_all_histograms(counts: list[int], name: str, epsilon: float, quick: bool) -> None:
    k, n = len(counts), sum(counts)
    mechanism = mechanism_of(f"{name}:k={k},epsilon={epsilon:g}")
    matrix = mechanism.channel().dense()
    held = [value for value, count in enumerate(counts) for _ in range(count)]
    for prior in (None, np.array(counts) / n):
        law = np.full(k, 1 / k) if prior is None else prior
        with lowered(MAX_HISTOGRAMS_COLLECTED=1 << 14 if quick else 1):
            found = AskedCrowd(mechanism, np.array(counts)).guesses(prior)
        none = guess_among(matrix, [law] * (n - 1), law)
        known = [[np.eye(k)[value] for place, value in enumerate(held) if place != target] for target in range(n)]
        everything = max(guess_among(matrix, others, law) for others in known)
        assert found.blind == pytest.approx(law.max())
        assert found.report == pytest.approx(guess_among(matrix, [], law))
        for guess, truth in ((found.knows_none, none), (found.knows_all, everything)):
            assert lowest(guess) - 1e-9 <= truth <= highest(guess) + 1e-9
            if quick:
                assert guess == pytest.approx(truth, rel=1e-9)


def test_the_recommended_way_is_the_one_with_the_least_error_that_hides() -> None:
    report = asked(*"aaaaabbbbc" * 60)
    hiding = [option for option in report.options if kept_error(option) >= KEPT_ERROR]
    assert report.recommended == hiding[-1] != report.options[-1]
    assert [option.epsilon for option in report.options] == [*EPSILONS]
    assert report.hides
    assert report.tells
    assert report.advised


def test_too_few_people_to_hide_one_answer_among() -> None:
    report = asked("y", "n", "n", "n")
    assert not report.hides
    assert report.recommended.epsilon == min(EPSILONS)
    assert "For a there are too few people to hide one answer among." in [*too_few([report])]


def test_an_error_larger_than_a_typical_share_is_said_of_its_own_columns_only() -> None:
    vague, clear = asked(*[f"{i % 50}" for i in range(100)]), asked(*"yn" * 2000)
    assert vague.recommended.best.error_share > 1 / 50
    assert (vague.tells, clear.tells, clear.hides) == (False, True, True)
    said = [*too_few([vague, clear])]
    assert said[-1].startswith("For a an estimated share would be off by more than a typical share")
    assert [*too_few([clear])] == []


def test_what_is_certified_of_the_shuffled_reports_is_what_the_measure_says() -> None:
    report = asked(*"aab" * 100)
    crowd = dc.Shuffled(mechanism_of(report.recommended.best.mechanism), report.n)
    truth = dc.dp_epsilon(crowd.seen_by(dc.WorstAllButOne()), report.delta)
    assert report.delta == 1 / (10 * report.n)
    assert isinstance(report.shuffled_epsilon, Estimate)
    assert lowest(truth) <= report.shuffled_epsilon.high <= 1.5 * highest(truth)


def test_questions_to_the_same_people_add_up() -> None:
    sizes = dc.Population(pa.table({"a": list("aab" * 100)})).class_sizes(["a"])
    alone, third = collection_report("a", sizes), collection_report("a", sizes, 3)
    assert alone.if_all_asked == alone.recommended.best
    each = divided(third.recommended.epsilon, 3)
    assert 3 * each <= third.recommended.epsilon < 3.01 * each
    assert third.if_all_asked.mechanism == f"krr:k=2,epsilon={each:g}"
    error = dc.frequency_error(mechanism_of(third.if_all_asked.mechanism), 300)
    assert third.if_all_asked.error_share == pytest.approx(error.share)
    assert added_up([alone]) is None
    said = added_up([third] * 3)
    assert said is not None
    assert f"questions together have ε = {3 * third.recommended.epsilon:g}." in said
    assert f"the sum is at most {third.recommended.epsilon:g}," in said


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_table_loses_no_name_and_no_digit(width: int) -> None:
    reports = samples.usual(city="an_unbroken_name_of_rather_many_letters").collection
    text = printed(reports, width)
    lines = [line.rstrip() for line in text.splitlines()]
    assert max(map(len, lines)) <= width
    assert "epsilon=1" in text
    letters = Counter("".join(text.split()))
    for report in reports:
        assert not Counter(report.column.replace(" ", "")) - letters
        assert "krr:k=4," in text
    for number in ("1.23", "4.56", "25", "26", "≤30", "≤0.321"):
        assert re.search(rf"(?<![\d.]){re.escape(number)}(?![\d.])", text), number


def test_who_reads_nothing_else_meets_no_epsilon() -> None:
    said = " ".join(in_short(samples.usual().collection))
    assert "ε" not in said
    assert "1 column could be collected" in said


@pytest.mark.long
def test_asking_adult_instead_takes_a_moment_and_is_said_in_one_table() -> None:
    found = dc.audit("example:adult", columns=["sex", "race", "age", "native_country"])
    for report in found.collection:
        assert report.questions == 4
        assert report.hides
        assert report.recommended.epsilon == max(EPSILONS)
        for option in report.options:
            for guesses in (option.uniform, option.shares):
                assert guesses.blind <= lowest(guesses.knows_none) + 1e-12
                assert highest(guesses.knows_none) <= highest(guesses.knows_all) + 1e-12 <= guesses.report + 2e-12
    assert (
        sum(
            isinstance(part, Grid) and part.caption == "The best way to ask for each column"
            for part in collection_section(found)
        )
        == 1
    )
