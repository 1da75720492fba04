"""What reports tell of a population whose law is Dirichlet."""

from collections.abc import Iterator
from typing import Any

from oracles import population_rows as exact
from sweep.channels import a_system
from sweep.draws import Draw
from sweep.question import Call, Question, call, mpmath

mpf, log = mpmath.mpf, mpmath.log

# By how many kinds of report there are.
_MOST_REPORTS = {1: 6, 2: 6, 3: 4, 4: 2}
_DIGITS = 45
_LEAST, _MOST = 0.1, 20.0


def questions(draw: Draw) -> Iterator[Question]:
    system, rows = a_system(draw, most=3)
    n = draw.whole(1, _MOST_REPORTS.get(len(rows[0]), 1))
    try:
        with mpmath.workdps(_DIGITS):
            found = list(_asked(system, rows, n, draw.alphas(len(rows), _LEAST, _MOST)))
    except exact.NoConvergence:
        found = []
    return (Question(asked, lambda truth=truth: truth) for asked, truth in found)


def _asked(system: Call, rows: Any, n: int, given: list[float]) -> Iterator[tuple[Call, Any]]:
    alpha, law, k = [mpf(a) for a in given], call("Dirichlet", given), len(rows)
    yield call("information.average_privacy", system, law), exact.average_privacy(rows, alpha)
    told, truth = exact.information(rows, n, alpha), exact.information_of_truth(n, alpha)
    density = exact.differential_entropy(alpha)
    yield call("information.population_information", system, n, law, rng=1), told
    yield call("information.distribution_utility", system, n, law, rng=1), told / truth
    yield call("information.digit_utility", system, n, law, rng=1), (told - density) / (k - 1)
    tallies, entropy = exact.information_of_tallies(rows, n, alpha), exact.tally_entropy(n, alpha)
    yield call("information.tally_utility", system, n, law, rng=1), tallies / entropy
    if len(rows[0]) == k and abs(mpmath.det(mpmath.matrix(rows))) > mpf("1e-4") ** k:
        mean = exact.log_determinant(rows, alpha)
        yield (
            call("information.asymptotic_utility", system, law, rng=1),
            mean / (2 * k - 2) - log(2 * mpmath.pi * mpmath.e) / 2,
        )
        participation = mpmath.exp((mean - exact.log_determinant_of_truth(alpha)) / (k - 1))
        yield call("information.effective_participation", system, law, rng=1), participation
