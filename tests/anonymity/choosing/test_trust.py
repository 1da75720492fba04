"""What each party receives, by design: agrees with tables, coins and people gone through one by one."""

import json
import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

import discretion as dc
from discretion.anonymity import Population, redacted_exposure, redaction_rules, trust_tradeoff
from discretion.anonymity.choosing.questions import Question, histogram_bits, linked, table_bits_of
from discretion.anonymity.choosing.trust import PARTIES, TrustTradeoff
from discretion.anonymity.people.records import Records
from discretion.errors import InvalidValueError, TooLargeError, UnsupportedError
from discretion.estimate import highest, lowest
from oracles import trust as slowly
from oracles.partial_tables import tables_of
from support.lowering import lowered

NAMES = "xyz"
DESIGNS = [
    "trusted curator", "two rounds", "two rounds, coarsened", "rounds by column", "rounds by value", "redaction rules",
    "randomized answers", "no curator",
]  # fmt: skip
value = st.sampled_from([0, 0, 0, 1, 1, 2])


def records_of(rows: Sequence[tuple[int, ...]]) -> Records:
    return Records.of(np.array(rows, np.int64), np.ones(len(rows), np.int64))


def table_of(rows: Sequence[tuple[int, ...]]) -> Population:
    return Population(pa.table({name: [f"v{row[j]}" for row in rows] for j, name in enumerate(NAMES[: len(rows[0])])}))


@st.composite
def questions(draw: st.DrawFn, shape: tuple[int, ...]) -> list[Question]:
    columns = [some for size in (1, 2, 3) for some in combinations(range(len(shape)), size)]
    chosen = draw(st.lists(st.sampled_from(columns), min_size=1, max_size=3, unique=True))
    return [Question(some, tuple(draw(st.integers(0, shape[j] - 1)) for j in some)) for some in chosen]


@settings(max_examples=40, deadline=None)
@given(st.data(), st.integers(1, 5), st.sampled_from([(2, 2), (3, 2), (2, 2, 2), (2, 3)]))
def test_the_bits_of_the_table_are_of_as_many_histograms_as_can_be_received(
    data: st.DataObject, people: int, shape: tuple[int, ...]
) -> None:
    """As of any deterministic system, the capacity is the logarithm of how many observations there are."""
    asked = data.draw(questions(shape))
    bits = table_bits_of(asked, people)
    exact = math.log2(slowly.histograms_received(people, shape, [(each.places, each.kept) for each in asked]))
    assert lowest(bits) - 1e-9 <= exact <= highest(bits) + 1e-9
    apart = len({j for each in asked for j in each.places}) == sum(len(each.places) for each in asked)
    if apart:
        assert bits == pytest.approx(exact, abs=1e-9)
        assert isinstance(bits, float)


@pytest.mark.parametrize(
    ("people", "cells"), [(1, 1), (1, 10**20), (5, 7), (48_842, 1440), (10**9, 2), (10**9, 3), (9, 10**9), (1000, 1001)]
)
def test_histograms_are_counted_in_whole_numbers(people: int, cells: int) -> None:
    number = math.comb(people + cells - 1, people)
    shift = max(0, number.bit_length() - 900)
    assert histogram_bits(people, cells) == pytest.approx(math.log2(number >> shift) + shift, rel=1e-12)


def coins_of(draw: Any, values: int) -> np.ndarray:
    weights = np.array([[draw(st.integers(1, 9)) for _ in range(values)] for _ in range(values)], float)
    return weights / weights.sum(axis=1, keepdims=True)


@settings(max_examples=40, deadline=None)
@given(st.data(), st.lists(st.tuples(value, value), min_size=1, max_size=12))
def test_the_bits_of_a_record_are_the_mutual_information(data: st.DataObject, rows: list[tuple[int, int]]) -> None:
    records = records_of(rows)
    ranks = [tuple(rank) for rank in records.ranks.tolist()]
    coins = tuple(coins_of(data.draw, most + 1) for most in records.most_kept)
    laws = {rank: slowly.independent([table.tolist() for table in coins], rank) for rank in ranks}
    randomized = Question((0, 1), records.most_kept, coins)
    assert randomized.record_bits(records) == pytest.approx(slowly.mutual_information(ranks, laws), abs=1e-12)
    kept = tuple(data.draw(st.integers(0, most)) for most in records.most_kept)
    plain = {rank: {tuple(map(min, rank, kept)): 1.0} for rank in ranks}
    asked = Question((0, 1), kept)
    assert asked.record_bits(records) == pytest.approx(slowly.mutual_information(ranks, plain), abs=1e-12)
    alone = [Question((place,), (most,)) for place, most in enumerate(kept)]
    assert linked(alone) == asked
    together = sum(each.record_bits(records) for each in alone)
    assert max(each.record_bits(records) for each in alone) - 1e-12 <= asked.record_bits(records) <= together + 1e-12


@settings(max_examples=15, deadline=None)
@given(st.data(), st.integers(1, 4), st.sampled_from([1, 2, 3]), st.floats(0, 6))
def test_the_bits_of_randomized_answers_hold_the_capacity_of_the_channel_of_histograms(
    data: st.DataObject, people: int, values: int, epsilon: float
) -> None:
    """The channel from each histogram of true values to each of answers, built from all answers of everybody."""
    coins = dc.RandomizedResponse(values, epsilon).channel().matrix if values > 1 else np.ones((1, 1))
    if data.draw(st.booleans()):
        coins = coins_of(data.draw, values)
    bits = Question((0,), (values - 1,), (np.asarray(coins),)).table_bits(people)
    laws = {(v,): slowly.independent([np.asarray(coins).tolist()], (v,)) for v in range(values)}
    channel: list[dict[Any, float]] = []
    for histogram in tables_of(people, (values,)):
        rows = [(v,) for v, count in enumerate(histogram) for _ in range(count)]
        law: dict[Any, float] = {}
        for answers, chance in slowly.all_answers(rows, laws):
            law[tuple(sorted(answers))] = law.get(tuple(sorted(answers)), 0.0) + chance
        channel.append(law)
    observed = sorted({each for law in channel for each in law})
    capacity = dc.shannon_capacity(
        dc.Channel([[law.get(each, 0.0) for each in observed] for law in channel]), unit="bits"
    )
    assert lowest(bits) <= highest(capacity) + 1e-9
    assert lowest(capacity) - 1e-9 <= highest(bits)


def test_the_bounds_on_randomized_answers_of_many_people_are_close_to_each_other() -> None:
    for epsilon in (1, 3, 6):
        coins = dc.RandomizedResponse(2, epsilon).channel().matrix
        bits = Question((0,), (1,), (np.asarray(coins),)).table_bits(100_000)
        assert 0.3 * highest(bits) < lowest(bits) <= highest(bits) < 17


@pytest.mark.long
@settings(max_examples=8, deadline=None)
@given(
    st.lists(st.tuples(value, value), min_size=1, max_size=4), st.integers(1, 5), st.sampled_from([0, 0.5, 2, math.inf])
)
def test_randomized_answers_expose_as_many_as_all_coins_say(rows: list[Any], k: int, epsilon: float) -> None:
    tradeoff = trust_tradeoff(table_of(rows), 1, k=k, epsilon=epsilon)
    design = next(each for each in tradeoff.designs if each.name == "randomized answers")
    ranks = [tuple(rank) for rank in records_of(rows).ranks.tolist()]
    shape = [max(column) + 1 for column in zip(*ranks, strict=True)]
    coins = [
        dc.RandomizedResponse(values, epsilon).channel().matrix.tolist() if values > 1 else [[1.0]] for values in shape
    ]
    laws = {rank: slowly.independent(coins, rank) for rank in ranks}
    assert design.exposure == pytest.approx(slowly.expected_exposure(ranks, laws, k), abs=1e-10)
    assert design.utility == pytest.approx(slowly.mutual_information(ranks, laws), abs=1e-10)


def test_whatever_coins_are_tossed_redacting_exposes_no_more_than_is_certified() -> None:
    rng = np.random.default_rng(3)
    rows = [
        (int(a), int(b))
        for a, b in zip(rng.permutation([0] * 6 + [1] * 5 + [2]), rng.permutation([0, 1] * 6), strict=True)
    ]
    P, k = table_of(rows), 2
    design = next(each for each in trust_tradeoff(P, 1, k=k).designs if each.name == "redaction rules")
    rules = redaction_rules(P, k, design.columns)
    assert design.columns == ("x", "y")
    assert [rule.column for rule in rules] == ["x"]
    assert design.exposure == redacted_exposure(P, rules, k=k)
    worst = 0
    for decoys in range(2 ** len(rows)):
        told = [("redacted" if row[0] == 2 or decoys >> i & 1 else row[0], row[1]) for i, row in enumerate(rows)]
        worst = max(worst, slowly.exposed(told, k))
    assert 0 < worst / len(rows) <= highest(design.certified_exposure)
    assert design.certified_exposure.method == "counting, with redacted as a value"


@pytest.mark.long
@settings(max_examples=10, deadline=None)
@given(
    st.lists(st.tuples(value, value, value), min_size=1, max_size=30),
    st.sampled_from([0, 0.1, 0.5, 1]), st.integers(1, 5),
)  # fmt: skip
def test_each_design_publishes_what_it_certifies_and_gives_each_party_its_part(
    rows: list[Any], budget: float, k: int
) -> None:
    tradeoff = trust_tradeoff(table_of(rows), budget, k=k)
    check(tradeoff)
    for design in tradeoff.designs:
        assert design.exposure <= highest(design.certified_exposure) + 1e-12
        certified = design.name not in ("redaction rules", "randomized answers")
        assert not certified or not design.columns or highest(design.certified_exposure) <= budget + 1e-9


def check(tradeoff: TrustTradeoff) -> None:
    assert [design.name for design in tradeoff.designs] == DESIGNS
    for design in tradeoff.designs:
        assert design.utility == design.analyst.record_bits <= tradeoff.record_bits + 1e-9
        assert design.shuffler.questions == design.shuffler.record_bits == design.shuffler.table_bits == 0
        assert (design.participants.questions > 0) == (design.name == "no curator")
        assert (design.curator.questions > 0) == (design.name not in ("no curator", "randomized answers"))
        for party in PARTIES:
            given = getattr(design, party)
            assert 0 <= given.record_bits <= given.linked_bits + 1e-9 <= tradeoff.record_bits + 2e-9
            assert (
                0 <= lowest(given.table_bits) <= highest(given.table_bits) <= tradeoff.table_bits * (1 + 1e-12) + 1e-9
            )
    whole = tradeoff.designs[0].curator
    assert whole.record_bits == pytest.approx(tradeoff.record_bits)
    assert whole.table_bits == tradeoff.table_bits


@pytest.mark.long
def test_on_adult_the_less_a_curator_receives_the_less_useful_what_goes_out_is() -> None:
    adult = Population("example:adult", columns=["sex", "race", "workclass", "education"])
    tradeoff = trust_tradeoff(adult, 0.01, k=10)
    check(tradeoff)
    trusted, two, coarse, _, by_value, *_ = tradeoff.designs
    assert trusted.utility > by_value.utility > coarse.utility > two.utility
    assert trusted.curator.record_bits > by_value.curator.record_bits > two.curator.record_bits
    assert two.curator == coarse.curator == tradeoff.designs[-1].participants
    assert two.curator.record_bits == max(adult.class_sizes([name]).entropy for name in adult.columns)
    assert two.curator.table_bits == pytest.approx(sum(math.log2(math.comb(32560 + v, v - 1)) for v in (2, 5, 9, 16)))
    assert highest(by_value.certified_exposure) <= 0.01


def test_a_tradeoff_is_a_table_a_chart_and_words() -> None:
    tradeoff = trust_tradeoff(Population("example:adult", columns=["sex", "race"]), 0.01, k=10)
    rows = tradeoff.to_frame().to_pylist()
    assert [row["design"] for row in rows] == DESIGNS
    assert rows[1]["curator_record_bits"] == tradeoff.designs[1].curator.record_bits
    assert rows[1]["columns"] == ["sex", "race"]
    assert json.loads(json.dumps(tradeoff.to_dict()))["designs"][6]["certified_exposure"]["high"] == 1.0
    assert "| two rounds | curator | " in tradeoff.to_markdown()
    assert "randomized answers: analyst" in tradeoff.chart().to_dict()["description"]
    assert repr(tradeoff) == "TrustTradeoff(8 designs, 32561 people; sex, race)"


def test_extremes() -> None:
    one = trust_tradeoff(pa.table({"x": ["a"]}), 0, k=1)
    assert one.record_bits == one.table_bits == 0
    assert one.designs[0].columns == ("x",)
    few = trust_tradeoff(pa.table({"x": ["a", "b"], "y": ["c", "c"]}), 0, k=9)
    assert all(design.exposure == 1 for design in few.designs)
    assert all(design.columns == () for design in few.designs[:3])
    everybody = trust_tradeoff(pa.table({"x": ["a", "b"], "y": ["c", "c"]}), 1, threshold=1)
    assert all(design.columns for design in everybody.designs)


def test_what_cannot_be_compared() -> None:
    people = pa.table({"id": [1, 1, 2], "x": ["a", "b", "a"]})
    with pytest.raises(UnsupportedError, match="use a row per person"):
        trust_tradeoff(Population(people, person="id"), 0.1, k=2)
    for arguments, error, message in [
        ({"columns": []}, InvalidValueError, "at least one column"),
        ({"epsilon": -1}, InvalidValueError, "epsilon must be at least 0"),
        ({"rounds": 0}, InvalidValueError, "rounds must be"),
    ]:
        with pytest.raises(error, match=message):
            trust_tradeoff(people, 0.1, k=2, **arguments)
    with lowered(MAX_ANSWERS_COMBINED=4), pytest.raises(TooLargeError, match="ask for fewer columns"):
        trust_tradeoff(people, 0.1, k=2)
