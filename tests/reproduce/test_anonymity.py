"""The paper's figures, constructions and numbers: ours are the printed ones, but for the slips that are known."""

import math
from collections import Counter
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest

import discretion as dc
from oracles.laws import binomial
from reproduce.papers import EveryItem, drawn, made, row, slips

pytestmark = pytest.mark.long

FOUR = "sex, income, race, workclass"
THREE = "sex, income, race"
TWO = "sex, income"


class TestEveryItem(EveryItem):
    paper = "anonymity"


def item(name):
    return made("anonymity", name)


def of(columns):
    return [found for found in item("figure-2").rows if found["columns"] == columns]


@pytest.mark.parametrize(
    ("columns", "threshold", "quantity", "expected"),
    [
        (FOUR, 1e-3, "theorems", 0.4697786644),
        (FOUR, 1e-3, "counting", 0.1025190873),
        (FOUR, 1e-3, "truth", 0.0206074752),
        (FOUR, 1e-4, "theorems", 0.1962136653),
        (FOUR, 1e-4, "counting", 0.0146449433),
        (THREE, 1e-3, "theorems", 0.1604215318),
        (THREE, 1e-3, "counting", 0.02),
        (TWO, 1e-3, "theorems", 0.0060460496),
        (TWO, 1e-3, "counting", 0.004),
    ],
)
def test_figure_2_has_the_known_values(columns, threshold, quantity, expected):
    assert row(item("figure-2"), columns=columns, threshold=threshold)[quantity] == pytest.approx(expected, abs=5e-11)


@pytest.mark.parametrize("columns", [TWO, THREE, FOUR])
def test_in_figure_2_the_truth_is_at_most_counting_which_is_at_most_the_theorems(columns):
    rows = of(columns)
    assert len(rows) > 90
    assert all(found["truth"] <= found["counting"] <= found["theorems"] * (1 + 1e-12) for found in rows)
    for quantity in ("threshold", "truth", "theorems", "counting"):
        values = [found[quantity] for found in rows]
        assert all(before <= after * (1 + 1e-12) for before, after in pairwise(values))


def people_rare_and_values_frequent(classes, cut):
    """Return how many people have a value of a smaller share than the cut, and how many values have no smaller one."""
    return sum(size for size in classes if size < cut), sum(size >= cut for size in classes)


@pytest.mark.parametrize("threshold", [1e-4, 1e-3, 0.01, 0.1])
def test_figure_2_is_the_definition_and_the_counting_bound_cut_by_cut(threshold):
    adult, columns = dc.Population("example:adult"), THREE.split(", ")
    n, t = adult.people, Fraction(str(threshold))
    sizes = [[int(s) for s in np.repeat(c.sizes, c.counts)] for c in map(adult.class_sizes, ([c] for c in columns))]
    together = adult.class_sizes(columns)
    least = min(
        sum(rare for rare, _ in cut) + t * n * math.prod(frequent for _, frequent in cut)
        for cut in product(
            *({people_rare_and_values_frequent(some, cut) for cut in (0, *some, n + 1)} for some in sizes)
        )
    )
    found = row(item("figure-2"), columns=THREE, threshold=threshold)
    assert found["counting"] == pytest.approx(float(min(1, least / n)), rel=1e-12)
    exposed = sum(s * c for s, c in zip(together.sizes.tolist(), together.counts.tolist(), strict=True) if s < t * n)
    assert found["truth"] == pytest.approx(exposed / n, rel=1e-12)


def test_in_figure_2_single_features_are_certified_by_themselves():
    for column in FOUR.split(", "):
        assert all(found["truth"] == pytest.approx(found["theorems"], rel=1e-12) for found in of(column))


def test_each_panel_of_figure_2_has_a_key_of_its_own_and_draws_steps_upright():
    specification = drawn("anonymity", "figure-2")
    assert all(
        part["resolve"]["scale"]["strokeDash"] == "independent" for part in [specification, *specification["vconcat"]]
    )
    panels = [panel for some in specification["vconcat"] for panel in some["hconcat"]]
    assert [panel["title"]["text"] for panel in panels] == ["each feature alone", TWO, THREE, FOUR]
    sex = [point for point in specification["datasets"][panels[0]["data"]["name"]] if point["curve"] == "sex"]
    jumps = [(a, b) for a, b in pairwise(sex) if a["share"] != b["share"]]
    assert len(jumps) == 2
    assert all(a["threshold"] == b["threshold"] for a, b in jumps)


N, LAW = 128, (0.4, 0.3, 0.2, 0.1)


def exact_deviation(part):
    """Return the standard deviation of the sum of parts of multinomial counts, from their joint laws two by two."""
    logs = np.array([math.lgamma(j + 1) for j in range(N + 1)])
    a, b = np.meshgrid(np.arange(N + 1), np.arange(N + 1), indexing="ij")
    inside = a + b <= N
    left = np.where(inside, N - a - b, 0)
    mean = square = 0.0
    for u, p in enumerate(LAW):
        once = np.array([binomial(N, j, p) for j in range(N + 1)])
        mean += once @ part
        square += once @ part**2
        for v, q in enumerate(LAW):
            if u != v:
                log = logs[N] - logs[a] - logs[b] - logs[left] + a * math.log(p) + b * math.log(q)
                joint = np.where(inside, np.exp(log + left * math.log(1 - p - q)), 0)
                square += part @ joint @ part
    return math.sqrt(square - mean**2)


@pytest.mark.parametrize("k", [13, 26, 39, 52, 60, 67])
def test_figure_3_has_the_deviations_of_the_multinomial_law(k):
    j = np.arange(N + 1)
    part = {
        "exposure": np.where(j < k, j / N, 0),
        "statistical exposure": np.array(
            [s / N * sum(binomial(N - 1, i, s / N) for i in range(k - 1)) for s in range(N + 1)]
        ),
    }
    found = row(item("figure-3"), k=k)
    for name, parts in part.items():
        assert found[f"{name}, deviation"] == pytest.approx(exact_deviation(parts), rel=0.1)


def test_in_figure_3_the_truth_is_definition_7_and_the_mean_exposure_of_a_sample():
    for found in item("figure-3").rows[1:]:
        truth = sum(p * sum(binomial(N - 1, i, p) for i in range(found["k"] - 1)) for p in LAW)
        assert found["truth"] == pytest.approx(truth, rel=1e-10)
        assert found["exposure, mean"] == pytest.approx(truth, abs=5 * 0.22 / math.sqrt(1000))


def test_figure_3_shows_the_steadier_estimate_and_where_it_is_not():
    rows = item("figure-3").rows
    assert len(rows) == N
    steadier = [found for found in rows if found["statistical exposure, deviation"] < found["exposure, deviation"]]
    assert all(found in steadier for found in rows if 0.05 < found["truth"] < 0.95)
    for quantity in ("deviation", "error"):
        statistical, plain = (
            sum(found[f"{name}, {quantity}"] for found in rows) for name in ("statistical exposure", "exposure")
        )
        assert statistical < 0.7 * plain
    said = " ".join(item("figure-3").findings)
    assert "does not print p; we take (0.4, 0.3, 0.2, 0.1)" in said
    assert f"smaller for {len(steadier)} of the 128 k" in said


def entropy(sizes):
    n = sum(sizes)
    return sum(size / n * math.log2(n / size) for size in sizes if size)


@pytest.mark.parametrize("alike", [1, 2, 4, 8, 16, 32, 64, 128])
def test_proposition_13_is_met_by_its_examples_and_by_no_table_of_8_bits(alike):
    found, bits = row(item("proposition-13"), **{"largest class": alike}), math.log2(2**16 / alike)
    assert found["bound"] == pytest.approx(8 / bits, rel=1e-12)
    rare = math.floor(8 / bits * 2**16 / alike)
    assert found["example"] == rare * alike / 2**16
    assert found["example, bits"] == pytest.approx(entropy([alike] * rare + [2**16 - alike * rare]), rel=1e-10)
    assert 8 - bits * alike / 2**16 <= found["example, bits"] <= 8 + 1 / (math.e * math.log(2))
    assert found["example"] <= found["example, bound"]
    most = round(found["within 8 bits"] * 2**16 / alike)
    assert found["within 8 bits, bits"] == pytest.approx(entropy([alike] * most + [2**16 - alike * most]), rel=1e-10)
    assert found["within 8 bits, bits"] <= 8 < entropy([alike] * (most + 1) + [2**16 - alike * (most + 1)])


def test_half_of_the_users_may_be_unique_but_not_at_the_printed_threshold():
    published = {number.what: number for number in item("proposition-13").published}
    assert published["Q of the example at t = 2^-16, B = 8 bits"].ours == 0
    assert published["Q of the example just above it"].ours == 0.5
    assert published["the bound at t = 2^-16, 8 bits"].agrees
    assert any("at most 30,780, 47.0 % of them" in finding for finding in item("proposition-13").findings)


def rows_of_proof(c, columns):
    """Return the rows of Appendix C's table, one group after the other."""
    rows = []
    for group in range(2**columns):
        some = [[group >> column & 1 for column in range(columns)] for _ in range(3 * c.denominator)]
        if group < columns:
            some[0][group] = "⊥"
        rows += map(tuple, some)
    return rows


def exposed(rows, threshold):
    counts = Counter(rows)
    return Fraction(sum(counts[some] < threshold * len(rows) for some in rows), len(rows))


@pytest.mark.parametrize(("denominator", "columns"), [(1, 2), (1, 5), (2, 3), (2, 6), (4, 4)])
def test_theorem_4_is_attained_by_the_table_of_its_proof_row_by_row(denominator, columns):
    c = Fraction(1, denominator)
    rows = rows_of_proof(c, columns)
    share = Fraction(len(rows) // 2 - 1, len(rows))
    alone = sum(exposed([some[column] for some in rows], share) for column in range(columns))
    together = exposed(rows, c * share**columns)
    assert alone == Fraction(columns, len(rows))
    assert together == (alone if c < 1 else 3 * alone)
    found = row(item("theorem-4"), table="Appendix C", c=float(c), size=columns)
    assert found["people"] == len(rows)
    assert (found["sum of columns"], found["exposure"]) == pytest.approx((float(alone), float(together)), rel=1e-12)


@pytest.mark.parametrize("c", [0.5, 0.25])
def test_the_slack_of_theorem_3_is_all_that_two_nearly_alike_columns_expose(c):
    """MATHS section 5."""
    found = [some for some in item("theorem-4").rows if some["table"] != "Appendix C" and some["c"] == c]
    for some in found:
        assert some["sum of columns"] == 0
        assert some["people"] == some["size"] ** 2 / c
        assert some["exposure"] == pytest.approx(c * (1 - 1 / some["size"]), rel=1e-12)
        assert some["theorems"] == pytest.approx(c, rel=1e-8)
    assert found[-1]["exposure"] > 0.96 * c


def test_no_exposure_of_theorem_4_is_above_the_theorems():
    assert all(found["exposure"] <= found["theorems"] for found in item("theorem-4").rows)


def test_the_known_slips_are_these():
    assert slips(item("numbers")) == {
        "ln of 331 million",
        "what a million more changes",
        "millions, the largest factor of ε = 19.61",
        "features",
        "2nγ² that is enough, |V| = 5, δ = 0.05",
        "KL of p0 and p1, s = 4, ε = 1/32: at most",
        "n times the last bound on KL: at most",
        "change at (1, 0), n = k = 1000: at most",
        "I_(1-p)(n-(k-1), k-1), n = 10, k = 3, p = 1/2",
        "√e/2 τ/(1-τ²), τ = 1/2: at most",
        "Σ √(p_i/(1-p_i)), p = (9/10, 1/10): at most",
        "H of workclass on Adult, in bits",
        "Q of the example at t = 2^-16, B = 8 bits",
        "the part of its n values of share t",
    }


@pytest.mark.parametrize(
    ("what", "printed", "ours"),
    [
        ("change at (1, 0), n = k = 1000: at most", 5.4e-5, 1.0e-3),
        ("2nγ² that is enough, |V| = 5, δ = 0.05", math.log(100), math.log(200)),
        ("KL of p0 and p1, s = 4, ε = 1/32: at most", 1 / 6 - 1 / 7, math.log(1 / 2) / 8 + 7 * math.log(7 / 6) / 8),
        ("I_(1-p)(n-(k-1), k-1), n = 10, k = 3, p = 1/2", 176 / 1024, 10 / 512),
        ("Σ √(p_i/(1-p_i)), p = (9/10, 1/10): at most", 2, 10 / 3),
    ],
)
def test_the_slips_are_off_by_this(what, printed, ours):
    (wrong,) = (number for number in item("numbers").published if number.what == what)
    assert (wrong.value, wrong.ours) == pytest.approx((printed, ours), rel=0.01)


@pytest.mark.parametrize(("s", "change"), [(2, Fraction(1, 8)), (4, Fraction(1, 32)), (9, Fraction(1, 1000))])
def test_the_end_of_appendix_f_is_right(s, change):
    """The chain of inequalities is not, but its negative term may be left out."""
    rare, change = float(1 / Fraction(s**2) - change), float(change)
    divergence = s * rare * math.log(rare * s**2) + (1 - s * rare) * math.log((1 - s * rare) * s / (s - 1))
    assert divergence <= s**2 * change / (s - 1) <= 2 * s**2 * change / (s - 1)


def test_what_appendix_g_holds_for_no_constant_that_depends_on_the_support():
    gap = 1e-9
    ratios = [
        dc.anonymity.statistical_exposure([1 - gap, gap], n, n) / (math.sqrt(n) * gap) for n in (10**2, 10**4, 10**6)
    ]
    assert ratios == pytest.approx([10, 100, 1000], rel=0.02)


def test_of_adult_the_paper_took_these_columns():
    numbers = {number.what: number.ours for number in item("figure-2").published}
    assert numbers == {
        "users": 32561, "features": 15, "values of sex": 2, "values of income": 2, "values of race": 5,
        "values of workclass": 9,
    }  # fmt: skip


def test_by_value_more_may_go_out_with_every_round_than_by_column() -> None:
    rows = item("section-8").rows
    assert [row["round"] for row in rows] == [1, 2, 3, 4, 5]
    bits = [row["by value, bits"] for row in rows]
    assert bits == sorted(bits)
    assert all(row["by value, bits"] > 2 * row["by column, bits"] for row in rows)
    assert all(row["by value, exposed"] <= row["by value, certified"] <= 0.01 for row in rows)
    assert rows[-1]["by column"] == "sex race"
    assert all(number.agrees for number in item("section-8").published)


def test_the_less_a_curator_receives_the_less_goes_out_and_rounds_by_value_are_between() -> None:
    rows = {row["design"]: row for row in item("section-3").rows}
    trusted, by_value, coarse, two = (
        rows[name] for name in ("trusted curator", "rounds by value", "two rounds, coarsened", "two rounds")
    )
    received, goes_out = "curator, bits of a record", "utility"
    assert trusted[received] > by_value[received] > coarse[received] == two[received]
    assert trusted[goes_out] > by_value[goes_out] > coarse[goes_out] > two[goes_out]
    assert rows["no curator"]["participants, bits of a record"] == two[received]
    assert all(row["exposed"] <= row["certified"] for row in rows.values())
    assert all(row["certified"] <= 0.01 for name, row in rows.items() if name != "randomized answers")


def test_single_features_of_a_sample_bound_the_exposure_of_other_users_and_the_entropy_of_their_law() -> None:
    rows = item("section-7").rows
    assert [row["users sampled"] for row in rows] == [300, 1000, 3000, 10_000, 30_000, 100_000]
    law = np.array([1.0])
    for values in (2, 5, 400):
        weights = 1 / np.arange(1, values + 1) ** 2
        law = np.outer(law, weights / weights.sum()).ravel()
    truth = sum(p * binomial_tail(p) for p in law.tolist())
    bits = -float(law @ np.log2(law))
    for found in rows:
        assert found["truth"] == pytest.approx(truth, rel=1e-9)
        assert found["bits"] == pytest.approx(bits, rel=1e-12)
        assert found["bits, at least"] <= bits <= found["bits, at most"]
        assert truth <= found["single features"] <= found["single features, values unknown"]
        assert found["single features"] <= found["randomized single features"]
        assert truth <= found["features together"]
    for bound in ("features together", "single features", "single features, values unknown", "bits, at most"):
        assert all(before[bound] >= after[bound] for before, after in pairwise(rows))


def binomial_tail(p: float, others: int = 99_999, most: int = 8) -> float:
    """Return how probable it is that at most so many of the others have a value."""
    return math.fsum(
        math.exp(math.log(math.comb(others, x)) + x * math.log(p) + (others - x) * math.log1p(-p))
        for x in range(most + 1)
    )
