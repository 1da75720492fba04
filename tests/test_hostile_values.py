"""Whatever value a public function is given, it answers or refuses it in a sentence, within memory."""

import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import discretion as dc
from discretion.errors import DiscretionError

ROOM = 4 << 30  # bytes more than the process has: the largest array here would take eight times 10⁹
LONGEST = 1000  # characters of a refusal


def list_of_itself() -> list[Any]:
    inside: list[Any] = []
    inside.append(inside)
    return inside


def nested(levels: int) -> list[Any]:
    inside: list[Any] = []
    for _ in range(levels):
        inside = [inside]
    return inside


VALUES: dict[str, Callable[[], Any]] = {
    "a huge whole number": lambda: 10**400,
    "a whole number that Python refuses to print": lambda: 10**5000,
    "a huge negative number": lambda: -(10**400),
    "a huge fraction": lambda: Fraction(10**400),
    "huge numbers in a list": lambda: [10**400, 1],
    "unprintable numbers in a list": lambda: [10**5000, 1],
    "huge numbers in rows": lambda: [[10**400]],
    "huge fractions in a list": lambda: [Fraction(10**400), Fraction(1)],
    "a list that contains itself": list_of_itself,
    "lists that contain themselves": lambda: [list_of_itself(), list_of_itself()],
    "lists in lists without end": lambda: nested(2000),
    "a masked value": lambda: np.ma.masked,
    "masked values in a list": lambda: [np.ma.masked, 0.5],
    "a masked array": lambda: np.ma.array([0.5, 0.5], mask=[True, False]),
    "an array of objects": lambda: np.array([None, {}], dtype=object),
    "a complex number": lambda: 1j,
    "complex numbers": lambda: [0.5, 0.5j],
    "text": lambda: "x",
    "texts": lambda: ["a", "b"],
    "half a character": lambda: "\ud800",
    "bytes": lambda: b"ab",
    "a column of a billion": lambda: np.broadcast_to(1.0, (10**9, 1)),
    "two rows of a billion": lambda: np.broadcast_to(0.5, (2, 10**9)),
    "a list with a row of a billion": lambda: [np.broadcast_to(1e-9, (10**9,))],
    "a row of a billion": lambda: np.broadcast_to(1e-9, (10**9,)),
    "not a number": lambda: float("nan"),
    "not a number, in a list": lambda: [float("nan"), 1],
    "infinity": lambda: float("inf"),
    "infinity in a list": lambda: [float("inf"), 1.0],
    "a signaling NaN": lambda: Decimal("sNaN"),
    "a signaling NaN in a list": lambda: [Decimal("sNaN"), 1],
    "a fraction": lambda: Fraction(1, 3),
    "a truth value": lambda: True,
    "None": lambda: None,
    "nothing": list,
    "an empty row": lambda: [[]],
    "ragged rows": lambda: [[1], [1, 2]],
    "None in a row": lambda: [[None]],
    "a set": lambda: {0.5},
    "a dict": lambda: {"a": 1},
    "a generator": lambda: (x for x in (0.5, 0.5)),
    "dates": lambda: np.array(["2020-01-01"], dtype="datetime64[D]"),
    "records": lambda: np.zeros(2, dtype=[("a", float)]),
    "an array without dimensions": lambda: np.array(0.5),
    "an array of three dimensions": lambda: np.zeros((2, 2, 2)),
    "a type": lambda: int,
    "a function": lambda: len,
}

CHANNEL = dc.Channel([[0.9, 0.1], [0.2, 0.8]])
REPORT = dc.RandomizedResponse(2, epsilon=1)
CROWD = dc.Shuffled(REPORT, 10)

FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "Channel": dc.Channel,
    "Channel, inputs": lambda v: dc.Channel([[1.0]], inputs=v),
    "StoredChannel": dc.StoredChannel,
    "a prior": lambda v: dc.posterior_vulnerability(CHANNEL, prior=v),
    "gain_matrix": dc.gain_matrix,
    "loss_matrix": dc.loss_matrix,
    "distance_gain": dc.distance_gain,
    "partition_gain": dc.partition_gain,
    "k_tries_gain": lambda v: dc.k_tries_gain(2, v),
    "set_gain": lambda v: dc.set_gain(2, v),
    "uniform": dc.uniform,
    "point": lambda v: dc.point(2, v),
    "RandomizedResponse, k": lambda v: dc.RandomizedResponse(v, epsilon=1),
    "RandomizedResponse, ε": lambda v: dc.RandomizedResponse(2, epsilon=v),
    "RandomizedResponse, p": lambda v: dc.RandomizedResponse(2, p=v),
    "UnaryEncoding": lambda v: dc.UnaryEncoding(2, v, 0.5),
    "LocalHashing, g": lambda v: dc.LocalHashing(2, 1, g=v),
    "Exponential": lambda v: dc.Exponential(v, 1.0),
    "DominatingPair, ε": lambda v: dc.mechanisms.DominatingPair(v, 0.1),
    "DominatingPair, δ": lambda v: dc.mechanisms.DominatingPair(1, v),
    "Laplace": dc.Laplace,
    "Gaussian": dc.Gaussian,
    "Geometric": dc.Geometric,
    "DiscreteGaussian": dc.DiscreteGaussian,
    "SubsampledGaussian, rate": lambda v: dc.SubsampledGaussian(1, v, 3),
    "SubsampledGaussian, steps": lambda v: dc.SubsampledGaussian(1, 0.1, v),
    "sample": REPORT.sample,
    "sample, rng": lambda v: REPORT.sample([0, 1], rng=v),
    "decode": REPORT.decode,
    "estimate_frequencies": REPORT.estimate_frequencies,
    "frequency_variance": lambda v: REPORT.frequency_variance(10, v),
    "frequency_error": lambda v: dc.frequency_error(REPORT, 10, v),
    "norm_sub": dc.mechanisms.norm_sub,
    "simplex_projection": dc.mechanisms.simplex_projection,
    "iterative_bayesian_update": lambda v: dc.mechanisms.iterative_bayesian_update(REPORT, v),
    "Shuffled": lambda v: dc.Shuffled(REPORT, v),
    "AllButOne": lambda v: CROWD.seen_by(dc.AllButOne(v)),
    "Uninformed": lambda v: CROWD.seen_by(dc.Uninformed(v)),
    "PartlyInformed": lambda v: CROWD.seen_by(dc.PartlyInformed(v)),
    "Exchangeable": lambda v: CROWD.seen_by(dc.Exchangeable(v)),
    "maximum_load": lambda v: dc.shuffling.maximum_load(v, 2),
    "privacy_profile": lambda v: dc.privacy_profile(CHANNEL, v),
    "dp_epsilon": lambda v: dc.dp_epsilon(CHANNEL, v),
    "renyi_dp": lambda v: dc.renyi_dp(CHANNEL, v),
    "total_variation": lambda v: dc.total_variation(v, [0.5, 0.5]),
    "renyi_divergence": lambda v: dc.renyi_divergence(v, [0.5, 0.5], 2),
    "tradeoff, pair": lambda v: dc.tradeoff(CHANNEL, v),
    "tradeoff_of_dp": dc.security.tradeoff_of_dp,
    "AttackCurve.at": lambda v: dc.tradeoff(CHANNEL).at(v),
    "AttackCurve.precision": lambda v: dc.tradeoff(CHANNEL).precision(v, 0.1),
    "bayes_security_of_ldp": dc.security.bayes_security_of_ldp,
    "shannon_capacity, tol": lambda v: dc.shannon_capacity(CHANNEL, tol=v),
    "visible_choice": lambda v: dc.visible_choice([CHANNEL, CHANNEL], v),
    "visible_choice, channels": lambda v: dc.visible_choice(v, [0.5, 0.5]),
    "repeated": lambda v: dc.repeated(CHANNEL, v),
    "restricted": lambda v: dc.restricted(CHANNEL, v),
    "cascade": lambda v: dc.cascade(CHANNEL, v),
    "refines": lambda v: dc.refines(CHANNEL, v),
    "Estimate, value": lambda v: dc.Estimate(v, 0, 1, None, "bound"),
    "Estimate, low": lambda v: dc.Estimate(0.5, v, 1, None, "bound"),
    "Estimate, confidence": lambda v: dc.Estimate(0.5, 0, 1, v, "sample"),
    "Estimate.between": lambda v: dc.Estimate.between(v, 1, "bound"),
    "Dirichlet": dc.Dirichlet,
    "PointMixture": lambda v: dc.PointMixture(v, [1.0]),
    "PointMixture, weights": lambda v: dc.PointMixture([[0.5, 0.5]], v),
    "distribution_utility": lambda v: dc.information.distribution_utility(REPORT, v),
    "frequency_posterior": lambda v: dc.frequency_posterior(REPORT, v),
    "optimal_mechanism": lambda v: dc.optimal_mechanism(2, epsilon=v),
    "estimate_bayes_risk, secrets": lambda v: dc.estimate_bayes_risk(v, [1, 2]),
    "estimate_bayes_risk, observations": lambda v: dc.estimate_bayes_risk([0, 1], v),
    "estimate_epsilon": lambda v: dc.estimate_epsilon(v, [0, 1], 0.1),
    "estimate_tradeoff": lambda v: dc.blackbox.estimate_tradeoff(v, [0.0, 1.0]),
    "Population": dc.Population,
    "Population, columns": lambda v: dc.Population("example:adult", columns=v),
    "Marginals": dc.Marginals,
    "Marginals of a column": lambda v: dc.Marginals({"a": v}),
    "k_anonymity": dc.anonymity.k_anonymity,
    "statistical_exposure": lambda v: dc.anonymity.statistical_exposure(v, 10, 2),
}
# Those that the issue of raw errors was about; the long test asks of all.
QUICK = ("Channel", "a prior", "Shuffled", "RandomizedResponse, ε", "frequency_error", "restricted", "Estimate, value")


@contextmanager
def room_for(size: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_AS)
    size += int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


@pytest.mark.parametrize(
    "function", [pytest.param(name, marks=[] if name in QUICK else pytest.mark.long) for name in FUNCTIONS]
)
def test_every_value_is_answered_or_refused_in_a_sentence(function: str) -> None:
    for name, make in VALUES.items():
        # NumPy writes into a formatter that another library has set when it prints a record.
        with room_for(ROOM), np.printoptions(formatter=None):
            try:
                FUNCTIONS[function](make())
            except DiscretionError as refusal:
                assert str(refusal) and len(str(refusal)) < LONGEST, name
            except BaseException as error:
                raise AssertionError(f"{function} of {name}: {type(error).__name__}: {error}") from error
