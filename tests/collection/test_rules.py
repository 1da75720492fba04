"""Rules in a task: who redacts which answer, what follows from the counts, and what a reader of them is told."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from math import comb
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from discretion.anonymity import Population, redacted_exposure
from discretion.collection import Client, Feature, Task
from discretion.collection.consent import consent_document
from discretion.collection.errors import MalformedError
from discretion.collection.parts.counting import tallies_of
from discretion.collection.results.analyst import analyst_result
from discretion.collection.results.documents import analyst_document
from discretion.collection.results.suppressed import redacted_by_need
from discretion.collection.results.truth import compare_with_truth
from discretion.collection.rules import rule_lines, with_rules
from discretion.collection.wire.rounds import Round
from discretion.collection.wire.selection import Term
from discretion.collection.wire.task import LESS_FREQUENT, REDACTED, AnswerRule, redacted_codes
from discretion.errors import DiscretionError
from discretion.presenting.views.markdown import to_markdown
from discretion.spelling.rules import rule_of
from support.collection.in_process import NOW, Run, made, together

TOKEN = bytes(range(32))
ASKED = (
    Feature("sex", ("f", "m")), Feature("town", ("Kyiv", "Lagos", "Lima")), Feature("job", ("baker", "judge")),
)  # fmt: skip
Answers = dict[str, str | None]


def drawn_people(count: int, seed: int = 1) -> list[Answers]:
    """People with any answers, some of which are not listed or missing."""
    draw = Random(seed)
    return [
        {
            "sex": draw.choice(["f", "m"]),
            "town": draw.choice(["Kyiv", "Lagos", "Lima", "Oslo", None]),
            "job": draw.choice(["baker", "judge", None]),
        }
        for _ in range(count)
    ]


def test_a_participant_redacts_what_a_rule_says_and_tosses_a_coin_for_the_rest() -> None:
    lines = [
        "town: Lima, null when sex: f and job: judge decoys 0.25",
        "town: other decoys 0.25",
        "job: any when sex: m",
    ]
    task = made(with_rules(ASKED, lines)).task
    redacted = Counter[tuple[str, bool]]()
    for answers in drawn_people(4000):
        sent = Client(task, TOKEN, answers, now=lambda: NOW)._codes
        told = {feature.name: feature.labels[code] for feature, code in zip(task.features, sent, strict=True)}
        assert told["sex"] == answers["sex"]
        assert told["job"] == (REDACTED if answers["sex"] == "m" else answers["job"])
        needs = answers["town"] == "Oslo" or (
            answers["town"] in ("Lima", None) and answers["sex"] == "f" and answers["job"] == "judge"
        )
        listed = "other" if answers["town"] == "Oslo" else answers["town"]
        assert told["town"] in ((REDACTED,) if needs else (REDACTED, listed))
        redacted["needed" if needs else "decoys", told["town"] == REDACTED] += 1
    assert redacted["needed", False] == 0
    decoys = redacted["decoys", True], redacted["decoys", False]
    assert abs(decoys[0] - sum(decoys) / 4) < 5 * (sum(decoys) * 3 / 16) ** 0.5


def test_rules_are_the_same_in_a_line_in_a_task_and_in_its_bytes() -> None:
    lines = ["town: Lima, null when job: judge and sex: f decoys 0.25", "job: any when sex: m"]
    task = made(with_rules(ASKED, lines)).task
    assert [line for feature in task.features for line in rule_lines(feature)] == lines
    assert Task.decoded(task.encoded) == task
    assert task.features[1].codes == 6
    consent = to_markdown(consent_document(task))
    assert all(line in consent for line in lines)


BAD_LINES = {
    "town: Quito": "names 'Quito', which 'town' does not have; it has Kyiv, Lagos, Lima, other, null",
    "town: Lima when sex: x": "names 'x', which 'sex' does not have",
    "city: Lima": "there is no column 'city'",
    "town: rarer than 5": "nobody knows before the answers are counted",
    "town: Lima when town: Kyiv": "when= takes other columns than",
    "town:": "nothing in place",
}


@pytest.mark.parametrize("line", BAD_LINES)
def test_a_line_that_is_no_rule_of_the_task_is_refused_in_a_sentence(line: str) -> None:
    with pytest.raises(DiscretionError, match=BAD_LINES[line].replace("'", ".")):
        with_rules(ASKED, [line])


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["town: any when sex: f", "sex: any when town: Lima"], "form a circle"),
        (["town: Lima decoys 0.1", "town: Kyiv decoys 0.2"], "one coin for a column"),
        (["town: Lima", "town: Lima"], "is there twice"),
    ],
)
def test_rules_that_contradict_each_other_are_refused(lines: list[str], said: str) -> None:
    with pytest.raises(DiscretionError, match=said):
        with_rules(ASKED, lines)


RULE = AnswerRule(("Lima",))
BAD_FEATURES: dict[str, tuple[dict[str, Any], str]] = {
    "randomized and redacted": ({"rules": (RULE,), "randomizer": "krr:epsilon=1"}, "not both"),
    "decoys without a rule": ({"decoys": "0.1"}, "'0' without a rule"),
    "decoys that are a float": ({"rules": (RULE,), "decoys": 0.1}, "probability in text"),
    "decoys above 1": ({"rules": (RULE,), "decoys": "1.5"}, "probability in text"),
    "a rule twice": ({"rules": (RULE, RULE)}, "a rule twice"),
}


@pytest.mark.parametrize("case", BAD_FEATURES)
def test_a_feature_cannot_have(case: str) -> None:
    changed, said = BAD_FEATURES[case]
    with pytest.raises(MalformedError, match=said):
        replace(ASKED[1], **changed)


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (AnswerRule(("Quito",)), "does not have"),
        (AnswerRule(None, (("job", ("clerk",)),)), "does not have"),
        (AnswerRule(None, (("age", ("9",)),)), "is no feature"),
        (AnswerRule(None, (("town", ("Lima",)),)), "on 'town' itself"),
        (AnswerRule(None, (("sex", ("f",)),)), "which is randomized"),
    ],
)
def test_a_task_cannot_have_a_rule(rule: AnswerRule, said: str) -> None:
    asked = (replace(ASKED[0], randomizer="krr:epsilon=1"), replace(ASKED[1], rules=(rule,)), ASKED[2])
    with pytest.raises(MalformedError, match=said):
        made(asked)


@pytest.mark.parametrize(
    ("values", "when", "said"),
    [
        ((), (), "at least one answer, and no answer twice"),
        (("a", "a"), (), "at least one answer, and no answer twice"),
        (None, (), "answers or a condition"),
        (None, (("b", ("x",)), ("a", ("x",))), "in order"),
    ],
)
def test_a_rule_cannot_be_without_answers_or_out_of_order(values: Any, when: Any, said: str) -> None:
    with pytest.raises(MalformedError, match=said):
        AnswerRule(values, when)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("curated", [True, False])
@pytest.mark.parametrize("decoys", ["", " decoys 0.2"])
def test_what_goes_out_is_certified_of_the_redacted_answers_and_is_the_redacted_table(
    curated: bool, decoys: str, tmp_path: Path
) -> None:
    """The counts are of what is sent: so are the certificate, the exposure, and the comparison with the table."""
    asked = with_rules(ASKED, [f"town: Lima, other, null when sex: f{decoys}"])
    run = Run(made(asked, curated=curated, k=3, budget="0.5"), drawn_people(150), tmp_path)
    first = run.ask()
    choice = run.choice()
    assert choice is not None
    batch = run.ask(choice)
    round_ = Round(run.task, choice)
    result = analyst_result(batch, round_)
    sent = [tuple(client._codes[place] for place in choice.chosen) for client in run.clients]
    alike = Counter(sent)
    assert float(result.exposure) == sum(count for count in alike.values() if count < 3) / 150 <= choice.exposure
    true = np.array([
        [feature.code_of(answers[feature.name]) for feature in asked] for answers in drawn_people(150)
    ])  # fmt: skip
    counts = dict(zip((feature.name for feature in asked), tallies_of(first, Round(run.task)), strict=True))
    compared = compare_with_truth(run.task, true, counts, result)
    assert compared.agrees
    assert compared.joint is not None
    assert compared.joint.randomized == bool(decoys and 1 in choice.chosen)
    needed = sum(1 in redacted_codes(asked, row) for row in true.tolist())
    if 1 in choice.chosen:
        (suppressed,) = result.suppressed
        assert suppressed.people == sum(client._codes[1] == asked[1].codes - 1 for client in run.clients)
        assert suppressed.needed is not None
        # By decoys the interval is of 95 % only: of twice its reach to either side hardly anything misses.
        assert _is_near(suppressed.needed, needed)
        assert (suppressed.needed.low == suppressed.needed.high) == (not decoys)
        text = to_markdown(analyst_document(result))
        assert ("there are no decoys, so a redacted answer shows that its sender met the rule" in text) == (not decoys)
        for place in result.ordered_places():
            if (share := result.share_before_redaction(place)) is not None:
                codes = result.joint.codes[place].tolist()
                of_all = sum(row[list(choice.chosen)].tolist() == codes for row in true) / 150
                assert _is_near(share, of_all)


def _is_near(estimate: Any, true: float) -> bool:
    reach = estimate.high - estimate.low
    return estimate.low - reach <= true <= estimate.high + reach


def test_a_table_that_was_redacted_otherwise_differs() -> None:
    asked = with_rules(ASKED, ["town: Lima decoys 0.2"])
    task = made(asked).task
    true = np.random.default_rng(2).integers([2, 3, 2], size=(2000, 3))
    for chance, agrees in ((0.2, True), (0.5, False), (0.0, False)):
        coins = np.random.default_rng(3).random(2000) < chance
        sent = true.copy()
        sent[(true[:, 1] == 2) | coins, 1] = 5
        counts = {
            feature.name: np.bincount(sent[:, place], minlength=feature.codes) for place, feature in enumerate(asked)
        }
        assert compare_with_truth(task, true, counts).agrees == agrees


def test_the_interval_of_those_who_redact_by_need_covers_them() -> None:
    """Each number of decoys with its exact probability: the interval misses at most as often as it may."""
    for people, needed, chance in ((12, 3, Fraction(1, 4)), (20, 0, Fraction(1, 10)), (9, 9, Fraction(1, 2))):
        others, missed = people - needed, Fraction(0)
        for decoys in range(others + 1):
            law = comb(others, decoys) * chance**decoys * (1 - chance) ** (others - decoys)
            interval = redacted_by_need(needed + decoys, people, float(chance), 0.9)
            assert interval.low <= interval.value <= interval.high
            missed += law * (not interval.low <= needed <= interval.high)
        assert missed <= Fraction(1, 10)
    assert redacted_by_need(7, 9, 0.0, 0.9).low == redacted_by_need(7, 9, 0.0, 0.9).high == 7
    assert (redacted_by_need(9, 9, 1.0, 0.9).low, redacted_by_need(9, 9, 1.0, 0.9).high) == (0, 9)


def test_a_few_who_redact_are_not_counted_for_all_to_see(tmp_path: Path) -> None:
    people: list[Answers] = [{"sex": "f", "town": "Lima" if place < 2 else "Kyiv"} for place in range(30)]
    asked = with_rules(ASKED[:2], ["town: Lima"])
    run = Run(made(asked, k=5, budget="0.5"), people, tmp_path)
    run.ask()
    round_ = Round(run.task, together(run.task, 0, 1, people=30).signed(run.made.signer))
    result = analyst_result(run.ask(round_.choice), round_)
    assert [(each.people, each.needed) for each in result.suppressed] == [(None, None)]
    assert "fewer than 5 people redacted it" in to_markdown(analyst_document(result))


@pytest.mark.long
def test_the_expected_exposure_of_rules_on_a_table_is_that_of_redacted_answers_on_average() -> None:
    """Simulated coins against the exact expectation of the library: two routes to one number."""
    lines, everybody = ["town: Lima, null when sex: f decoys 0.3"], drawn_people(60, seed=5)
    asked = with_rules(ASKED, lines)
    table = Population(pa.table({name: [each[name] for each in everybody] for name in ("sex", "town")}))
    expected = redacted_exposure(table, list(map(rule_of, lines)), k=4)
    exposed: list[float] = []
    draw = np.random.default_rng(7)
    true = [tuple(feature.code_of(each[feature.name]) for feature in asked) for each in everybody]
    for _ in range(3000):
        coins = draw.random(60) < float(asked[1].decoys)
        sent = [
            (row[0], -1 if coin or 1 in redacted_codes(asked, row) else everybody[place]["town"])
            for place, (row, coin) in enumerate(zip(true, coins.tolist(), strict=True))
        ]
        exposed.append(sum(count for count in Counter(sent).values() if count < 4) / 60)
    assert abs(np.mean(exposed) - expected) < 5 * np.std(exposed) / 3000**0.5


@pytest.mark.long
def test_by_value_a_redacted_answer_may_be_a_less_frequent_one_and_what_follows_still_holds(tmp_path: Path) -> None:
    """Nothing shows then who redacted: the comparison knows the decoys, and no share is bounded without them."""
    asked = with_rules(ASKED, ["town: Lima when sex: f decoys 0.1", "job: judge decoys 0.2"])
    run = Run(made(asked, by_value=True, k=3, budget="0.5"), drawn_people(400, seed=8), tmp_path)
    first = run.ask()
    choice = run.choice()
    assert choice is not None
    kept = ((0, 1), (0, 1, 2), tuple(range(asked[2].codes)))  # redacted towns are among the less frequent ones
    choice = replace(choice, groups=((0, 1, 2),), kept=(kept,), exposure=0.1, terms=((Term((0, 1, 2), 40, 0),),))
    choice = choice.signed(run.made.signer)
    result = analyst_result(run.ask(choice), Round(run.task, choice))
    assert [(each.name, each.is_shown) for each in result.redacted] == [("town", False), ("job", True)]
    assert [each.feature for each in result.suppressed] == ["job"]
    true = np.array([
        [feature.code_of(answers[feature.name]) for feature in asked] for answers in drawn_people(400, seed=8)
    ])  # fmt: skip
    counts = dict(zip((feature.name for feature in asked), tallies_of(first, Round(run.task)), strict=True))
    assert compare_with_truth(run.task, true, counts, result).agrees
    bounded = 0
    for place in result.ordered_places():
        sex, town, job = result.joint.answers[place]
        share = result.share_before_redaction(place)
        assert (share is None) == (town == LESS_FREQUENT or job == REDACTED)
        if share is not None:
            codes = [feature.given.index(answer) for feature, answer in zip(asked, (sex, town, job), strict=True)]
            of_all = sum(row.tolist() == codes for row in true) / 400
            assert _is_near(share, of_all)
            bounded += of_all > share.low
    assert bounded  # somebody redacted a part of one of them
