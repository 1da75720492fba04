"""The probability of a tally of reports under a law of the population, without a formula: bracketed by sampling.

With weights ``w = P(s | p) μ(p) / proposal(p)`` at M proposed p, the mean of the w is unbiased, so that its logarithm
is too low on average; with the true P among them, which given s is a draw from the posterior, the mean over M + 1 is
too high on average (Grosse, Ghahramani and Adams, Sandwiching the marginal likelihood, 2015). Both hold at any M.
"""

import math

import numpy as np
from scipy.special import gammaln, logsumexp

from discretion.adversaries.populations import Dirichlet
from discretion.numerics.arrays import Booleans, Integers, Reals

PROPOSED = 1 << 9
_FREEDOM = 5.0
_STEPS = 60
_LONGEST_STEP = 2.0
_SETTLED = 1e-4
_NEAR_ZERO = 3.0  # standard deviations
_TINY = 1e-300
_BEND, _CREST_STEPS = 0.05, 3


def evidence_bounds(
    matrix: Reals, tallies: Integers, shares: Reals, population: Dirichlet, rng: np.random.Generator
) -> tuple[Reals, Reals]:
    """Return logarithms that are on average too low and too high for the tallies' probabilities.

    Half of the proposals are drawn from the prior, which is as good as any where the reports reveal little. The others
    are made for ``ω = √P`` on the sphere, where Jeffreys' prior is uniform: a share that may be 0 then has no border
    there, but either sign. They are Student's on the plane that touches the sphere at the posterior's mode, bent along
    the ridge of the likelihood where that is narrow across and wide along (`_Ridge`).
    """
    draws, k = shares.shape
    modes = _modes(matrix, tallies, population.alpha)
    columns, seen = seen_columns(matrix, tallies)
    centre, precision, signed = _about(modes, columns, seen, population.alpha)
    ridge = _Ridge(centre, precision, columns, seen)
    proposed = PROPOSED // 2
    stretch = np.sqrt(_FREEDOM / rng.chisquare(_FREEDOM, size=(draws, proposed, 1)))
    deviations = rng.standard_normal((draws, proposed, k - 1)) * stretch
    drawn = np.maximum(rng.dirichlet(population.alpha, size=(draws, proposed)), _TINY)
    given = np.concatenate([shares[:, None, :], drawn], axis=1)
    signs = np.where(signed[:, None, :], rng.choice([-1.0, 1.0], size=given.shape), 1.0)
    given = ridge.offsets(np.sqrt(given) * signs)
    points_near = ridge.points(np.concatenate([given, ridge.bent(deviations)], axis=1))
    deviations = np.concatenate([ridge.straightened(given), deviations], axis=1)
    square = (points_near**2).sum(axis=2)
    inside = ((points_near > 0) | signed[:, None, :]).all(axis=2)
    p = np.maximum(points_near**2 / square[..., None], _TINY)
    likelihood = np.einsum("nmy,ny->nm", np.log(p @ columns + _TINY), seen)
    norm = math.lgamma(population.total) - float(gammaln(population.alpha).sum()) - math.log(2)
    prior = np.log(p) @ (population.alpha - 0.5) - k / 2 * np.log(square)
    prior += norm + math.log(2) * (~signed).sum(axis=1)[:, None]
    d = k - 1
    distance = (deviations**2).sum(axis=2)
    student = math.lgamma((_FREEDOM + d) / 2) - math.lgamma(_FREEDOM / 2) - d * math.log(_FREEDOM * math.pi) / 2
    student += np.log(ridge.lengths).sum(axis=1)[:, None] - (_FREEDOM + d) / 2 * np.log1p(distance / _FREEDOM)
    proposal = np.logaddexp(student, np.where(inside, prior, -np.inf)) - math.log(2)
    weights = np.where(inside, likelihood + prior - proposal, -np.inf)
    low = logsumexp(weights[:, 1:], axis=1) - math.log(2 * proposed)
    high = logsumexp(weights, axis=1) - math.log(2 * proposed + 1)
    return low, high


class _Ridge:
    """The likelihood of each tally about a point of the sphere, on the plane that touches it there.

    Where some directions are wide, the narrow ones are not straight: reports depend on shares and not on their roots.
    For each step along the wide directions the step across follows, by Newton's method, to where the likelihood is
    largest; as a shear it leaves volumes as they are.
    """

    def __init__(self, centre: Reals, precision: Reals, columns: Reals, seen: Integers) -> None:
        self._centre, self._columns, self._seen = centre, columns, seen
        plane = _tangents(centre)
        curvature = np.einsum("nxi,nxz,nzj->nij", plane, precision, plane, optimize=True)
        values, vectors = np.linalg.eigh(curvature)
        self.lengths: Reals = np.sqrt(np.maximum(values, _TINY))  # one over the deviations, in each direction
        self._axes = np.einsum("nxi,nij->nxj", plane, vectors)
        # A step of u along moves the ridge across by about u².
        self._wide: Booleans = self.lengths**2 * _BEND < self.lengths.max(axis=1, keepdims=True)
        self._wide &= ~self._wide.all(axis=1, keepdims=True)

    def points(self, offsets: Reals) -> Reals:
        """Return the points of the plane."""
        return self._centre[:, None, :] + np.einsum("nxi,nmi->nmx", self._axes, offsets)

    def offsets(self, roots: Reals) -> Reals:
        """Return the offsets in the plane of points on the sphere."""
        scaled = roots / np.einsum("nmx,nx->nm", roots, self._centre)[..., None]
        return np.einsum("nxi,nmx->nmi", self._axes, scaled)

    def bent(self, deviations: Reals) -> Reals:
        """Return offsets, given their numbers of deviations along the ridge and off it."""
        offsets: Reals = deviations / self.lengths[:, None, :]
        return offsets + self._crest(offsets)

    def straightened(self, offsets: Reals) -> Reals:
        """Return the numbers of deviations of offsets along the ridge and off it."""
        return (offsets - self._crest(offsets)) * self.lengths[:, None, :]

    def _crest(self, offsets: Reals) -> Reals:
        """Return the step across the ridge to its crest, given the wide directions of the offsets."""
        step = np.zeros_like(offsets)
        some = np.flatnonzero(self._wide.any(axis=1))
        if not some.size:
            return step
        wide = self._wide[some, None, :]
        along = np.where(wide, offsets[some], 0.0)
        across = np.zeros_like(along)
        columns, seen, axes = self._columns[some], self._seen[some], self._axes[some]
        for _ in range(_CREST_STEPS):
            candidates = self._centre[some, None, :] + np.einsum("nxi,nmi->nmx", axes, along + across)
            square = (candidates**2).sum(axis=2, keepdims=True)
            p = candidates**2 / square
            reported = p @ columns + _TINY
            # How each kind of report grows with each step: of p by 2ω(dω - p·…), all of it over the squared length.
            grown = np.einsum("nmx,nxi,nxy->nmiy", 2 * candidates / square, axes, columns, optimize=True)
            grown -= np.einsum("nmx,nxi->nmi", 2 * candidates / square, axes)[..., None] * reported[:, :, None, :]
            gradient = np.einsum("nmiy,nmy->nmi", grown, seen[:, None, :] / reported)
            root = grown * np.sqrt(seen[:, None, :])[:, :, None, :] / reported[:, :, None, :]
            curvature = np.einsum("nmiy,nmjy->nmij", root, root)
            curvature = np.where(wide[..., None] | wide[..., None, :], 0.0, curvature)
            ridge = np.where(wide, 1.0, 1e-9 * self.lengths[some, None, :] ** 2)
            curvature += ridge[..., None] * np.eye(wide.shape[2])
            across = across + np.linalg.solve(curvature, np.where(wide, 0.0, gradient)[..., None])[..., 0]
        step[some] = across
        return step


def seen_columns(matrix: Reals, tallies: Integers) -> tuple[Reals, Integers]:
    """Return, for each tally, the columns of the reports that it counts, ``(rows, k, kinds)``, and their counts.

    Tallies with fewer kinds than others are padded with kinds whose count is 0.
    """
    kinds = int(np.count_nonzero(tallies, axis=1).max())
    order = np.argsort(tallies == 0, axis=1, kind="stable")[:, :kinds]
    return matrix.T[order].transpose(0, 2, 1), np.take_along_axis(tallies, order, axis=1)


def _tangents(centre: Reals) -> Reals:
    """Return an orthonormal basis of the plane across each unit vector (the rest of Householder's reflection)."""
    k = centre.shape[1]
    across = centre + np.eye(k)[0]
    across /= np.sqrt((across**2).sum(axis=1, keepdims=True))
    return (np.eye(k) - 2 * across[:, :, None] * across[:, None, :])[:, :, 1:]


def _about(p: Reals, columns: Reals, seen: Integers, alpha: Reals) -> tuple[Reals, Reals, Booleans]:
    """Return, for each mode p, a point on the sphere, a precision there, and a mask of the shares that may be 0."""
    weighted = seen / (_reported(p, columns) + _TINY) ** 2
    information: Reals = np.einsum("nxy,ny,nzy->nxz", columns, weighted, columns, optimize=True)
    own: Reals = np.sqrt(np.einsum("nxx->nx", information))
    slope: Reals = np.maximum(alpha / p - alpha.sum(), 0)  # n less the likelihood's derivative, at the mode
    signed = p * own < _NEAR_ZERO
    signed[np.arange(len(p)), p.argmax(axis=1)] = False
    root = np.where(signed, 0.0, np.sqrt(p))
    precision: Reals = 4 * root[:, :, None] * root[:, None, :] * information
    free: Reals = np.where(signed, 1 / (p + 1 / (2 * slope + own)), 2 * slope) + np.where(signed, 0.0, 2 * alpha.sum())
    precision += free[:, :, None] * np.eye(alpha.size)
    return root / np.sqrt((root**2).sum(axis=1, keepdims=True)), precision, signed


def _log_ratio_basis(k: int) -> Reals:
    """Return an orthonormal basis of the vectors that sum to 0, a column each (Helmert's)."""
    basis = np.zeros((k, k - 1))
    for column in range(k - 1):
        basis[: column + 1, column] = 1.0
        basis[column + 1, column] = -(column + 1.0)
    return basis / np.sqrt((basis**2).sum(axis=0))


def _modes(matrix: Reals, tallies: Integers, alpha: Reals) -> Reals:
    """Return each posterior's mode in log-ratios, by Newton's method; a step that does not climb is taken back.

    Terms of the curvature that may be negative are left out, so that it is positive and short steps climb.
    """
    basis = _log_ratio_basis(alpha.size)
    n, total = tallies.sum(axis=1, keepdims=True), alpha.sum()
    # From the linear estimate of the shares on: far from the mode, steps towards the border creep.
    estimates: Reals = (tallies / n) @ np.linalg.pinv(matrix)
    at: Reals = np.log(np.maximum(estimates, 1 / (2 * np.sqrt(n) + alpha.size))) @ basis
    columns, seen = seen_columns(matrix, tallies)
    step, reach = np.zeros_like(at), np.ones((len(tallies), 1))
    best = np.full((len(tallies), 1), -np.inf)
    for _ in range(_STEPS):
        p = _shares_at(at + step, basis)
        height = (np.log(p) @ alpha + np.einsum("ny,ny->n", np.log(_reported(p, columns) + _TINY), seen))[:, None]
        climbed = height >= best
        at, best = np.where(climbed, at + step, at), np.where(climbed, height, best)
        reach = np.where(climbed, np.minimum(1.0, 2 * reach), reach / 4)
        p = _shares_at(at, basis)
        # How the reports of each kind are shared out among the values.
        part = p[:, :, None] * columns / (_reported(p, columns) + _TINY)[:, None, :]
        gradient = (alpha - total * p + np.einsum("nxy,ny->nx", part, seen) - n * p) @ basis
        away = part - p[:, :, None]
        square = np.einsum("nxy,ny,nzy->nxz", away, seen, away, optimize=True)
        spread = total * (np.einsum("nx,xz->nxz", p, np.eye(alpha.size)) - p[:, :, None] * p[:, None, :])
        curvature: Reals = basis.T @ (square + spread) @ basis
        whole = np.asarray(np.linalg.solve(curvature, gradient[..., None])[..., 0], dtype=np.float64)
        length = np.sqrt((whole**2).sum(axis=1, keepdims=True))
        step = whole * np.minimum(reach, _LONGEST_STEP / np.maximum(length, _TINY))
        if float(length.max()) < _SETTLED:
            break
    return _shares_at(at, basis)


def _reported(p: Reals, columns: Reals) -> Reals:
    """Return the probability of each kind of report, given the shares of each row."""
    return np.einsum("nx,nxy->ny", p, columns)


def _shares_at(ratios: Reals, basis: Reals) -> Reals:
    logits = ratios @ basis.T
    return np.exp(logits - logsumexp(logits, axis=1, keepdims=True))
