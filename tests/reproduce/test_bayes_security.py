"""The paper's figures, its table and its numbers: ours are the printed ones, but for the slips that are known."""

import json
import math
import re
from itertools import combinations

import numpy as np
import pytest

import discretion as dc
from discretion.charts import to_svg
from reproduce.papers import EveryItem, drawn, made, row, slips

pytestmark = pytest.mark.long


class TestEveryItem(EveryItem):
    paper = "bayes-security"


def item(name):
    return made("bayes-security", name)


def number(name, what):
    """Return ours of the only printed number that is called so."""
    (only,) = (number for number in item(name).published if number.what == what)
    return only.ours


def matrix(name, entry="ours"):
    """Return one of the matrices of Figure 3."""
    cells = [cell for cell in item("figure-3").rows if cell["matrix"] == name]
    return np.array([cell[entry] for cell in cells]).reshape(4, 5)


def least_overlap(rows):
    """Return β* by Theorem 2, pair by pair."""
    return min(np.minimum(a, b).sum() for a, b in combinations(rows, 2))


def largest_ratio(rows):
    """Return e^ε of eq. (2), over the columns that ever occur."""
    seen = rows[:, rows.max(axis=0) > 0]
    return (seen.max(axis=0) / seen.min(axis=0)).max()


def test_figure_1_is_of_the_two_secrets_of_which_one_direction_alone_tells():
    distances = {(found["secret"], found["other"]): found["TV"] for found in item("figure-1").rows}
    assert max(distances, key=distances.get) == ("s1", "s2")
    assert distances["s1", "s2"] == pytest.approx(1 - math.exp(-2), rel=1e-12)
    assert distances["s3", "s5"] == pytest.approx(1 - math.exp(-0.75), rel=1e-12)


@pytest.mark.parametrize("name", ["game-1", "figure-2"])
def test_the_games_are_won_as_often_as_the_metrics_say(name):
    rows = item(name).rows
    assert all(abs(found["won"] - found["chance"]) < 5 * math.sqrt(0.25 / found["rounds"]) for found in rows)
    assert sum(found["low"] <= found["chance"] <= found["high"] for found in rows) >= len(rows) - 1
    assert {found["won"] for found in rows if found["mechanism"] == "says all"} == {1}


@pytest.mark.parametrize("name", ["left", "right"])
def test_the_corrected_matrices_of_figure_3_are_ldp_and_attain_theorem_5(name):
    rows = matrix(name)
    assert rows.sum(axis=1) == pytest.approx([1] * 4, abs=1e-14)
    assert largest_ratio(rows) == pytest.approx(3, rel=1e-12)
    assert least_overlap(rows) == pytest.approx(2 / (1 + 3), rel=1e-12)


def test_the_printed_left_matrix_is_no_channel_and_its_other_rows_are_not_ldp():
    rows = matrix("left", "published")
    assert rows[1].sum() > 1.1
    assert largest_ratio(np.vstack([rows[2], matrix("left")[1]])) > 3
    assert {(cell["row"], bool(cell["remark"])) for cell in item("figure-3").rows if cell["matrix"] == "left"} == {
        ("s1", False), ("s2", True), ("s3", True), ("s4", True),
    }  # fmt: skip


def test_the_printed_right_matrix_is_a_channel_but_not_ldp_and_less_secure():
    rows = matrix("right", "published")
    assert rows.sum(axis=1) == pytest.approx([1] * 4)
    with np.errstate(divide="ignore"):
        assert math.isinf(largest_ratio(rows))
    assert least_overlap(rows) == pytest.approx(number("figure-3", "β* as printed")) == pytest.approx(1 / 4)


def test_figure_4_is_both_bounds_and_one_of_them_is_attained():
    for found in item("figure-4").rows:
        odds = math.exp(found["epsilon"])
        assert found["corollary 2"] == pytest.approx(2 / (1 + odds), rel=1e-12)
        assert found["geometric noise"] == pytest.approx(2 / (1 + odds), rel=1e-12)
        assert found["Yeom"] == pytest.approx(max(0, 2 - odds), abs=1e-12)
        assert found["Yeom"] <= found["corollary 2"]


@pytest.mark.parametrize("channel", ["random", "geometric"])
def test_no_prior_of_figure_5_is_beyond_the_bounds(channel):
    for found in item("figure-5").rows:
        if found["channel"] == channel:
            assert all(value >= 0 for key, value in found.items() if key.startswith(("β", "ML")))
            for metric in ("β - β*", "ML^× - L^×"):
                for of in ("", ", even priors"):
                    assert found[f"{metric}, 5 %{of}"] <= found[f"{metric}, median{of}"] <= found[f"{metric}, 95 %{of}"]


def test_in_figure_5_the_capacity_is_attained_by_the_uniform_prior():
    for channel in ("random", "geometric"):
        full = row(item("figure-5"), channel=channel, sparsity=0)
        assert full["ML^× - L^×, median, even priors"] == pytest.approx(0, abs=1e-12)


def test_in_figure_5_pairs_of_the_geometric_channel_have_the_overlap_of_shifted_noise():
    """Even priors on two secrets: β is that of geometric noise, shifted by their distance."""

    def overlap(shift):
        q = math.exp(-0.1)
        return (q ** math.ceil(shift / 2) + q ** (shift // 2 + 1)) / (1 + q)

    distances = [overlap(b - a) - overlap(9) for a, b in combinations(range(10), 2)]
    found = row(item("figure-5"), channel="geometric", sparsity=8)
    for name, q in (("5 %", 0.05), ("median", 0.5), ("95 %", 0.95)):
        assert found[f"β - β*, {name}, even priors"] == pytest.approx(np.quantile(distances, q), abs=1e-12)
        guess = (1 - np.array(distances) / 2 - overlap(9) / 2) * 2
        expected = np.quantile(number_of_guesses() - guess, q)
        assert found[f"ML^× - L^×, {name}, even priors"] == pytest.approx(expected, abs=1e-12)


def number_of_guesses():
    """Return ML^× of ten neighbouring peaks: halfway, the best guess changes from one to the next."""
    q = math.exp(-0.1)
    return 2 / (1 + q) + 8 * (1 - q) / (1 + q)


def test_figure_5_shows_what_section_v_e_says_of_sparse_priors():
    random, shifted = (
        [row(item("figure-5"), channel=channel, sparsity=sparsity) for sparsity in range(9)]
        for channel in ("random", "geometric")
    )
    for rows in (random, shifted):
        leakage = [found["ML^× - L^×, median, even priors"] for found in rows]
        assert leakage == sorted(leakage)
    assert random[8]["β - β*, median, even priors"] < 0.1 * random[0]["β - β*, median, even priors"]
    assert shifted[8]["β - β*, median, even priors"] > 0.5 * shifted[0]["β - β*, median, even priors"]
    assert random[8]["β - β*, median"] < random[0]["β - β*, median"]


def test_figure_6_is_equation_7_and_propositions_3_and_4():
    for found in item("figure-6").rows:
        epsilon, size = found["epsilon"], int(found["parameter"].rpartition(" ")[2].replace(",", "") or 0)
        if found["mechanism"] == "randomized response":
            expected = size / (math.exp(epsilon) + size - 1)
        elif found["mechanism"] == "Laplace":
            expected = math.exp(-epsilon / 2)
        else:  # α = ε/(2√(2 ln(1.25/δ))), and 1 - (Φ(α) - Φ(-α)) = erfc(α/√2)
            expected = math.erfc(epsilon / (2 * math.sqrt(2 * math.log(1.25 * size**2))) / math.sqrt(2))
        assert found["beta"] == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(
    ("what", "printed"),
    [
        ("β* of RR, ε = 10, a million values", "0.978"),
        ("success on two of a million", "0.511"),
        ("β* of RR, ε = 10, ten million values", "0.998"),
        ("success on two of ten million", "0.501"),
        ("β* of Gaussian noise, ε = 1, δ = 1e-6", "0.925"),
        ("success, Gaussian noise, ε = 1", "0.538"),
        ("β* of Gaussian noise, ε = 0.1, δ = 1e-6", "0.992"),
        ("β* of 2,458,285 values, ε = 3.3", "0.99999"),
        ("β* of 2,458,285 values, ε = 4.8", "0.99995"),
    ],
)
def test_the_printed_numbers_are_ours(what, printed):
    assert f"{number('numbers', what):.{len(printed) - 2}f}" == printed


def test_the_success_against_laplace_noise_is_of_a_rounded_beta():
    assert f"{number('numbers', 'β* of Laplace noise, ε = 0.1'):.3f}" == "0.951"
    assert f"{number('numbers', 'success, Laplace noise'):.3f}" == "0.524"
    assert 1 - round(math.exp(-0.05), 2) / 2 == pytest.approx(0.525)


def test_figure_7_says_that_its_table_is_adult_and_which_columns_were_taken():
    title = drawn("bayes-security", "figure-7")["title"]
    assert "Adult, not Census1990" in title["text"]
    said = " ".join(item("figure-7").findings)
    assert all(name in said for name in ("income", "marital status", "sex and occupation", "420 values", "32,561"))


def test_figure_7_has_the_security_of_420_values_and_intervals_hold_it():
    sampled = 0
    for found in item("figure-7").rows:
        exact = 420 / (math.exp(found["epsilon"]) + 419)
        assert found["beta"] == pytest.approx(exact, rel=1e-12)
        assert found["beta of records"] == pytest.approx(
            2_458_285 / (math.exp(found["epsilon"]) + 2_458_284), rel=1e-12
        )
        if found["beta from samples"] is not None:
            sampled += 1
            assert found["beta from samples, low"] <= exact <= found["beta from samples, high"]
            assert found["beta from samples, low"] <= found["beta from samples"] <= found["beta from samples, high"]
    assert sampled >= 5


def nearest_shares(raw):
    """Return the projection on the simplex, by bisection on what is taken from all."""
    low, high = raw.min() - 1, raw.max()
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if np.maximum(raw - middle, 0).sum() > 1 else (low, middle)
    return np.maximum(raw - low, 0)


@pytest.mark.parametrize("epsilon", [2.1, 4.8, 9.9])
def test_figure_7_has_the_utility_of_a_simulation_person_by_person(epsilon):
    classes = dc.Population("example:adult", ["income", "marital_status", "sex", "occupation"]).class_sizes()
    values = np.repeat(np.arange(classes.classes), np.repeat(classes.sizes, classes.counts))
    truth, rng = np.bincount(values, minlength=420) / values.size, np.random.default_rng(7)
    p, q = math.exp(epsilon) / (math.exp(epsilon) + 419), 1 / (math.exp(epsilon) + 419)
    runs = []
    for _ in range(10):
        reports = np.where(rng.random(values.size) < p - q, values, rng.integers(420, size=values.size))
        estimate = nearest_shares((np.bincount(reports, minlength=420) / values.size - q) / (p - q))
        runs.append(1 - np.abs(estimate - truth).sum() / 2)
    found = row(item("figure-7"), epsilon=epsilon)["utility, 32,561 people"]
    assert found == pytest.approx(np.mean(runs), abs=4 * np.std(runs) * math.sqrt(1 / 10 + 1 / 20))


def test_more_people_are_of_more_use():
    rows = item("figure-7").rows
    assert all(found["utility, 2,442,075 people"] > found["utility, 32,561 people"] for found in rows)
    assert rows[-1]["utility, 32,561 people"] > 0.99


def test_the_census_values_took_records_for_values():
    """MATHS section 8: 400 values give 0.9387 and 0.7685."""
    wrong = {entry.printed: round(entry.ours, 4) for entry in item("figure-7").published if entry.slip}
    assert wrong == {"0.99999": 0.9387, "0.99995": 0.7685, "0.96": 0.9387, "0.9": 0.7685}


def test_figure_8_is_proposition_5_and_the_distance_by_hand():
    for found in item("figure-8").rows:
        k, security = found["k"], found["k"] / (math.exp(found["epsilon"]) + found["k"] - 1)
        distance = 1 - security
        assert found["β*"] == pytest.approx(security, rel=1e-12)
        to_mean = 2 * (1 - 1 / k) * distance  # q is 1/k on all: |p - 1/k| + (k - 1)|q - 1/k| = 2 (1 - 1/k)(p - q)
        for name, low, high in (
            ("Prop. 5, mean row", 1 - to_mean, 1 - to_mean / 2),
            ("Prop. 5, any row", 1 - 2 * distance, security),
            ("ℓ2 distance", 1 - math.sqrt(k / 2) * distance, 1 - distance / math.sqrt(2)),
        ):
            # They are certified: rounding may widen that of ℓ2, whose distances are roots, but no bound may cross.
            assert max(0, low) - 1e-7 * (name == "ℓ2 distance") <= found[f"{name}, low"] + 1e-12
            assert found[f"{name}, low"] <= max(0, low) + 1e-12
            assert found[f"{name}, high"] == pytest.approx(high, abs=1e-12)


def test_in_figure_8_the_mean_row_is_best_but_for_few_values():
    best = {
        found["k"]: max(
            ("Prop. 5, mean row", "Prop. 5, any row", "ℓ2 distance"), key=lambda name: found[f"{name}, low"]
        )
        for found in item("figure-8").rows
        if found["epsilon"] == 0.5
    }
    assert {k for k, name in best.items() if name == "ℓ2 distance"} == {3, 4, 5}
    assert any("up to k = 5" in finding for finding in item("figure-8").findings)


@pytest.mark.parametrize(
    ("mechanism", "expected"),
    [
        ("says nothing", (0, 1, 1)),
        ("says all", (math.inf, 4, 0)),
        ("parity of 4 values", (math.inf, 2, 0)),
        ("4-RR, ε = 1", (1, 4 * math.e / (math.e + 3), 4 / (math.e + 3))),
        ("Laplace noise, λ = Δ", (1, 2 - math.exp(-0.5), math.exp(-0.5))),
        ("Gaussian noise, σ = Δ", (math.inf, 2 - math.erfc(0.5 / math.sqrt(2)), math.erfc(0.5 / math.sqrt(2)))),
    ],
)
def test_table_2_has_the_three_metrics_of_each_mechanism(mechanism, expected):
    found = row(item("table-2"), mechanism=mechanism)
    assert (found["ε"], found["ML^×"], found["β*"]) == pytest.approx(expected, rel=1e-10)


def test_table_2_is_about_two_secrets_and_says_so():
    """The chance to guess right among four values of 4-RR is p, not 1 - β*/2."""
    (of_four,) = (entry for entry in item("table-2").published if entry.what == "4-RR, ε = 1: right on the secret")
    assert (of_four.value, of_four.ours) == pytest.approx((1 - 2 / (math.e + 3), math.e / (math.e + 3)))
    assert "two leakiest" in of_four.slip
    assert "4-RR, ε = 1: right on the two leakiest" not in slips(item("table-2"))


def test_proposition_1_is_attained_by_all_these_pairs():
    """MATHS section 4."""
    said = " ".join(item("numbers").findings)
    assert "β*(C) is attained by each of (s1, s3), (s1, s4), (s2, s4), (s3, s4)" in said
    assert "β*(C‖C) by (s1, s4), (s2, s4), (s3, s4), but no longer by (s1, s3), which has 0.44" in said


def test_equation_21_has_the_wrong_sign():
    (wrong,) = (entry for entry in item("numbers").published if entry.where == "eq. (21)")
    assert (wrong.value, wrong.ours) == pytest.approx((1 / (math.e - 1), 1 / (math.e + 1)))


def test_numbers_that_are_far_off_do_not_hide_the_others():
    """0.99995 is 23 000 units of its last digit off."""
    chart = json.dumps(drawn("bayes-security", "numbers"))
    assert min(map(float, re.findall(r'"units": ([-.\d]+)', chart))) == -10
    assert "those more than 10 off at the edge" in chart


def test_the_end_of_an_axis_is_written_out():
    ticks = to_svg(item("figure-7").chart())
    assert "1e+1" not in ticks
    assert ">10<" in ticks


def layers(name):
    """Yield the panels of a figure of curves below its key, each a list of (look, points) that are drawn."""
    specification = drawn("bayes-security", name)
    for panel in specification["vconcat"][1:]:
        looks = []
        for layer in panel["layer"]:
            mark = layer["mark"]
            if mark["type"] in ("line", "point"):
                look = (mark["type"], str(mark.get("strokeDash")), mark.get("shape"), mark.get("fill"))
                points = specification["datasets"][layer["data"]["name"]]
                looks.append((look, [(point["x"], point["y"]) for point in points]))
        yield looks


def test_figure_5_draws_every_kind_of_curve_in_its_own_way():
    for drawn_curves in layers("figure-5"):
        looks = [look for look, _ in drawn_curves]
        assert len(set(looks)) == len(looks) == 6
        assert sum(look[0] == "point" for look in looks) == 2


def test_figure_8_draws_both_ends_of_every_bound():
    names = ("Prop. 5, mean row", "Prop. 5, any row", "ℓ2 distance")
    for (_, *bounds), across in zip(layers("figure-8"), ("epsilon", "k"), strict=True):
        for name, (_, points) in zip(names, bounds, strict=True):
            ends = {(f[across], f[f"{name}, {end}"]) for f in item("figure-8").rows for end in ("low", "high")}
            assert set(points) <= ends
            places = [x for x, _ in points]
            assert all(places.count(x) == 2 for x in places)
