"""The trade-off curve of attacks on any system: f-differential privacy."""

import itertools
from collections.abc import Hashable, Iterable, Sequence
from functools import singledispatch
from typing import cast

from discretion import limits
from discretion.channels.channel import System, as_system
from discretion.errors import InvalidValueError
from discretion.escaping import short_repr
from discretion.measures.attack_curves.best_tests import BestTests
from discretion.measures.attack_curves.curve import AttackCurve
from discretion.measures.attack_curves.polygon import Polygon, best_of_polygons
from discretion.measures.guesses.bayes_security import Pair
from discretion.measures.measure import Method, Plan, measure
from discretion.measures.privacy_loss.differential_privacy import log_likelihoods, system_of_claim
from discretion.measures.privacy_loss.losses import MAX_LOSS_POINTS

PAIR = Method("likelihood ratios of a pair of rows (Neyman and Pearson)", "exact")
ALL_PAIRS = Method("likelihood ratios of all pairs of rows (Neyman and Pearson)", "exact")

_SHOWN = 5


@measure
def tradeoff(system: System, pair: Pair | None = None) -> Plan[AttackCurve]:
    """Return the curve of the best attacks: the least false negatives at every rate of false positives.

    An attack is a test, possibly randomized, that decides between the secrets a and b. If the secret is a, it accuses
    with probability α, a false positive; if the secret is b, it misses with probability β, a false negative. For a pair
    ``f(α) = min {β : tests with at most α}``. For all pairs it is the largest convex function below the curves of all
    ordered pairs: a lower bound on the misses of any adversary, for any two secrets in either direction.

    Parameters
    ----------
    system
        As for `discretion.privacy_profile`: a channel, a mechanism, or a structured system; for a `discretion.Shuffled`
        crowd its view by an adversary, ``crowd.seen_by(…)``.
    pair
        The labels ``(a, b)`` of two secrets, a innocent and b guilty; None for all ordered pairs.

    Returns
    -------
    AttackCurve
        ``.at(α)``, ``.true_positive_rate(α)``, ``.precision(prior, α)``, ``.advantage``, ``.bayes_security``,
        ``.delta(ε)``, ``.epsilon(δ)``, ``.gaussian_mu()``, ``.compose(curve)``, ``.chart()``, ``.to_frame()``. The
        curve of all pairs is symmetric; its ``.delta(ε)`` is `discretion.privacy_profile` and its ``.bayes_security``
        is β*.

    Raises
    ------
    InvalidValueError
        If the pair is not two different labels of secrets.
    TooLargeError
        If the system is a crowd without an explicit channel, and only bounds are known for the pair.
    UnsupportedError
        If the object is not a system, or is a crowd without an adversary (``seen_by``).

    Notes
    -----
    Source: Dong, Roth and Su, Gaussian differential privacy, JRSS B 2022, Definitions 2.1 and 2.3. Taking the convex
    function loses nothing: a system is f-DP for the least of several curves if and only if it is f-DP for the largest
    convex function below them.

    Examples
    --------
    >>> import discretion as dc
    >>> curve = tradeoff(dc.Gaussian(sigma=1))
    >>> round(curve.at(0.05), 6), round(curve.true_positive_rate(0.001), 6)
    (0.740489, 0.018298)
    """
    claim = system_of_claim(as_system(system))
    chosen = None if pair is None else as_pair(pair)
    return plan_tradeoff(claim, chosen).then(lambda tests: AttackCurve(tests, chosen))


@singledispatch
def plan_tradeoff(system: System, pair: Pair | None) -> Plan[BestTests]:
    """Plan the best tests by the likelihood ratios of rows of the explicit channel."""
    if pair is None:
        return Plan(ALL_PAIRS, lambda: _best_of_all(system))
    return Plan(PAIR, lambda: _best_of_rows(system, pair))


def as_pair(pair: object) -> Pair:
    """Return two different labels, or raise an error that quotes the argument."""
    try:
        if isinstance(pair, str | bytes):
            raise TypeError
        labels = tuple(itertools.islice(cast(Iterable[Hashable], pair), 3))
        different = set(labels)  # if labels can be compared
    except TypeError:
        raise InvalidValueError(
            f"pair must be the labels of two secrets, got {short_repr(pair)}; write (a, b)"
        ) from None
    if len(labels) != 2 or len(different) != 2:
        raise InvalidValueError(f"pair must be the labels of two different secrets, got {short_repr(pair)}")
    return labels


def pair_indices(pair: Pair, secrets: Sequence[Hashable]) -> tuple[int, int]:
    """Return the indices of both labels among the secrets, or raise an error that names the missing one."""
    for label in pair:
        if label not in secrets:
            labels = ", ".join(map(repr, secrets[:_SHOWN])) + ", …" * (len(secrets) > _SHOWN)
            raise InvalidValueError(f"{short_repr(label)} is not a secret of the system; its secrets are {labels}")
    return secrets.index(pair[0]), secrets.index(pair[1])


def _best_of_rows(system: System, pair: Pair) -> Polygon:
    a, b = pair_indices(pair, system.channel().inputs)
    rows = log_likelihoods(system)
    return Polygon.from_logs(rows[a], rows[b])


def _best_of_all(system: System) -> Polygon:
    rows = log_likelihoods(system)
    polygons: list[Polygon] = []
    for a, b in itertools.combinations(rows, 2):
        way = Polygon.from_logs(a, b)
        polygons += [way, way.reversed]
        if len(polygons) * rows.shape[1] > limits.current().numbers(MAX_LOSS_POINTS):
            polygons = [best_of_polygons(polygons)]
    return best_of_polygons(polygons)
