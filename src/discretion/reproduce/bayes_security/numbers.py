"""The numbers and formulas in the paper's text, compared with our measures, and the paper's slips."""

import math
from collections.abc import Iterator

import numpy as np

import discretion as dc
from discretion.reproduce.bayes_security.census import of_census
from discretion.reproduce.charts.published import beside_published
from discretion.reproduce.item import Answer, Published, Reproduction, exact

number = Published.number

# Proposition 1; its secrets are s1 to s4.
COUNTEREXAMPLE = dc.Channel(
    [[0.9, 0.1, 0.0], [0.8, 0.2, 0.0], [0.5, 0.5, 0.0], [0.5, 0.1, 0.4]], inputs=["s1", "s2", "s3", "s4"]
)
_RELATIVE = 1e-10


def all_numbers() -> Reproduction:
    """Return every number and the formulas that have a value of their own, with ours."""
    published = (*_composed(), *of_mechanisms(), *of_census(), *_formulas(), *_slips())
    rows = tuple(entry.to_dict() for entry in published)
    return Reproduction(rows, lambda: beside_published(rows, _TITLE), published, _ties())


_TITLE = "The numbers in the paper's text, and the distance of ours from them"


def _composed() -> tuple[Published, ...]:
    """Return the numbers of Proposition 1, and Theorem 3, which they attain."""
    where, twice = "Proposition 1", dc.parallel(COUNTEREXAMPLE, COUNTEREXAMPLE).channel()
    return (
        number(where, "β*(C)", "0.6", _security(COUNTEREXAMPLE)),
        number(where, "β of s1 and s3", "0.6", _security(dc.restricted(COUNTEREXAMPLE, ["s1", "s3"]))),
        number(where, "β*(C‖C)", "0.36", _security(twice)),
        number(where, "β of s2 and s4 in C‖C", "0.36", _security(dc.restricted(twice, ["s2", "s4"]))),
        _formula("Theorem 3", "β*(C‖C), attained", "β*(C)²", _security(COUNTEREXAMPLE) ** 2, _security(twice)),
    )


def _ties() -> tuple[str, ...]:
    twice = dc.parallel(COUNTEREXAMPLE, COUNTEREXAMPLE).channel()
    once_tied, twice_tied = (
        ", ".join(f"({a}, {b})" for a, b in dc.leakiest_pairs(some)) for some in (COUNTEREXAMPLE, twice)
    )
    first = _security(dc.restricted(twice, ["s1", "s3"]))
    return (
        f"Proposition 1: β*(C) is attained by each of {once_tied}, β*(C‖C) by {twice_tied}, but no longer by (s1, s3), "
        f"which has {first:.4g}.",
    )


def of_mechanisms() -> tuple[Published, ...]:
    """Return the numbers of section VI, on randomized response, Laplace and Gaussian noise."""
    million, ten_million = (_security(dc.RandomizedResponse(k, epsilon=10)) for k in (10**6, 10**7))
    laplace = _security(dc.Laplace(scale=10))
    people = 1000
    gaussian, stricter = (_security(dc.Gaussian.classical(epsilon, people**-2.0)) for epsilon in (1, 0.1))
    return (
        number("section VI-A", "β* of RR, ε = 10, a million values", "0.978", million),
        number("section VI-A", "success on two of a million", "0.511", _success(million)),
        number("section VI-A", "β* of RR, ε = 10, ten million values", "0.998", ten_million),
        number("section VI-A", "success on two of ten million", "0.501", _success(ten_million)),
        number("section VI-B", "β* of Laplace noise, ε = 0.1", "0.95", laplace),
        number("section VI-B", "success, Laplace noise", "0.525", _success(laplace), _ROUNDED),
        number("section VI-C", "β* of Gaussian noise, ε = 1, δ = 1e-6", "0.925", gaussian),
        number("section VI-C", "success, Gaussian noise, ε = 1", "0.538", _success(gaussian)),
        number("section VI-C", "β* of Gaussian noise, ε = 0.1, δ = 1e-6", "0.992", stricter),
    )


def _success(security: float) -> float:
    return exact(dc.security.success_probability(security))


_ROUNDED = "0.525 is 1 - β*/2 of the rounded β* of 0.95; e^(-ε/2) gives 0.5244"


def _formulas() -> Iterator[Published]:
    """Yield formulas, with our measure of the same quantity."""
    response, odds = dc.RandomizedResponse(5, epsilon=1.5), math.exp(1.5)
    channel, prior = response.channel(), [0.4, 0.3, 0.15, 0.1, 0.05]
    leak = exact(dc.leakage(channel, prior))
    pair = dc.restricted(COUNTEREXAMPLE, ["s1", "s4"])
    databases = dc.shuffling.dataset_channel(dc.RandomizedResponse(2, epsilon=1.5), 3)
    entries: list[tuple[str, str, str, Answer, Answer]] = [
        ("eq. (1)", "β of s1 and s4, equally likely", "1 - Adv", 1 - dc.total_variation(*pair.dense()),
         dc.bayes_security(pair, dc.uniform(2))),
        ("eq. (4)", "β(π, C) of 5-RR, ε = 1.5", "(1 - max π L^×)/(1 - max π)", (1 - 0.4 * leak) / 0.6,
         dc.bayes_security(channel, prior)),
        ("eq. (7)", "β* of 5-RR by its rows, ε = 1.5", "n/(e^ε + n - 1)", 5 / (odds + 4), dc.bayes_security(channel)),
        ("Proposition 2", "δ at ε = 0 of 5-RR", "1 - β*", 1 - _security(channel), dc.privacy_profile(channel, 0)),
        ("Proposition 3", "β* of Laplace noise, Δ = 3, λ = 2", "e^(-Δ/2λ)", math.exp(-3 / 4),
         dc.bayes_security(dc.Laplace(2, 3))),
        ("Proposition 4", "β* of Gaussian noise, Δ = 3, σ = 2", "1 - (Φ(α) - Φ(-α))", math.erfc(0.75 / math.sqrt(2)),
         dc.bayes_security(dc.Gaussian(2, 3))),
        ("footnote 2", "ε of 5-RR by its worst observation", "log(V*/(1 - V*))", _by_guess(channel), 1.5),
        ("Corollary 1", "β of three people's 2-RR, uniform", "(vⁿ - (v e^ε/(v-1+e^ε))ⁿ)/(vⁿ - 1)",
         (8 - (2 * odds / (1 + odds)) ** 3) / 7, dc.bayes_security(databases, dc.uniform(8))),
        ("section VII", "β of s1 and s4", "2 - Σ_o max C[s,o]", 2 - float(pair.dense().max(axis=0).sum()),
         dc.bayes_security(pair)),
        *(("Theorem 7", f"β(υ, C), n = 5, k = {k}, attained", "(1 - k/n)/(1 - 1/n)", (1 - k / 5) / (1 - 1 / 5),
           dc.bayes_security(_copies(k, 5), dc.uniform(5))) for k in (2, 3)),
    ]  # fmt: skip
    for where, what, printed, value, ours in entries:
        yield _formula(where, what, printed, exact(value), exact(ours))


def _by_guess(channel: dc.Channel) -> float:
    """Return ``log(V*/(1-V*))``, V* the best guess of two secrets, equally likely, at the worst observation."""
    most, least = channel.dense().max(axis=0), channel.dense().min(axis=0)
    best = float((most / (most + least)).max())
    return math.log(best / (1 - best))


def _copies(k: int, n: int) -> dc.Channel:
    """Return n secrets, k of which can be distinguished; the others are equivalent to one of these."""
    return dc.Channel(np.eye(k)[np.minimum(np.arange(n), k - 1)])


def _slips() -> tuple[Published, ...]:
    """Return the printed errors with their corrections."""
    risk = exact(dc.bayes_risk(dc.RandomizedResponse(2, epsilon=1)))
    what = "R* of the least secure channel, ε = 1"
    return (Published("eq. (21)", what, "1/(e^ε - 1)", 1 / (math.e - 1), risk, slip=_SIGN),)


_SIGN = "it is 1/(e^ε + 1), with which the proof goes on"


def _formula(where: str, what: str, printed: str, value: float, ours: float) -> Published:
    return Published(where, what, printed, value, ours, max(1e-12, _RELATIVE * abs(value)))


def _security(system: dc.Channel | dc.RandomizedResponse | dc.Laplace | dc.Gaussian) -> float:
    return exact(dc.bayes_security(system))
