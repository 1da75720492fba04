"""What a claim of privacy implies for one person: the shares that the best attack finds, in numbers and in words."""

import json
import math
from statistics import NormalDist

import numpy as np
import pytest

import discretion as dc
from discretion.errors import InvalidValueError, TooLargeError
from discretion.estimate import Estimate
from discretion.jobs.claim import RATES, Attack, Claim, run_claim
from discretion.jobs.measure import run_measure
from discretion.jobs.options.mechanisms import ClaimOptions, MeasureOptions
from discretion.presenting.views.document import Advice, Caveat, Grid
from jobs.limited import Limited
from oracles.promise import exactly

BASE_RATES = (0.5, 0.1, 0.001, 0.97)


def sentences(claim: Claim) -> list[str]:
    return [block for block in claim.document().blocks if isinstance(block, str)]


def check_attacks(claim: Claim, expected: list[float]) -> None:
    """Check the shares that are found, and the precision that follows from each."""
    share = claim.base_rate
    for attack, hits in zip(claim.attacks, expected, strict=True):
        accused = share * hits + (1 - share) * attack.false_positive_rate
        assert attack.true_positive_rate == exactly(hits)
        assert attack.precision == exactly(share * hits / accused)


@pytest.mark.parametrize("base_rate", BASE_RATES)
@pytest.mark.parametrize(("epsilon", "delta"), [(0, 0), (1, 1e-6), (0.1, 0.05), (3, 0), (0, 0.3), (700, 0.1), (1, 1)])
def test_a_claim_finds_what_its_curve_allows(epsilon: float, delta: float, base_rate: float) -> None:
    claim = run_claim(f"dp:epsilon={epsilon},delta={delta}", ClaimOptions(base_rate=base_rate))
    misses = [max(0, 1 - delta - math.exp(epsilon) * rate, math.exp(-epsilon) * (1 - delta - rate)) for rate in RATES]
    check_attacks(claim, [1 - missed for missed in misses])
    assert claim.bayes_security == exactly(2 * (1 - delta) / (1 + math.exp(epsilon)))


@pytest.mark.parametrize("base_rate", BASE_RATES)
@pytest.mark.parametrize("sigma", [0.3, 1, 20])
def test_noise_finds_what_two_normal_laws_do(sigma: float, base_rate: float) -> None:
    normal = NormalDist()
    claim = run_claim(f"gaussian:sigma={sigma}", ClaimOptions(base_rate=base_rate))
    check_attacks(claim, [normal.cdf(1 / sigma + normal.inv_cdf(rate)) for rate in RATES])


@pytest.mark.parametrize("base_rate", BASE_RATES)
@pytest.mark.parametrize("rows", ["0.9,0.1;0.2,0.8", "0.9,0.1,0;0.2,0.7,0.1", "0.5,0.5;0.5,0.5", "1,0;0,1"])
def test_the_best_guess_is_that_of_the_worse_direction(rows: str, base_rate: float) -> None:
    claim = run_claim(f"channel:{rows}", ClaimOptions(base_rate=base_rate))
    matrix = np.array([row.split(",") for row in rows.split(";")], dtype=float)
    vulnerabilities = [
        np.maximum((1 - base_rate) * innocent, base_rate * guilty).sum() for innocent, guilty in (matrix, matrix[::-1])
    ]
    assert claim.posterior_vulnerability == exactly(max(vulnerabilities))
    assert claim.prior_vulnerability == max(base_rate, 1 - base_rate)


@pytest.mark.parametrize("seed", range(20))
def test_a_claim_and_its_measures_are_the_same_numbers(seed: int) -> None:
    rng = np.random.default_rng(seed)
    mechanism = f"dp:epsilon={rng.exponential(2)},delta={10 ** rng.uniform(-9, 0) if seed % 4 else 0}"
    base_rate, delta = rng.uniform(0.001, 0.999), 10 ** rng.uniform(-7, -1)
    claim = run_claim(mechanism, ClaimOptions(base_rate=base_rate, delta=delta))
    for attack in claim.attacks:
        options = MeasureOptions(
            false_positive_rate=attack.false_positive_rate, delta=delta, prior=f"{1 - base_rate},{base_rate}"
        )
        answers = run_measure(mechanism, options).answers
        assert attack.true_positive_rate == exactly(1 - answers["tradeoff"])
        assert claim.prior_vulnerability == exactly(answers["prior_vulnerability"])
        assert claim.posterior_vulnerability == exactly(answers["posterior_vulnerability"])
        assert claim.dp_epsilon == answers["dp_epsilon"]
    assert (
        claim.bayes_security
        == run_measure(mechanism, MeasureOptions(only=["bayes_security"])).answers["bayes_security"]
    )


@pytest.mark.long
def test_bounds_stay_bounds() -> None:
    claim = run_claim("dpsgd:sigma=1,rate=0.01,steps=1000", ClaimOptions(base_rate=0.1, delta=1e-6))
    numbers = [each for attack in claim.attacks for each in (attack.true_positive_rate, attack.precision)]
    for number in (*numbers, claim.posterior_vulnerability, claim.bayes_security, claim.dp_epsilon):
        assert isinstance(number, Estimate)
        assert number.certified
    assert {row["kind"] for row in claim.table_rows()} == {"bound", "exact"}
    assert "certified bounds on a grid of privacy losses" in claim.to_markdown()


def test_of_several_values_the_two_easiest_to_distinguish_are_compared() -> None:
    three = run_claim("channel:0.9,0.1;0.8,0.2;0.1,0.9", ClaimOptions())
    two = run_claim("channel:0.9,0.1;0.1,0.9", ClaimOptions())
    assert three.to_dict() == two.to_dict()
    assert "Of the 3 values, the numbers are about the two that are easiest to distinguish." in sentences(three)
    assert not any("easiest" in sentence for sentence in sentences(two))


def test_numbers_are_in_words() -> None:
    claim = run_claim("dp:epsilon=1,delta=1e-6", ClaimOptions())
    assert sentences(claim)[1:] == [
        "If the attacker accuses 1 of 1,000 innocent people, it finds at most 28 of 10,000 guilty people. Where 50 % "
        "of the suspects are guilty, at most 732 of 1,000 accusations are then right.",
        "Without the output, the best guess whether a suspect is guilty is correct for 50 % of the suspects. The "
        "output adds correct guesses for at most 232 of 1,000 suspects.",
    ]
    attacks, others = (block for block in claim.document().blocks if isinstance(block, Grid))
    assert [row[:2] for row in attacks.rows] == [
        ("1 of 10", "at most 272 of 1,000"),
        ("1 of 100", "at most 28 of 1,000"),
        ("1 of 1,000", "at most 28 of 10,000"),
    ]
    assert {row[-1] for row in others.rows} == {"exact"}
    assert any(isinstance(block, Caveat) for block in claim.document().blocks)
    assert list(claim.document().figures) == ["tradeoff"]


def test_between_far_bounds_the_worse_one_is_in_words() -> None:
    found = Estimate.between(0.002, 0.9, "sums", span=1)
    curve = dc.tradeoff(dc.RandomizedResponse(2, 1))
    security = Estimate.between(0.1, 0.9, "sums", safe="low", span=1)
    claim = Claim("m", 2, 0.5, (Attack(0.001, found, found),), 0.5, found, security, None, None, curve)
    assert "it finds at most 900 of 1,000 guilty people" in sentences(claim)[1]
    assert "between 0.002 and 0.9" in claim.to_markdown()


@pytest.mark.parametrize(
    "mechanism", ["dp:epsilon=inf", "dp:epsilon=0,delta=1", "dp:epsilon=700", "krr:k=2,p=1", "channel:1,0;0,1"]
)
def test_a_claim_without_content_is_shown_as_one(mechanism: str) -> None:
    claim = run_claim(mechanism, ClaimOptions())
    assert [block.sentence for block in claim.document().blocks if isinstance(block, Advice)] == [
        f"In the worst case {mechanism} gives everything away: the attacker finds every guilty person and accuses no "
        "innocent one."
    ]


@pytest.mark.parametrize("mechanism", ["dp:epsilon=0", "krr:k=2,p=0.5", "channel:0.3,0.7;0.3,0.7", "channel:1;"])
def test_an_output_that_reveals_nothing_is_shown_as_one(mechanism: str) -> None:
    claim = run_claim(mechanism, ClaimOptions(base_rate=0.01))
    assert [attack.true_positive_rate for attack in claim.attacks] == pytest.approx(RATES)
    assert [attack.precision for attack in claim.attacks] == pytest.approx([0.01] * 3)
    assert "The output reveals nothing" in sentences(claim)[1]
    assert sentences(claim)[-1].endswith("The output adds correct guesses for none of the suspects.")


def test_the_numbers_are_json() -> None:
    results = json.loads(run_claim("dp:epsilon=inf", ClaimOptions(delta=0.5)).to_json())
    assert results["attacks"][0] == {"false_positive_rate": 0.1, "true_positive_rate": 1, "precision": 1 / 1.1}
    assert results["dp_epsilon"] == "inf"
    assert "dp_epsilon" not in run_claim("dp:epsilon=1", ClaimOptions()).to_dict()


def test_every_part_is_a_step_that_a_limit_ends() -> None:
    monitor = Limited(100)
    run_claim("dp:epsilon=1", ClaimOptions(delta=0.1), monitor=monitor)
    assert monitor.seen == ["tradeoff", "true_positive_rate", "posterior_vulnerability", "bayes_security", "dp_epsilon"]
    with pytest.raises(TooLargeError, match="enough"):
        run_claim("dp:epsilon=1", ClaimOptions(), monitor=Limited(2))


@pytest.mark.parametrize(
    ("mechanism", "options", "words"),
    [
        ("dp:epsilon=1", {"base_rate": 0}, "base_rate must be above 0 and below 1, got 0"),
        ("dp:epsilon=1", {"base_rate": 1.0}, "base_rate must be above 0 and below 1, got 1.0"),
        ("dp:epsilon=1", {"base_rate": 2}, r"base_rate must be in \[0, 1\], got 2"),
        ("dp:epsilon=1", {"delta": -1}, r"delta must be in \[0, 1\], got -1"),
        ("dp:delta=1", {}, "dp needs epsilon, such as dp:epsilon=…"),
        ("dp:epsilon=1,k=2", {}, "no parameter of dp, 'k'"),
        ("dpp:epsilon=1", {}, "no mechanism 'dpp'"),
    ],
)
def test_what_is_no_claim_ends_in_a_sentence(mechanism: str, options: dict[str, float], words: str) -> None:
    with pytest.raises(InvalidValueError, match=words):
        run_claim(mechanism, ClaimOptions(**options))


def test_extreme_base_rates_have_answers() -> None:
    for base_rate in (1e-300, 1 - 2**-53):
        claim = run_claim("dp:epsilon=1,delta=1e-6", ClaimOptions(base_rate=base_rate))
        assert 0 <= claim.attacks[0].precision <= 1
        assert claim.prior_vulnerability <= claim.posterior_vulnerability <= 1


def test_options_are_read_from_texts() -> None:
    options = ClaimOptions(base_rate=0.01, delta=1e-6)
    assert ClaimOptions.of_texts(options.texts()) == options
