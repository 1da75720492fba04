"""The guess by nearest neighbors: the most frequent secret of the nearest known observations."""

import math
from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from discretion.blackbox.distinct import NUMBERS, codes_of_rows, distinct, distinct_integers, first_places
from discretion.errors import InvalidValueError
from discretion.numerics.arrays import Booleans, Integers, Reals
from discretion.numerics.compiled import compiled
from discretion.validation import as_count

Metric = Callable[[Any, Any], float]

# Votes that are held at once, and the largest coordinate whose square is finite.
_MOST_AT_ONCE = 1 << 22
_FURTHEST = 1e150

# Below this number of points, a search takes less time than starting threads.
_WORTH_THREADS = 1000

# Of fewer numbers a tree has answered before a loop is loaded.
_ON_A_LINE_FROM = 20_000

# To learn k: the share of known samples that are tested, their largest number, and the votes that all may take.
_ASKED_PART, _MOST_ASKED, _MOST_VOTES = 4, 4000, 1e7


class NearestNeighbours:
    """A guesser of the most frequent secret of the k nearest known observations; ties go to the nearest one's secret.

    All known observations at the distance of the k-th vote, too.

    Parameters
    ----------
    k
        The number of neighbors that vote, at least 1. None learns it from the data: it compares the least odd number
        that is at least ``ln n`` for n known samples, with which the error tends to the Bayes risk as n grows, and
        further numbers up to ``√n``, each about twice the one before, while a limit on time allows. It takes the number
        with the fewest errors on a part of the known samples.
    metric
        ``metric(x, y)``, a distance between any two observations (numbers, rows, sequences, text); it is called for
        every pair of a tested and a known observation. None is the Euclidean distance, with a k-d tree.

    Notes
    -----
    Source: Cherubin, Chatzikokolakis and Palamidessi, F-BLEAU: Fast Black-box Leakage Estimation, S&P 2019, section
    IV. If secrets are tied at different observations of the same distance, the order of the tree decides, or of many
    single numbers the lower one; with a metric, or at a single observation, the secret that was learned first wins.

    Examples
    --------
    >>> nearest = NearestNeighbours(k=1).fit([0.0, 1.0, 4.0], ["a", "a", "b"])
    >>> nearest.predict([2.0, 3.0]).tolist()
    ['a', 'b']
    """

    def __init__(self, k: int | None = None, metric: Metric | None = None) -> None:
        self.k = None if k is None else as_count(k, "k", at_least=1)
        if metric is not None and not callable(metric):  # pyright: ignore[reportUnnecessaryComparison]
            raise InvalidValueError(f"metric must be a function of two observations, or None, got {metric!r}")
        self.metric = metric

    def __repr__(self) -> str:
        return f"NearestNeighbours(k={self.k}{'' if self.metric is None else ', metric of the user'})"

    def fit(self, X: Any, y: Any) -> "NearestNeighbours":
        """Remember observations X, shape (n,) or (n, d), with their secrets y, shape (n,)."""
        labels, codes = distinct(np.asarray(y), "secrets")
        by_first = np.argsort(first_places(codes, labels.size))
        self._labels, self._secrets = labels[by_first], np.argsort(by_first)[codes]
        self._neighbours = _points_by_secret(X, self._secrets) if self.metric is None else None
        self._known = X
        self._votes = min(self._secrets.size, self.k or self._learned())
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return a guess for each observation of X, shape (m,) or (m, d)."""
        return self._labels[self._elected(X, [self._votes])[0]]

    def _learned(self) -> int:
        """Return the k with the fewest errors on some known samples, given only the others; the lowest if tied."""
        size = self._secrets.size
        ks = [math.ceil(math.log(size)) | 1]
        while (wider := 2 * ks[-1] + 1) <= min(size**0.5, _MOST_VOTES / size):
            ks.append(wider)
        if len(ks) == 1:
            return ks[0]
        places = np.arange(0, size, max(_ASKED_PART, size // _MOST_ASKED))
        others = np.delete(np.arange(size), places)
        guesser = NearestNeighbours(1, self.metric).fit(_at(self._known, others), self._secrets[others])
        rows, secrets = _at(self._known, places), self._secrets[places]
        errors = np.sum(guesser._labels[guesser._elected(rows, ks)] != secrets, axis=1)
        return ks[int(np.argmin(errors))]

    def _elected(self, X: Any, ks: list[int]) -> Integers:
        """Return a row of winners of the votes for each k."""
        if self._neighbours is not None:
            return np.stack([self._neighbours.elected(X, k) for k in ks])
        return np.array([self._nearest(x, ks) for x in X], dtype=np.int64).reshape(-1, len(ks)).T

    def _nearest(self, x: Any, ks: list[int]) -> list[int]:
        assert self.metric is not None
        distances = np.array([self.metric(x, known) for known in self._known], dtype=np.float64)
        if np.isnan(distances).any():
            raise InvalidValueError("metric must return a number for any two observations, got nan")
        order = np.argsort(distances, kind="stable")
        won: list[int] = []
        for k in ks:
            voting = self._secrets[order[distances[order] <= distances[order[k - 1]]]]
            votes = np.bincount(voting)
            won.append(int(voting[np.argmax(votes[voting] == votes.max())]))
        return won


def _points_by_secret(X: Any, secrets: Integers) -> "_Tree | _Line":
    points = as_points(X)
    return _Line(points, secrets) if points.shape[1] == 1 and len(points) >= _ON_A_LINE_FROM else _Tree(points, secrets)


class _Points:
    """The distinct known points, each with its counts of secrets."""

    def __init__(self, points: Reals, secrets: Integers) -> None:
        # A power of two for the largest: squares neither overflow nor vanish, and equal distances stay equal.
        self._exponent = int(np.frexp(np.abs(points).max())[1])
        codes = codes_of_rows(points)
        count = int(codes.max()) + 1
        self._points = scale_down(points[first_places(codes, count)], self._exponent)
        self._sizes, self._samples = np.bincount(codes), codes.size
        self._kinds = int(secrets.max()) + 1
        cells, of_sample = distinct_integers(codes * self._kinds + secrets)
        self._secret, self._count = cells % self._kinds, np.bincount(of_sample)
        self._first_cell = np.searchsorted(cells // self._kinds, np.arange(count + 1))


class _Line(_Points):
    """Numbers: the nearest ones of a number are the next ones on both sides."""

    def __init__(self, points: Reals, secrets: Integers) -> None:
        super().__init__(points, secrets)
        order = np.argsort(self._points[:, 0], kind="stable")
        self._places, self._first, self._end = (
            self._points[order, 0],
            self._first_cell[order],
            self._first_cell[order + 1],
        )

    def elected(self, X: Any, k: int) -> Integers:
        """Return the secret that wins the vote at each point of X."""
        queries = scale_down(as_points(X), self._exponent)[:, 0]
        winners = np.empty(len(queries), dtype=np.int64)
        cells = self._first, self._end, self._secret, self._count
        above = np.searchsorted(self._places, queries)
        compiled(_elect)(self._places, *cells, queries, above, k, np.zeros(self._kinds, np.int64), winners)
        return winners


def _elect(  # noqa: PLR0917 - loops over arrays
    places: Reals,
    first: Integers,
    end: Integers,
    secrets: Integers,
    counts: Integers,
    queries: Reals,
    above: Integers,
    k: int,
    votes: Integers,
    winners: Integers,
) -> None:
    for i in range(queries.size):
        query = queries[i]
        # The votes of the k nearest samples, and of others at the distance of the last.
        left, right = above[i] - 1, above[i]
        taken, furthest, most = 0, 0.0, 0
        while left >= 0 or right < places.size:
            to_left = query - places[left] if left >= 0 else np.inf
            to_right = places[right] - query if right < places.size else np.inf
            if min(to_left, to_right) > furthest and taken >= k:
                break
            furthest = min(to_left, to_right)
            point = left if to_left <= to_right else right
            left, right = (left - 1, right) if to_left <= to_right else (left, right + 1)
            for cell in range(first[point], end[point]):
                votes[secrets[cell]] += counts[cell]
                taken += counts[cell]
                most = max(most, votes[secrets[cell]])
        # The nearest secret with the most votes.
        below, beyond = above[i] - 1, above[i]
        winner = -1
        while winner < 0:
            is_below = beyond == right or (below > left and query - places[below] <= places[beyond] - query)
            point = below if is_below else beyond
            below, beyond = (below - 1, beyond) if is_below else (below, beyond + 1)
            for cell in range(first[point], end[point]):
                if winner < 0 and votes[secrets[cell]] == most:
                    winner = secrets[cell]
        winners[i] = winner
        for point in range(left + 1, right):
            for cell in range(first[point], end[point]):
                votes[secrets[cell]] = 0


class _Tree(_Points):
    """Points in any number of dimensions, in a k-d tree."""

    def __init__(self, points: Reals, secrets: Integers) -> None:
        from scipy.spatial import cKDTree  # noqa: PLC0415 - takes a tenth of a second

        super().__init__(points, secrets)
        # Midpoints in place of medians: with many equal coordinates a balanced tree takes quadratic time.
        self._tree = cKDTree(self._points, balanced_tree=False)
        self._most_cells = int(np.diff(self._first_cell).max())

    def elected(self, X: Any, k: int) -> Integers:
        """Return the secret that wins the vote at each point of X."""
        points = self._sizes.size
        return self._winners(scale_down(as_points(X), self._exponent), k, min(2 + k * points // self._samples, points))

    def _winners(self, queries: Reals, k: int, width: int) -> Integers:
        """Return the winners among the k nearest samples and ties with the k-th, from ``width`` points at first.

        If the last of these points is at the distance of the k-th sample, others may be, too, and the search continues.
        """
        winners = np.empty(len(queries), dtype=np.int64)
        step = max(1, _MOST_AT_ONCE // (width * self._most_cells + self._kinds))
        for start in range(0, len(queries), step):
            some = queries[start : start + step]
            workers = 1 if len(some) < _WORTH_THREADS else -1
            answer: Any = self._tree.query(some, k=np.arange(1, width + 1), workers=workers)
            distance: Reals = answer[0]
            point: Integers = answer[1]
            enough = np.cumsum(self._sizes[point], axis=1) >= k
            kth = np.where(enough[:, -1], np.argmax(enough, axis=1), width - 1)
            furthest = np.take_along_axis(distance, kth[:, None], axis=1)
            complete = (distance[:, -1] > furthest[:, 0]) | (width == self._sizes.size)
            won = np.empty(len(some), dtype=np.int64)
            won[complete] = self._vote(point[complete], (distance <= furthest)[complete])
            if not complete.all():
                won[~complete] = self._winners(some[~complete], k, min(2 * width, self._sizes.size))
            winners[start : start + step] = won
        return winners

    def _vote(self, point: Integers, voting: Booleans) -> Integers:
        row, column = np.nonzero(voting)
        chosen = point[row, column]
        first = self._first_cell[chosen]
        lengths = self._first_cell[chosen + 1] - first
        ends = np.cumsum(lengths)
        cells = np.arange(int(lengths.sum())) + np.repeat(first - ends + lengths, lengths)
        row, secret = np.repeat(row, lengths), self._secret[cells]
        ballots = row * self._kinds + secret
        votes = np.bincount(ballots, self._count[cells], len(point) * self._kinds)
        leading = np.flatnonzero(votes[ballots] == votes.reshape(-1, self._kinds).max(axis=1)[row])
        nearest = leading[np.searchsorted(row[leading], np.arange(len(point)))]
        return secret[nearest]


def _at(rows: Any, places: Integers) -> Any:
    if isinstance(rows, np.ndarray):
        return cast(NDArray[Any], rows)[places]
    return [rows[place] for place in places.tolist()]


def as_points(X: Any) -> Reals:
    """Return numbers as points, a row each; raise for other observations."""
    points = np.asarray(X)
    numbers = points.dtype.kind in NUMBERS or (
        points.dtype.kind == "O" and all(isinstance(value, int | float) for value in points.ravel().tolist())
    )
    if not numbers:
        raise InvalidValueError(
            "nearest neighbors need numbers, got other observations; give NearestNeighbours a metric on them, or "
            'compare them whole by method="frequentist"'
        )
    rows = points.reshape(len(points), -1).astype(np.float64, copy=False)
    if np.isnan(rows).any():
        raise InvalidValueError("nearest neighbors need numbers, got nan; leave out such observations, or replace it")
    return rows


def scale_down(points: Reals, exponent: int) -> Reals:
    """Return points divided by that power of two, and clipped so that their squares do not overflow."""
    with np.errstate(over="ignore", under="ignore"):
        return np.clip(np.ldexp(points, -exponent), -_FURTHEST, _FURTHEST)
