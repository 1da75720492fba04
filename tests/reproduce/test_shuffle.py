"""The paper's tables, figures and numbers: ours are the printed ones, but for the slips that are known."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import discretion as dc
from discretion.reproduce.shuffle import printed
from reproduce.papers import EVERY_ITEM, EveryItem, drawn, made, row, slips

pytestmark = pytest.mark.long

TABLES = [name for paper, name in EVERY_ITEM if paper == "shuffle" and name.startswith("table")]
P = Fraction(3, 4)

# μ_k, the expected largest of k standard normals: 3/(2√π) for k = 3, the others from tables of order statistics.
MU = {3: 3 / (2 * math.sqrt(math.pi)), 4: 1.0293753730, 5: 1.1629644736}


class TestEveryItem(EveryItem):
    paper = "shuffle"


def item(name):
    return made("shuffle", name)


def as_printed(grid):
    """Return the printed channel at p = 3/4, exactly."""
    return {cell: printed.FORMULAS[entry](P, 1 - P) for cell, entry in printed.entries(grid).items()}


def cascade(first, second):
    """Return the product of two printed channels."""
    inputs = dict.fromkeys(row for row, _ in first)
    middle = dict.fromkeys(row for row, _ in second)
    outputs = dict.fromkeys(column for _, column in second)
    return {(x, z): sum(first[x, y] * second[y, z] for y in middle) for x, z in product(inputs, outputs)}


def test_what_the_propositions_say_leaks_the_same_does_and_a_composition_leaks_less_than_its_parts():
    rows = item("equivalences").rows
    for found in rows:
        as_much = found["gained more from the second"] == 0 and found["gained more from the first"] == 0
        if "≡" in found["statement"]:
            assert found["holds"] is True
            assert as_much
        else:
            assert found["holds"] is (found["statement"] in ("N ⊑ NS", "S ⊑ SN"))
            assert found["holds"] is (found["gained more from the second"] == 0)
            assert not as_much
    assert len(rows) == 3 * (5 + 4)


def test_figure_9_has_one_class_above_noise_and_shuffler():
    said = drawn("shuffle", "equivalences")["description"]
    assert "NS ≡ SN ≡ NSʳ ≡ SʳNʳ refines N, NS ≡ SN ≡ NSʳ ≡ SʳNʳ refines S ≡ Sʳ" in said


@pytest.mark.parametrize("name", TABLES)
def test_each_row_of_a_table_sums_to_one(name):
    sums = {}
    for cell in item(name).rows:
        sums[cell["row"]] = sums.get(cell["row"], 0) + cell["ours"]
    assert list(sums.values()) == pytest.approx([1] * len(sums), rel=1e-14)


def test_the_printed_tables_multiply_to_each_other_but_for_the_slips():
    noise, shuffle, reduced = (as_printed(grid) for grid in (printed.TABLE_1A, printed.TABLE_1B, printed.TABLE_1C))
    assert cascade(noise, shuffle) == cascade(shuffle, noise) == as_printed(printed.TABLE_2)
    assert cascade(noise, reduced) == as_printed(printed.TABLE_5)


def test_table_iii_swaps_two_entries_of_the_channel_that_table_v_prints_right():
    third, fifth = as_printed(printed.TABLE_3), as_printed(printed.TABLE_5)
    wrong = {cell for cell in fifth if third[cell] != fifth[cell]}
    assert wrong == {("bbb", "a:2,b:1"), ("bbb", "a:1,b:2")}
    assert slips(item("table-3")) == {" → ".join(cell) for cell in wrong}
    assert slips(item("table-5")) == set()


def test_table_iv_divides_by_three_once_too_often():
    fourth = as_printed(printed.TABLE_4)
    stray = [cell for cell, entry in printed.entries(printed.TABLE_4).items() if entry.endswith("/3")]
    assert slips(item("table-4")) == {" → ".join(cell) for cell in stray}
    assert sum(value for (row, _), value in fourth.items() if row == "a:2,b:1") < 1
    right = {cell: 3 * value if cell in stray else value for cell, value in fourth.items()}
    assert cascade(as_printed(printed.TABLE_1C), right) == as_printed(printed.TABLE_5)


@pytest.mark.parametrize(
    ("p", "expected"),
    [(0.9, "0.5225"), (1, "0.5282"), (0.6, "0.5056")],
)
def test_figure_2_ends_at_the_printed_guesses(p, expected):
    assert f"{row(item('figure-2'), n=200, p=p)['NS']:.4f}" == expected


def test_figure_2_starts_as_the_text_says_and_steps_every_second_n():
    assert row(item("figure-2"), n=1, p=0.9)["NS"] == row(item("figure-2"), n=1, p=0.9)["N"] == 0.9
    assert row(item("figure-2"), n=2, p=0.9)["NS"] == pytest.approx(0.7, rel=1e-14)
    for n in range(2, 200, 2):
        assert row(item("figure-2"), n=n, p=1)["NS"] == pytest.approx(
            row(item("figure-2"), n=n + 1, p=1)["NS"], rel=1e-13
        )


def test_0_5286_is_a_slip_for_0_5282():
    twice = [number for number in item("figure-2").published if number.printed in ("0.5282", "0.5286")]
    assert [(number.agrees, f"{number.ours:.5f}") for number in twice] == [(True, "0.52817"), (False, "0.52817")]


def eq_10(p, first, second):
    """Return the strong adversary's guess among binary reports by the definition, sum and max in their right places."""

    def law(n, share):
        return [math.comb(n, i) * share**i * (1 - share) ** (n - i) for i in range(n + 1)]

    holds = [np.convolve(law(first + mine, p), law(second + 1 - mine, 1 - p)) for mine in (1, 0)]
    return float(np.maximum(*holds).sum()) / 2


@pytest.mark.parametrize(("known", "expected"), [(0, "0.52111"), (100, "0.52116")])
def test_figure_3_has_the_printed_guesses(known, expected):
    assert f"{row(item('figure-3'), p=0.8, **{'known a': known})['NS']:.5f}" == expected


@pytest.mark.parametrize("p", [1, 0.9, 0.8, 0.7, 0.6])
def test_figure_3_is_the_definition_and_largest_at_one_half(p):
    rows = {row["known a"]: row["NS"] for row in item("figure-3").rows if row["p"] == p}
    for known in (0, 35, 100, 200):
        assert rows[known] == pytest.approx(eq_10(p, known, 200 - known), rel=1e-10)
    assert max(rows.values()) == pytest.approx(rows[100], rel=1e-14)


def test_between_the_crowds_of_figure_3_the_guess_falls_below_that_at_none():
    """So "all others on one value" is not the weakest crowd either."""
    assert eq_10(0.8, 3, 197) < eq_10(0.8, 0, 200)
    guess = dc.posterior_vulnerability(
        dc.Shuffled(dc.RandomizedResponse(2, p=0.8), 201).seen_by(dc.AllButOne([3, 197]))
    )
    assert guess == pytest.approx(eq_10(0.8, 3, 197), rel=1e-10)


def average_largest_share(n, k):
    """Return the guess through the shuffler by Proposition 20, over all datasets."""
    return Fraction(sum(max(map(dataset.count, range(k))) for dataset in product(range(k), repeat=n)), n * k**n)


@pytest.mark.parametrize("p", [1, 0.8, 0.6, 0.4])
def test_figure_4_is_the_definition(p):
    for n in (1, 2, 6):
        largest = float(average_largest_share(n, 5))
        assert row(item("figure-4"), n=n, p=p)["NS"] == pytest.approx(largest * p + (1 - largest) * (1 - p) / 4)


@pytest.mark.parametrize(("n", "expected"), [(100, "0.3826"), (1000, "0.3488")])
def test_figure_5_has_the_printed_guesses(n, expected):
    assert f"{row(item('figure-5'), n=n, k=3)['S']:.4f}" == expected


def test_figure_5_is_theorem_17_and_proposition_20():
    theorem_17 = Fraction(1, 2) + Fraction(math.comb(999, 499), 2**1000)
    assert row(item("figure-5"), n=1000, k=2)["S"] == pytest.approx(float(theorem_17), rel=1e-12)
    assert row(item("figure-5"), n=10, k=3)["S"] == pytest.approx(float(average_largest_share(10, 3)), rel=1e-12)


@pytest.mark.parametrize(("k", "share"), [(3, 0.24), (4, 0.14), (5, 0.09)])
def test_the_paper_s_constant_is_off_for_good(k, share):
    off = row(item("figure-6"), n=1_000_000, k=k)["paper's form with constant 1 off by"]
    assert 1 + off == pytest.approx(math.sqrt(math.log(k)) / MU[k], rel=1 / math.sqrt(1_000_000))
    assert round(off, 2) == share
    (factor,) = (number for number in item("figure-6").published if f"k = {k}" in number.what)
    assert factor.ours == pytest.approx(MU[k] / math.sqrt(math.log(k)), rel=1e-9)


@pytest.mark.parametrize("k", [3, 4, 5])
def test_the_first_and_second_order_tend_to_the_exact_guess(k):
    for form, power in (("first order", 0.5), ("second order", 1)):
        off = {n: abs(row(item("figure-6"), n=n, k=k)[f"{form} off by"]) for n in (10_000, 1_000_000)}
        assert off[1_000_000] == pytest.approx(off[10_000] / 100**power, rel=0.05)


def test_in_figure_7_every_approximation_is_off_by_the_same_share_for_all_p():
    for n in (10, 1000, 1_000_000):
        for form in ("paper's form with constant 1", "first order", "second order"):
            off = [row(item("figure-7"), n=n, p=p)[f"{form} off by"] for p in (1, 0.8, 0.6)]
            assert off == pytest.approx([off[0]] * 3, abs=1e-9)


def test_the_known_slips_among_the_numbers_are_these():
    wrong = [(number.printed, round(number.ours, 4)) for number in item("numbers").published if number.slip]
    assert wrong == [("0.5286", 0.5282), ("8", 3), ("1", 0.8074), ("1", 0.8743), ("1", 0.9167), ("6", 4)]


def test_the_formulas_that_are_slips_are_named():
    said = " ".join(item("numbers").findings)
    assert all(name in said for name in ("Eq. (10)", "Eq. (12)", "1/n!", "1/√n, not exponentially"))
