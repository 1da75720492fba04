"""The counting bound is certified, the least of its kind, and below the paper's."""

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

from discretion.anonymity import ClassSizes, Population, exposure, exposure_bound, exposure_curve
from discretion.anonymity.exposure import envelope
from discretion.anonymity.exposure.bounds import as_group, counting_bound, counting_lines, exposure_bound_curve
from discretion.errors import InvalidValueError, UnsupportedError
from discretion.intervals import above, below
from oracles import tables
from oracles.promise import exactly
from support.lowering import lowered
from support.marginals import marginals_of, sizes_of, told

ADULT = ["sex", "income", "race", "workclass"]
row = st.tuples(*[st.sampled_from([None, "a", "b", "c"])] * 3)
some_rows = st.lists(row, min_size=1, max_size=30)


@pytest.fixture(scope="module")
def adult() -> Population:
    return Population("example:adult")


def histogram(sizes: ClassSizes) -> dict[int, int]:
    return dict(zip(sizes.sizes.tolist(), sizes.counts.tolist(), strict=True))


@given(some_rows, st.integers(1, 35))
def test_it_is_the_least_over_all_breakpoints(rows: list[Any], k: int) -> None:
    marginals, n = marginals_of(rows), len(rows)
    slowly = tables.counting_bound(marginals, n, Fraction(k - 1, n))
    assert Fraction(counting_bound(told(sizes_of(marginals)), k), n) == slowly


@given(some_rows, st.integers(1, 35))
def test_it_is_never_below_the_exposure(rows: list[Any], k: int) -> None:
    assert Fraction(counting_bound(told(sizes_of(marginals_of(rows))), k), len(rows)) >= tables.exposure_below(rows, k)


@given(some_rows, st.fractions(Fraction(1, 50), 1))
def test_it_is_never_above_theorems_2_and_3(rows: list[Any], t: Fraction) -> None:
    marginals, n = marginals_of(rows), len(rows)
    k = -(-t.numerator * n // t.denominator)
    assert Fraction(counting_bound(told(sizes_of(marginals)), k), n) <= tables.theorem_bounds(marginals, n, t)


@given(some_rows, st.integers(0, 35))
def test_a_single_column_gives_its_exposure(rows: list[Any], k: int) -> None:
    (sizes, *_) = sizes_of(marginals_of(rows))
    assert counting_bound(told([sizes]), k) == (sizes.exposed(k=k) if k else 0)


@pytest.mark.long
@settings(max_examples=30, deadline=None)
@given(
    some_rows, st.one_of(st.fractions(0, 1).map(lambda t: {"threshold": t}), st.integers(1, 35).map(lambda k: {"k": k}))
)
def test_the_estimate_holds_the_exposure(rows: list[Any], at: dict[str, Any]) -> None:
    P = Population(pa.table({name: pa.array([r[j] for r in rows], pa.string()) for j, name in enumerate("xyz")}))
    for columns in (None, (), ("x",), ("x", "z")):
        bound = exposure_bound(P, **at, columns=columns)
        truth = Fraction(P.class_sizes(columns).exposed(**at), P.people)
        assert bound.low <= truth <= bound.high
        assert bound.value == exactly(bound.high)
        assert (bound.confidence, bound.method) == (None, "counting")
        if columns is not None and len(columns) <= 1:
            assert (bound.low, bound.value, bound.high) == (below(truth), float(truth), above(truth))


def test_adult_at_a_thousandth(adult: Population) -> None:
    bound = exposure_bound(adult, threshold="0.001", columns=ADULT)
    marginals = [histogram(adult.class_sizes([column])) for column in ADULT]
    t, n = Fraction(1, 1000), adult.people
    assert bound.value == float(tables.counting_bound(marginals, n, Fraction(32, n)))
    assert float(tables.counting_bound(marginals, n, t)) == pytest.approx(0.10252, abs=5e-6)
    assert bound.value == pytest.approx(0.10107, abs=5e-6)
    assert tables.theorem_bounds(marginals, n, t) > bound.value > exposure(adult, threshold="0.001", columns=ADULT)


def test_every_pair_and_triple_of_adult_is_bounded(adult: Population) -> None:
    for size in (2, 3):
        for columns in combinations(["sex", "race", "education", "native_country", "age"], size):
            for k in (2, 10, 100):
                assert exposure(adult, k=k, columns=columns) <= exposure_bound(adult, k=k, columns=columns).value


def test_all_of_adult_is_certified_to_expose_anybody(adult: Population) -> None:
    assert exposure_bound(adult, k=10).value == 1


def test_many_columns_with_hundreds_of_breakpoints_agree_with_a_dense_search(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(7)
    n, columns = 50_000, []
    for values in (2000, 800, 300):
        law = np.arange(1, values + 1) ** -1.5
        counts = rng.multinomial(n, law / law.sum())
        columns.append(ClassSizes(*np.unique(counts[counts > 0], return_counts=True)))
    edges = [np.append(c.sizes, n + 1) for c in columns]
    rare = [np.array([c.exposed(k=int(e)) for e in es]) for c, es in zip(columns, edges, strict=True)]
    kept = [np.array([c.counts[c.sizes >= e].sum() for e in es]) for c, es in zip(columns, edges, strict=True)]
    lines = counting_lines(dict(zip((1, 2, 4), columns, strict=True)), 1)
    for k in (2, 3, 10, 50, 200):
        dense = min(
            int((r + rare[1][:, None] + rare[2] + (k - 1) * cells * np.multiply.outer(kept[1], kept[2])).min())
            for r, cells in zip(rare[0], kept[0], strict=True)
        )
        assert counting_bound(told(columns), k) == min(dense, n)
        assert min([n, *(a + (k - 1) * b for a, b, _ in lines)]) == min(dense, n)
    assert counting_bound(told(columns * 5), 2) <= n
    monkeypatch.setattr(envelope, "BLOCK", 7)
    assert counting_lines(dict(zip((1, 2, 4), columns, strict=True)), 1) == lines
    with lowered(MAX_LINES=2):
        assert min(dense, n) <= counting_bound(told(columns), k) <= n


@pytest.mark.parametrize(
    ("columns", "threshold", "bound"),
    [
        (ADULT, "0.001", 0.1025190873),
        (ADULT, "0.0001", 0.0146449433),
        (ADULT[:3], "0.001", 0.02),
        (ADULT[:2], "0.001", 0.004),
    ],
)
def test_adult_with_the_threshold_itself_as_the_slack(
    adult: Population, columns: list[str], threshold: str, bound: float
) -> None:
    curve = exposure_bound_curve(adult, columns)
    assert curve.with_slack(threshold) == pytest.approx(bound, abs=5e-11)
    assert (
        curve(threshold)
        == exposure_bound(adult, threshold=threshold, columns=columns).high
        <= curve.with_slack(threshold)
    )


def test_the_curve_is_the_bound_at_every_threshold(adult: Population) -> None:
    for columns in (ADULT, ADULT[:1], ()):
        curve, truth = exposure_bound_curve(adult, columns), exposure_curve(adult, columns)
        sizes = [0, 1, 2, 9, 32, 100, 1000, 5000, adult.people - 1, adult.people, adult.people + 1]
        most = curve.at_most(sizes)
        assert (np.diff(most) >= 0).all()
        for size, people in zip(sizes, most.tolist(), strict=True):
            assert people / adult.people == exposure_bound(adult, k=size + 1, columns=columns).value
            assert above(Fraction(people, adult.people)) == curve.fewer_than(size + 1)
            assert people >= adult.class_sizes(columns).exposed(k=size + 1)
        for t in (0, "0.00001", "0.001", 0.3, 1):
            assert (
                truth(t)
                <= curve(t)
                == exposure_bound(adult, threshold=t, columns=columns).high
                <= curve.with_slack(t)
                <= 1
            )


@pytest.mark.long
def test_ten_thousand_random_tables() -> None:
    rng = np.random.default_rng(0)
    for _ in range(10_000):
        n, d = rng.integers(1, 41), rng.integers(2, 5)
        rows = (rng.random((d, n)) ** rng.uniform(0.5, 4) * rng.integers(1, 6, (d, 1))).astype(np.int64)
        joint = np.unique(rows.T @ 8 ** np.arange(d), return_counts=True)[1]
        alone = [np.unique(np.unique(row, return_counts=True)[1], return_counts=True) for row in rows]
        k = int(rng.integers(1, n + 2))
        bound = counting_bound(told([ClassSizes(*sizes) for sizes in alone]), k)
        assert joint[joint < k].sum() <= bound <= n


def test_twenty_columns_of_thousands_of_values() -> None:
    rng = np.random.default_rng(8)
    marginals = []
    for values in rng.integers(2, 5000, 20):
        law = np.arange(1, values + 1) ** -rng.uniform(4, 12)
        counts = rng.multinomial(10**9, law / law.sum())
        marginals.append(ClassSizes(*np.unique(counts[counts > 0], return_counts=True)))
    lines = counting_lines({1 << j: marginal for j, marginal in enumerate(marginals)}, 1)
    assert len(lines) > 1
    for k in (2, 10, 1000):
        assert counting_bound(told(marginals), k) == min(10**9, *(rare + (k - 1) * cells for rare, cells, _ in lines))


def covers_of(columns: str, groups: list[str]) -> list[list[str]]:
    known = [*columns, *groups]
    return [
        list(chosen)
        for size in range(1, len(known) + 1)
        for chosen in combinations(known, size)
        if set("".join(chosen)) == set(columns)
    ]


@given(
    st.lists(st.tuples(*[st.sampled_from("abc")] * 4), min_size=1, max_size=40),
    st.lists(st.sampled_from(["wx", "yz", "xy", "wxy", "xyz", "wz"]), max_size=3, unique=True),
    st.integers(2, 42),
)
def test_with_groups_it_is_the_least_over_all_covers(rows: list[Any], groups: list[str], k: int) -> None:
    def known(group: str) -> ClassSizes:
        sizes = tables.class_sizes(tables.restrict(rows, ["wxyz".index(column) for column in group]))
        return ClassSizes(list(sizes), list(sizes.values()))

    lines = counting_lines({as_group(tuple(g), "wxyz"): known(g) for g in [*"wxyz", *groups]}, 1)
    found = min(len(rows), *(rare + (k - 1) * cells for rare, cells, _ in [*lines, (len(rows), 0, ())]))
    assert found == min(counting_bound(told([known(g) for g in cover]), k) for cover in covers_of("wxyz", groups))
    assert found >= known("wxyz").exposed(k=k)


def test_groups_that_help_are_named(adult: Population) -> None:
    groups = [("sex", "income"), ("race", "workclass")]
    singly, grouped = (exposure_bound(adult, threshold="0.001", columns=ADULT, groups=g) for g in ((), groups))
    assert exposure(adult, threshold="0.001", columns=ADULT) < grouped.value < singly.value
    surely = max(adult.class_sizes(group).exposed(threshold="0.001") for group in groups)
    assert grouped.low == below(Fraction(surely, adult.people))
    assert grouped.method == "counting, with sex and income; race and workclass together"
    whole = exposure_bound(adult, threshold="0.001", columns=ADULT, groups=[ADULT])
    assert (
        whole.low
        <= whole.value
        == exposure(adult, threshold="0.001", columns=ADULT)
        <= whole.high
        == exactly(whole.low)
    )
    assert exposure_bound_curve(adult, ADULT, groups)("0.001") == grouped.high


def test_a_search_over_covers_that_is_cut_short_gives_a_bound_still(adult: Population) -> None:
    pairs = list(combinations(ADULT, 2))
    exact = exposure_bound(adult, k=10, columns=ADULT, groups=pairs).value
    with lowered(MAX_COVERS=1):
        cut_short = exposure_bound(adult, k=10, columns=ADULT, groups=pairs).value
    assert exposure(adult, k=10, columns=ADULT) <= exact <= cut_short <= 1


def test_at_the_ends(adult: Population) -> None:
    for at in ({"k": 1}, {"threshold": 0}):
        assert exposure_bound(adult, **at).high == 0
    beyond = exposure_bound(adult, k=adult.people + 1)
    assert (beyond.low, beyond.high) == (1, 1)
    everybody, nobody = ClassSizes([1], [10**6]), ClassSizes([10**6], [1])
    assert counting_bound(told([everybody, nobody, nobody]), 2) == 10**6
    assert counting_bound(told([nobody, nobody]), 10**6) == 10**6 - 1
    assert counting_bound(told([nobody, nobody]), 2) == 1


def test_a_billion_people_do_not_overflow() -> None:
    unique = ClassSizes([1], [10**9])
    assert counting_bound(told([unique] * 14), 2) == 10**9
    assert counting_bound(told([ClassSizes([10**9], [1])] * 14), 10**9) == 10**9 - 1
    assert counting_bound(told([ClassSizes([10**9], [1])] * 14), 10**30) == 10**9


def test_what_cannot_be_bounded(adult: Population) -> None:
    people = Population(pa.table({"id": [1, 1, 2], "x": ["a", "b", "a"]}), person="id")
    with pytest.raises(UnsupportedError, match="several rows"):
        exposure_bound(people, k=2)
    with pytest.raises(UnsupportedError, match=r"either threshold=.* or k="):
        exposure_bound(adult, k=2, threshold=0.1)
    with pytest.raises(InvalidValueError, match="'x0' counts 2 people, and another one 3"):
        counting_bound(told([ClassSizes([1], [2]), ClassSizes([1], [3])]), 2)
    with pytest.raises(InvalidValueError, match="at least one column"):
        counting_bound(told([]), 2)
    for group in ("sex", ("sex", "country"), ()):
        with pytest.raises(InvalidValueError, match="a group must be a sequence of columns out of sex, race"):
            exposure_bound(adult, k=2, columns=["sex", "race"], groups=[group])


def test_an_end_is_rounded_outwards() -> None:
    """The float next to 23/40 is below it."""
    few = Population(pa.table({"x": [f"{i}" for i in range(23)] + ["many"] * 17}))
    bound = exposure_bound(few, k=2)
    assert float(Fraction(23, 40)) < Fraction(23, 40) <= bound.high
    assert bound.low <= Fraction(23, 40)
    assert bound.value == 0.575
