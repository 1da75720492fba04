"""What the curator gives out: everybody counted, nobody rare told of, and what is certified."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from discretion.collection import Feature
from discretion.collection.parts.choosing import choice_of
from discretion.collection.parts.counting import tallies_of
from discretion.collection.randomizers import randomizer_of
from discretion.collection.results.curator import curator_result
from discretion.collection.results.documents import curator_document
from discretion.collection.wire.rounds import Round
from discretion.presenting.json_answers import answer
from discretion.presenting.views.html import to_html
from support.collection.drawn_results import collected, drawn, features_of, rows_counted
from support.collection.in_process import Run, made

NONE = rows_counted(np.empty((0, 2), np.int64))


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=60), st.integers(1, 8))
def test_everybody_is_counted_once_and_no_value_of_fewer_than_k_is_told(rows, k: int) -> None:
    of = collected(features_of(3, 2), rows, k=k)
    result = curator_result(of.task, of.counts, NONE, None)
    for place, feature in enumerate(result.features):
        assert sum(count for _, count in feature.counts) + (feature.rare.people if feature.rare else 0) == len(rows)
        labels, held = of.task.features[place].labels, of.counts[feature.feature]
        for label, count in feature.counts:
            assert count == held[labels.index(label)] >= k


def test_a_planted_rare_value_is_in_nothing_that_leaves(tmp_path: Path) -> None:
    town = Feature("town", ("Kyiv", "Lagos", "PLANTED", "Lima"))
    people = [{"town": ("Kyiv", "Lagos", "Lima")[i % 3]} for i in range(60)] + [{"town": "PLANTED"}] * 2
    run = Run(made([town], k=5, budget="0.5"), people, tmp_path)
    first = run.ask()
    counts = {"town": tallies_of(first, Round(run.task))[0]}
    assert counts["town"][2] == 2
    result = curator_result(run.task, counts, first, run.choice(), analysed=62)
    assert result.chosen is not None
    for text in (answer("collect", {}, result.to_dict()), to_html(curator_document(result))):
        assert "Lagos" in text
        assert "PLANTED" not in text
    (told,) = result.features
    assert told.rare is not None
    assert (told.rare.people, dict(told.counts)) == (22, {"Lagos": 20, "Lima": 20})


def test_what_became_of_messages_is_told(tmp_path: Path) -> None:
    of = drawn(features_of(2, 2), 30)
    found = rows_counted(np.empty((0, 2), np.int64), 3, 2, 1)
    result = curator_result(of.task, of.counts, found, None)
    assert (result.dropped, result.repeated, result.unknown) == (3, 2, 1)
    said = " ".join(block for block in curator_document(result).blocks if isinstance(block, str))
    assert "3 did not open, 2 came twice, 1 named no answer" in said
    assert "Nothing goes out" in said


def test_an_answer_that_did_not_come_is_told_as_lost() -> None:
    of = drawn(features_of(2, 2), 30)
    counts = dict(of.counts) | {"b": of.counts["b"] - np.eye(4, dtype=int)[0] * 2}
    result = curator_result(of.task, counts, NONE, None)
    assert [feature.lost for feature in result.features] == [0, 2]
    assert result.people == 30


@pytest.mark.parametrize("confidence", [None, 0.9])
def test_the_choice_stands_beside_what_is_certified_and_of_whom(confidence: float | None) -> None:
    of = drawn(features_of(2, 2, 9), 5_000, k=3, budget="0.05", smallest_batch=5_000)
    choice = choice_of(of.task, of.counts, confidence=confidence)
    assert choice is not None
    result = curator_result(of.task, of.counts, NONE, choice, confidence)
    assert result.chosen is not None
    assert result.chosen.features == tuple(of.task.features[place].name for place in choice.chosen)
    raised = choice.exposure - result.chosen.exposure.high  # what is published shows no count of fewer than k
    assert 0 <= raised <= (of.task.k / 5_000 if confidence is None else 0)
    assert result.chosen.exposure.confidence == confidence
    first = curator_document(result).blocks[0]
    assert ("on average, with 90 % confidence, assuming that the people" in str(first)) == (confidence is not None)


def test_it_is_json_with_an_estimate_as_its_fields() -> None:
    of = drawn(features_of(2, 2), 500, k=3, budget="1")
    told = json.loads(
        answer(
            "collect", {},
            curator_result(of.task, of.counts, NONE, choice_of(of.task, of.counts), analysed=500).to_dict(),
        )
    )["results"]  # fmt: skip
    assert told["chosen"]["exposure"].keys() == {
        "value", "low", "high", "confidence", "method", "assuming", "kind", "value_is"
    }  # fmt: skip
    assert told["task"] == of.task.digest.hex()
    held = int(of.counts["a"][0])
    assert told["features"][0]["counts"][0] == {"answer": "a0", "reports": held, "people": held}


@pytest.mark.long
def test_of_randomized_answers_the_people_are_estimated_and_not_the_reports() -> None:
    setting = Feature("setting", ("on", "off"), randomizer="krr:epsilon=2")
    law, truth, missed = randomizer_of(setting), np.array([700, 300, 0, 0]), 0
    for seed in range(400):
        of = collected([setting], np.repeat(np.arange(4), truth), seed, k=3)
        reports = of.counts["setting"]
        (feature,) = curator_result(of.task, of.counts, NONE, None).features
        for (label, count), estimate in zip(feature.counts, feature.people, strict=True):
            code = setting.labels.index(label)
            assert count == reports[code]
            unbiased = (reports[code] - 1000 * law.q) / law.gap
            assert estimate.value == pytest.approx(min(max(unbiased, estimate.low), estimate.high))
        missed += any(
            not estimate.low <= truth[setting.labels.index(label)] <= estimate.high
            for (label, _), estimate in zip(feature.counts, feature.people, strict=True)
        )
    assert missed <= 0.05 * 400  # limits by Chernoff are wider than they have to be
    assert all(estimate.high - estimate.low < 250 for estimate in feature.people)
    document = to_html(curator_document(curator_result(of.task, of.counts, NONE, None)))
    assert "a report may have another answer than its sender" in document


def test_randomized_answers_that_few_people_gave_have_no_estimate() -> None:
    of = collected([Feature("setting", ("on", "off"), randomizer="krr:epsilon=2")], [[0], [1], [0]], k=5)
    (feature,) = curator_result(of.task, of.counts, NONE, None).features
    assert (feature.counts, feature.people) == ((), ())
    assert feature.rare is not None


@pytest.mark.parametrize("analysed, given", [(None, False), (500, True), (499, False), (498, False), (497, True)])
def test_counts_are_given_out_unless_a_later_result_of_nearly_the_same_people_shows_their_difference(
    analysed: int | None, given: bool
) -> None:
    of = drawn(features_of(2, 2, 9), 500, k=3, budget="0.2")
    choice = of.choice(0, 1)
    result = curator_result(of.task, of.counts, NONE, choice, analysed=analysed)
    assert [bool(feature.counts) for feature in result.features] == [given, given, True]
    assert [feature.withheld is None for feature in result.features] == [given, given, True]
    document = str(curator_document(result).blocks)
    assert ("The counts of a, b are not given out" in document) != given
