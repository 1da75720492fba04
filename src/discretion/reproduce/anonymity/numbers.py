"""The numbers and formulas in the paper's text, compared with our measures, and the paper's slips."""

import math
from collections.abc import Iterator

import numpy as np
from scipy.special import betainc

import discretion as dc
from discretion.reproduce.anonymity.composition import of_adult
from discretion.reproduce.anonymity.entropy import of_entropy
from discretion.reproduce.anonymity.extensions import of_rules
from discretion.reproduce.anonymity.slack import of_construction
from discretion.reproduce.anonymity.tables import people_in, people_with
from discretion.reproduce.charts.published import beside_published
from discretion.reproduce.item import Published, Reproduction, exact

number = Published.number

_RELATIVE = 1e-10


def all_numbers() -> Reproduction:
    """Return every number and the formulas that have a value of their own, with ours."""
    published = (
        *_of_the_census(),
        *_of_the_middle_user(),
        *of_adult(),
        *of_construction(),
        _of_theorem_5(),
        *_of_theorem_6(),
        *_of_definition_7(),
        *_of_theorem_8(),
        *of_entropy(),
        *of_rules(),
    )
    rows = tuple(entry.to_dict() for entry in published)
    return Reproduction(rows, lambda: beside_published(rows, _TITLE), published, _REMARKS)


_TITLE = "The numbers in the paper's text, and the distance of ours from them"


def _of_the_census() -> tuple[Published, ...]:
    """Return the numbers of section 2.1 on the census of 2020."""
    people, one_more = (math.log(millions * 10**6) for millions in (331, 332))
    return (
        number("footnote 2", "ln of 331 million", "19.617", people, "it is 19.6176, which is cut off, not rounded"),
        number("footnote 2", "what a million more changes", "0.002", one_more - people, "it is 1/331 = 0.003"),
        number("section 2.1", "millions, the largest factor of ε = 19.61", "331", math.exp(19.61) / 10**6, _FACTOR),
    )


_FACTOR = "e^19.61 is 328.5 million; 331 million is the population"


def _of_the_middle_user() -> tuple[Published, ...]:
    """Return the sizes of the classes in section 6.2's table of n + 1 rows, for n = 10."""
    n = 10
    first, second = np.repeat([1, 0, 0], [n // 2, 1, n // 2]), np.repeat([0, 0, 1], [n // 2, 1, n // 2])
    people = people_with({"1": first, "2": second})
    where = "section 6.2"
    return (
        *(Published(where, f"smallest class on column {column}, n = 10", "n/2", n / 2,
                    people.class_sizes([column]).smallest) for column in people.columns),
        number(where, "smallest class on both", "1", people.class_sizes().smallest),
    )  # fmt: skip


def _of_theorem_5() -> Published:
    """Return ``2nγ²``, taken from the width ``2γ|V|`` of the interval for the exposure of race on Adult."""
    misses, values = 0.05, 5
    adult = dc.Population("example:adult", ["race"])
    interval = dc.anonymity.sampled_exposure(adult, 0.2, 1 - misses, domain=values, method="theorem5")
    gap = (interval.high - interval.low) / (2 * values)
    printed = math.log(1 / misses) + math.log(values)
    what = "2nγ² that is enough, |V| = 5, δ = 0.05"
    return Published("Theorem 5", what, "log 1/δ + log |V|", printed, 2 * adult.people * gap**2, 1e-10, slip=_ONE_SIDE)


_ONE_SIDE = "Hoeffding's bound is for one side: for both, as the proof needs it, it is log 2|V|/δ"


def _of_theorem_6() -> tuple[Published, ...]:
    """Return Appendix F's two laws for s = 4 and ε = 1/32: their difference and their divergence."""
    where, s, change, users = "Appendix F", 4, 1 / 32, 32
    threshold = 1 / s**2 - change / 2
    rare, common = people_in([1] * s + [users - s]), people_in([2] * s + [users - 2 * s])
    laws = (np.array([size] * s + [users - s * size]) / users for size in (1, 2))
    divergence = exact(dc.renyi_divergence(*laws, order=1))
    dropped = s**2 * change / (1 - s - s**2 * change) + s**2 * change / (s - 1)
    return (
        Published(where, "Q(p0, q) - Q(p1, q), s = 4, ε = 1/32", "1/s - sε", 1 / s - s * change,
                  dc.exposure(rare, threshold=threshold) - dc.exposure(common, threshold=threshold)),
        Published(where, "KL of p0 and p1, s = 4, ε = 1/32: at most", "s²ε/(1-s-s²ε) + s²ε/(s-1)", dropped, divergence,
                  slip=_DROPPED),
        Published(where, "n times the last bound on KL: at most", "log 2", math.log(2), 2.0, slip=_TOO_MUCH),
    )  # fmt: skip


_DROPPED = (
    "after (8) a negative term is made larger by leaving out 1 - s²ε, and its denominator then becomes s; the end "
    "of the chain is correct, as the term may be left out altogether"
)
_TOO_MUCH = (
    "2s²ε/(s-1) is 2/n for the ε that is set, too much for Theorem 12; the divergence itself, about (s-1)/(2n²), is "
    "small enough"
)


def _of_definition_7() -> Iterator[Published]:
    """Yield Definition 7 and the sum that Appendix D starts from, with the statistical exposure."""
    law, n, k = (0.5, 0.25, 0.15, 0.1), 20, 5
    ours = dc.anonymity.statistical_exposure(law, n, k)
    shares = np.array(law)
    by_beta = float(shares @ betainc(n - (k - 1), k - 1, 1 - shares))
    by_sum = sum(math.comb(n, j) * j * p**j * (1 - p) ** (n - j) for p in law for j in range(k)) / n
    for where, printed, value in (
        ("Definition 7", "Σ p_i I_(1-p_i)(n-(k-1), k-1)", by_beta),
        ("Appendix D", "1/n Σ_i Σ_(j<k) C(n,j) j p_i^j (1-p_i)^(n-j)", by_sum),
    ):
        yield Published(where, f"statistical exposure, n = {n}, k = {k}", printed, value, ours, _RELATIVE * value)


def _of_theorem_8() -> tuple[Published, ...]:
    """Return the steps of Appendix G that do not hold."""
    where, n, k, away = "Appendix G", 1000, 1000, 1e-6
    certain, hardly = (
        dc.anonymity.statistical_exposure([1, 0], n, k),
        dc.anonymity.statistical_exposure([1 - away, away], n, k),
    )
    bound = 2 * (math.sqrt(math.e * (n + 1)) / 2 + 1) * away
    at_most_three = sum(math.comb(10, j) for j in range(4)) / 2**10
    half, uneven = math.sqrt(math.e) / 4, math.sqrt(0.9 / 0.1) + math.sqrt(0.1 / 0.9)
    return (
        Published("Theorem 8", "change at (1, 0), n = k = 1000: at most",
                  "|V| (√(e(n+1))/(2√(|V|-1)) + 1) γ", bound, hardly - certain, slip=_FALSE),
        Published(where, "I_(1-p)(n-(k-1), k-1), n = 10, k = 3, p = 1/2", "P(Bin(n, p) ≤ k)", at_most_three,
                  dc.anonymity.statistical_exposure([0.5, 0.5], 10, 3), slip="it is P(Bin(n-1, p) ≤ k-2)"),
        Published(where, "√e/2 τ/(1-τ²), τ = 1/2: at most", "√e/2 τ", half, half / (1 - 1 / 4),
                  slip="1 - τ² is at most 1, so that dividing by it makes the term larger"),
        Published(where, "Σ √(p_i/(1-p_i)), p = (9/10, 1/10): at most", "|V|/√(|V|-1)", 2, uneven, slip=_UNBOUNDED),
    )  # fmt: skip


_FALSE = "with p̂ = (1 - γ, γ) it is 0.001 for γ = 10^-6, where the bound is 0.000054"
_UNBOUNDED = "it has no bound as a p_i goes to 1, and τ is infinite there"

_REMARKS = (
    "Theorem 6: Appendix F has s + 1 outcomes, so that it shows 1/(16(s - 1)) for s of them, which is more.",
    "Theorem 8 holds with no C that depends on the support alone: with n = k, p = (1, 0) and p̂ = (1 - γ, γ) the "
    "difference grows as nγ, not as √n γ; statistical_exposure_sensitivity has the least constant that does.",
    "Lemma 11: p G_q(p) is at most q, not less than q: it is q at p = q.",
)
