"""The paper's examples, tables and figures: ours are the printed ones, but for the slips that are known."""

import json
import math
from itertools import combinations, product

import numpy as np
import pytest
from scipy.stats import entropy

import discretion as dc
from discretion.reproduce import PAPERS
from discretion.reproduce.ldp.costs import encoding_cells, tuples
from discretion.reproduce.ldp.digits import excess, rounded_entropy
from oracles import local_closed_forms, local_information, population_laws
from reproduce.papers import EveryItem, drawn, findings, made, row

pytestmark = pytest.mark.long

HALF = [0.5] * 3

# MATHS section 3: Jeffreys' prior, ε = 2.
PRIVATE = {
    ("GRR", 3): 0.62140509, ("GRR", 5): 0.70452956, ("GRR", 10): 0.81315250,
    ("basic RAPPOR", 3): 0.74870720, ("basic RAPPOR", 5): 0.77017423, ("basic RAPPOR", 10): 0.80162635,
    ("OUE", 3): 0.79026089, ("OUE", 5): 0.80451275, ("OUE", 10): 0.82649874,
    ("BLH", 3): 0.79704335, ("BLH", 5): 0.81945816, ("BLH", 10): 0.84969848,
}  # fmt: skip


class TestEveryItem(EveryItem):
    paper = "ldp"


def item(name):
    return made("ldp", name)


def curve(protocol):
    return [row for row in item("figure-3").rows if row["protocol"] == protocol]


def digamma(halves):
    """Return ψ(halves/2) + γ exactly but for log 2, by ψ(z+1) = ψ(z) + 1/z from ψ(1) = -γ and ψ(1/2) = -γ - 2 log 2."""
    start = 2 - halves % 2
    return (-2 * math.log(2) if start == 1 else 0) + sum(2 / step for step in range(start, halves, 2))


@pytest.mark.parametrize("k", range(1, 7))
def test_example_3_2_is_formula_4_3(k):
    expected = (digamma(k + 2) - digamma(3)) / (digamma(2 * k + 2) - digamma(3))
    assert row(item("example-3-2"), k=k)["ours"] == pytest.approx(expected, abs=1e-12)


def test_table_4_1_has_the_information_of_maths():
    part = {(cell["row"], cell["column"]): cell["ours"] for cell in item("table-4-1").rows}
    assert part["users", "nonprivate"] == pytest.approx(1.73852718, abs=1e-8)
    assert part["aggregator", "nonprivate"] == pytest.approx(1.00860663, abs=1e-8)
    told = part["aggregator", "total"] - part["aggregator", "nonprivate"]
    known = part["users", "total"] - part["users", "nonprivate"]
    assert 1 - told / known == pytest.approx(PRIVATE["GRR", 3], abs=1e-8)
    for who in ("users", "aggregator"):
        assert sum(part[who, name] for name in ("nonprivate", "group-private", "individual private")) == pytest.approx(
            part[who, "total"]
        )


def test_nobody_is_told_more_than_there_is_to_know():
    part = {(cell["row"], cell["column"]): cell["ours"] for cell in item("table-4-1").rows}
    for (who, name), value in part.items():
        assert 0 <= value <= part["users", name], (who, name)


@pytest.mark.parametrize(("w", "printed"), [(0, "-0.987"), (1, "-0.987"), (0.5, "-0.691")])
def test_remark_7_9_has_the_printed_utilities(w, printed):
    assert f"{row(item('remark-7-9'), **{'weight of Q²': w})['U']:.3f}" == printed


def test_mixing_keeps_privacy_and_gains_utility():
    """Propositions 7.8's two halves: privacy is linear in the weights, utility at least that, largest at half each."""
    rows = item("remark-7-9").rows
    assert [mixed["S"] for mixed in rows] == pytest.approx([rows[0]["S"]] * len(rows), rel=1e-12)
    assert all(mixed["U high"] >= rows[0]["U"] for mixed in rows)
    by_weight = {mixed["weight of Q²"]: mixed for mixed in rows}
    assert max(rows, key=lambda mixed: mixed["U"])["weight of Q²"] == 0.5
    for weight, mixed in by_weight.items():
        mirrored = by_weight[min(by_weight, key=lambda other: abs(1 - weight - other))]
        assert mixed["U low"] - 1e-4 <= mirrored["U"] <= mixed["U high"] + 1e-4


def test_table_10_1_gives_every_encoding_the_epsilon_asked_for():
    cells = {(cell["row"], cell["column"]): cell["ours"] for cell in item("table-10-1").rows}
    for name in ("basic RAPPOR", "OUE", "BLH"):
        kappa, lam = cells[name, "κ"], cells[name, "λ"]
        assert math.log(kappa * (1 - lam) / (lam * (1 - kappa))) == pytest.approx(2, rel=1e-14)
    assert (cells["OUE", "κ"], cells["BLH", "λ"]) == (0.5, 0.5)
    assert cells["basic RAPPOR", "κ"] + cells["basic RAPPOR", "λ"] == pytest.approx(1)


@pytest.mark.parametrize(("protocol", "a"), PRIVATE)
def test_figure_2_goes_through_the_values_of_maths(protocol, a):
    found = row(item("figure-2"), protocol=protocol, a=a)
    assert found["S"] == pytest.approx(PRIVATE[protocol, a], abs=1e-8)
    assert found["S worst case"] == pytest.approx(math.exp(-2))


def test_in_figure_2_grr_hides_most_for_many_values_and_least_for_few():
    for a, best in ((2, min), (5, min), (14, None), (15, max), (50, max)):
        private = {found["protocol"]: found["S"] for found in item("figure-2").rows if found["a"] == a}
        if best is None:
            assert private["GRR"] < private["BLH"]
        else:
            assert best(private, key=private.__getitem__) == "GRR"
    odds = math.exp(2)
    for protocol, kappa, lam in (("OUE", 1 / 2, 1 / (odds + 1)), ("BLH", odds / (odds + 1), 1 / 2)):
        expected = local_closed_forms.unary_privacy(50, 0.5, kappa, lam)
        assert row(item("figure-2"), protocol=protocol, a=50)["S"] == pytest.approx(expected, rel=1e-10)


def worth_of_response(epsilon):
    return math.exp(2 * local_closed_forms.response_asymptotic_utility(HALF, epsilon) - 2 * no_noise())


def no_noise():
    return local_closed_forms.no_noise(HALF)


def test_figure_3_is_proposition_10_1_for_grr():
    for found in curve("GRR")[1:-1]:
        assert found["S"] == pytest.approx(local_closed_forms.response_privacy(HALF, found["epsilon"]), rel=1e-9)
        assert found["F"] == pytest.approx(worth_of_response(found["epsilon"]), rel=1e-9)


def test_figure_3_runs_from_nothing_told_to_all_or_some():
    for protocol, private, worth in (
        ("GRR", 0, 1), ("basic RAPPOR", 0, 1),
        # Half of the people say all, the others nothing; and with κ = 1 nothing but a bit of noise on the others.
        ("OUE", 0.5, 0.5),
        ("BLH", local_closed_forms.unary_privacy(3, 0.5, 1 - 1e-15, 0.5), None),
    ):  # fmt: skip
        first, *_, last = curve(protocol)
        assert (first["epsilon"], first["F"]) == (0, 0)
        assert first["S"] == pytest.approx(1, rel=1e-10)
        assert (last["epsilon"], last["S worst case"]) == (math.inf, 0)
        assert last["S"] == pytest.approx(private, abs=1e-9)
        if worth is not None:
            assert last["F"] == pytest.approx(worth, abs=1e-9)


def test_at_one_worst_case_grr_is_worth_most_as_section_10_4_says():
    for protocol in ("basic RAPPOR", "OUE", "BLH"):
        for found in curve(protocol)[1:-1]:
            assert found["F"] < worth_of_response(found["epsilon"])


def test_at_one_average_privacy_grr_is_worth_most_where_privacy_is_highest_and_then_oue_and_rappor():
    """Section 10.4 has OUE where privacy is high; two independent closed forms say that GRR is, at S = 0.95."""
    best = {}
    for level in (0.95, 0.8, 0.3):
        rows = [found for found in item("figure-3").rows if found["S"] == pytest.approx(level, abs=1e-9)]
        best[level] = max(rows, key=lambda found: found["F"])["protocol"]
    assert best == {0.95: "GRR", 0.8: "OUE", 0.3: "basic RAPPOR"}
    assert any("not at the highest" in finding for finding in item("figure-3").findings)


def test_oue_is_worth_less_than_grr_at_095_by_an_independent_route():
    (found,) = (found for found in curve("OUE") if found["S"] == pytest.approx(0.95, abs=1e-9))
    lam = 1 / (math.exp(found["epsilon"]) + 1)
    channel = [
        [math.prod((0.5 if i == x else (lam if bit else 1 - lam)) for i, bit in enumerate(bits))
         for bits in product((0, 1), repeat=3)]
        for x in range(3)
    ]  # fmt: skip
    law = population_laws.law_of(dc.Dirichlet(HALF))
    assert found["F"] == pytest.approx(local_information.effective_participation(np.array(channel), law), rel=1e-6)
    (grr,) = (found for found in curve("GRR") if found["S"] == pytest.approx(0.95, abs=1e-9))
    assert found["F"] < worth_of_response(grr["epsilon"])


def test_figure_3_shows_that_oue_overtakes_grr_below_092():
    """MATHS section 8: OUE is best from S = .91 down."""
    beside = {
        (found["protocol"], round(found["S"], 6)): found["F beside GRR"]
        for found in item("figure-3").rows
        if found["F beside GRR"] is not None
    }
    assert beside["OUE", 0.92] < 1 < beside["OUE", 0.91]
    assert {value for (name, _), value in beside.items() if name == "GRR"} == {1}
    assert min(level for _, level in beside) == 0.7
    assert any("OUE overtakes GRR at S = 0.9119" in finding for finding in item("figure-3").findings)
    assert len(drawn("ldp", "figure-3")["vconcat"]) == 4


def test_the_known_slips_are_these():
    wrong = {number.what: number for number in item("numbers").published if number.slip}
    sign = wrong["I(X;P) by (D.20), a = 3, n = 10"]
    assert (round(sign.value, 2), round(sign.ours, 4)) == (15.07, 1.7385)
    assert len(wrong) == 2


def test_the_formulas_that_are_slips_are_named():
    said = findings("ldp")
    assert all(name in said for name in ("(9.5)", "(D.9)", "Corollary 6.8", "Theorem 8.1", "Section 11", "ε → 1"))


def test_local_hashing_is_reproduced_by_the_class_where_its_functions_part_the_values_as_all_do():
    # The value of (7.6), by one channel of all 81 functions.
    g, answer = 3, np.array(dc.RandomizedResponse(3, epsilon=0.5).channel().matrix)
    everything = np.hstack([answer[list(h)] for h in product(range(g), repeat=4)]) / g**4
    assert dc.information.average_privacy(dc.Channel(everything)) == pytest.approx(0.983302, abs=5e-7)
    assert dc.information.average_privacy(dc.LocalHashing(4, 0.5, g=3)) == pytest.approx(0.983244, abs=5e-7)
    hashed = [entry for entry in item("numbers").published if "(7.6)" in entry.what]
    assert sum("LocalHashing" in entry.what and "linear" not in entry.what for entry in hashed) == 3
    assert all(abs(entry.difference) < 1e-10 for entry in hashed)


def test_the_best_guess_of_a_report_hashed_by_all_functions_is_right_less_often_than_by_the_linear_ones():
    response, g = dc.RandomizedResponse(4, epsilon=1), 4
    answer = np.array(response.channel().matrix)
    everything = dc.Channel(np.hstack([answer[list(h)] for h in product(range(g), repeat=4)]) / g**4)
    linear = dc.LocalHashing(4, 1, g=g)
    assert dc.posterior_vulnerability(everything) == pytest.approx(0.3803, abs=5e-5)
    assert dc.posterior_vulnerability(linear) == pytest.approx(0.4190, abs=5e-5)
    assert dc.refines(response, linear).holds is True
    assert dc.refines(response, everything).holds is False


def test_figure_1_has_the_information_of_its_arrows():
    """MATHS section 3, and Jeffreys' law of three shares: H(X|P) = ψ(5/2) - ψ(3/2) = 2/3."""
    passed = {found["arrow"]: found["nats"] for found in item("figure-1").rows}
    e, leaked = math.exp(2), (1 - 0.62140509) * 2 / 3
    noise = -e / (e + 2) * math.log(e / (e + 2)) - 2 / (e + 2) * math.log(1 / (e + 2))
    assert passed == pytest.approx(
        {
            "P → X1": math.log(3) - 2 / 3, "X1 → Y1": math.log(3) - noise, "P → Y1": 0.18064300,
            "P → all X": 1.73852718, "all X → all Y": 1.00860663 + 10 * leaked, "P → all Y": 1.00860663,
        },
        abs=1e-7,
    )  # fmt: skip
    assert "hidden from the aggregator" in json.dumps(drawn("ldp", "figure-1"), ensure_ascii=False)


def rounded(shares, cells, coordinates):
    """Return the entropy of equally likely points, rounded to the lattice of step 1/cells in these coordinates."""
    places = np.rint(shares[:, coordinates] * cells) @ (100.0 ** np.arange(len(coordinates)))
    return float(entropy(np.unique(places, return_counts=True)[1]))


@pytest.mark.parametrize("cells", [7, 7.3, 12.5])
def test_lemma_4_7_rounds_as_points_of_a_grid_do(cells):
    middles = (np.arange(40_000) + 0.5) / 40_000
    two = np.column_stack([middles, 1 - middles])
    side = (np.arange(900) + 0.5) / 900
    first, second = (axis.ravel() for axis in np.meshgrid(side, side))
    three = np.column_stack([first, second, 1 - first - second])[first + second < 1]
    for a, shares in ((2, two), (3, three)):
        for every in (False, True):
            expected = rounded(shares, cells, list(range(a if every else a - 1)))
            assert rounded_entropy(a, cells, every=every) == pytest.approx(expected, abs=2e-3), (a, every)


def test_lemma_4_7_holds_with_all_shares_but_one_and_fails_with_all():
    """MATHS section 8: at the step 1/1000.5 rounding all of two shares adds log 2."""
    assert rounded_entropy(2, 1000.5, every=True) - rounded_entropy(2, 1000.5, every=False) == pytest.approx(
        math.log(2), abs=2e-3
    )
    for cells in (300, 300.5):
        added = rounded_entropy(3, cells, every=True) - rounded_entropy(3, cells, every=False)
        assert added == pytest.approx(excess(3, cells % 1), abs=3e-3)
    for a in (2, 3):
        rows = [found for found in item("lemma-4-7").rows if found["a"] == a]
        right, printed = ([found[f"all shares {kind}rounded"] for found in rows] for kind in ("but one ", ""))
        assert abs(right[-1]) < 0.01 < abs(right[0])
        assert max(printed) < -0.3
        for found in rows[-3:]:
            added = found["all shares but one rounded"] - found["all shares rounded"]
            assert added == pytest.approx(found["added by the last share, in the limit"], abs=0.03)
        assert [found["digits"] * (a - 1) for found in rows] == pytest.approx(
            # h(P) of a uniform law on the shares but one, -log (a-1)!.
            [found["I(Y;P)"] + math.log(math.factorial(a - 1)) for found in rows], rel=1e-9
        )  # fmt: skip


def compositions(total, parts):
    """Yield all ways to write a total as so many numbers from 0 on, in order."""
    if parts == 0:
        if total == 0:
            yield ()
        return
    for first in range(total + 1):
        for rest in compositions(total - first, parts - 1):
            yield (first, *rest)


@pytest.mark.parametrize(("a", "n"), [(2, 1), (2, 3), (3, 1), (3, 2)])
def test_table_10_2_counts_the_terms_of_the_papers_sums(a, n):
    """Propositions D.10 and D.13: tuples (s, k), and (s, k, m) with k_y users of y written as values in y."""
    of_response = sum(math.prod(s + 1 for s in tally) for tally in compositions(n, a))
    assert tuples(2 * a, n) == of_response
    sets = [y for size in range(a + 1) for y in combinations(range(a), size)]
    of_encoding = sum(
        math.prod(
            sum(len(list(compositions(k, len(y)))) for k in range(s + 1)) for s, y in zip(tally, sets, strict=True)
        )
        for tally in compositions(n, len(sets))
    )
    assert tuples(encoding_cells(a), n) == of_encoding


def test_table_10_2_has_a_positive_time_for_every_cost_and_says_which_exponents_are_wrong():
    rows = item("table-10-2").rows
    assert len(rows) == 18
    assert all(0 < found["seconds measured here"] < 60 for found in rows)
    assert row(item("table-10-2"), metric="U distr", protocol="UE, b = 2^a")["terms of the paper"] == math.comb(29, 19)
    wrong = {number.where: (number.value, number.ours) for number in item("table-10-2").published if number.slip}
    assert wrong == {"Table 10.2": (17, 19), "Corollary D.11": (6, 5)}
    again = PAPERS["ldp"].items["table-10-2"].reproduce()
    assert [{**found, "seconds measured here": 0} for found in again.rows] == [
        {**found, "seconds measured here": 0} for found in rows
    ]
    assert again.findings == item("table-10-2").findings
