"""The probability of a tally of reports, given the tally of the values: a sum over all tables of values and reports.

    P(s | t) = Σ_N Π_x t_x! Π_y C[x, y]^N_xy / N_xy!,   N with the row sums t and the column sums s

Where the tallies t are few, it is computed for all of them at once: it is ``Π_x t_x! / Π_y s_y!`` times the coefficient
of ``z^t`` in ``Π_y (Σ_x C[x, y] z_x)^s_y``. Otherwise sampled tables bracket it, as in
`discretion.information.utility.evidence`: the true table is a draw from the law of tables given both tallies.
"""

import math

import numpy as np
from scipy.special import entr, gammaln, logsumexp

from discretion import limits
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.histograms.histograms import sequence_count

# Pairs of a tally of values and a tally of reports.
MAX_TALLY_CELLS = 1 << 26
# Entries of the table that these are made by.
MAX_TALLY_TABLE = 1 << 24
# Tallies of reports that are listed.
MAX_REPORT_TALLIES = 1 << 18

TABLES = 1 << 6
_SCALINGS = 40
_LARGEST_ODDS, _IMPOSSIBLE, _TINY = 200.0, -1e5, 1e-300
_DEVIATIONS, _COUNTS = 8.0, 8
_CELLS_AT_ONCE = 1 << 21


def most_listed() -> int:
    """Return the largest number of tallies of reports that may be listed."""
    return limits.current().numbers(MAX_REPORT_TALLIES, each=64)


def posterior_entropies(matrix: Reals, tallies: Integers, listed: Integers, law: Reals) -> tuple[Reals, Reals]:
    """Return ``H(T | S = s)`` for each tally s of reports, and ``log P(s)``.

    Parameters
    ----------
    matrix
        ``P(y | x)``, a row per value.
    tallies
        A tally of n reports in each row.
    listed, law
        All tallies of n people's values, in the order of `discretion.numerics.histograms.histograms.histograms`, and
        the probability of each.
    """
    n, k = int(listed[0].sum()), len(matrix)
    shares = matrix / np.maximum(matrix.sum(axis=0), _TINY)
    with np.errstate(divide="ignore"):
        weights = np.log(law) + gammaln(listed + 1.0).sum(axis=1)
    places = tuple(listed[:, :-1].T)
    at_once = max(1, _CELLS_AT_ONCE // (n + 1) ** (k - 1))
    entropies, evidence = np.empty(len(tallies)), np.empty(len(tallies))
    totals = tallies @ np.log(np.maximum(matrix.sum(axis=0), _TINY)) - gammaln(tallies + 1.0).sum(axis=1)
    for start in range(0, len(tallies), at_once):
        part = tallies[start : start + at_once]
        reports: Integers = np.tile(np.arange(part.shape[1], dtype=np.int64), len(part)).repeat(part.ravel())
        reports = reports.reshape(len(part), n)
        ways = np.ones((len(part),) + (1,) * (k - 1))
        for i in range(n):
            ways = _add_report(ways, shares[:, reports[:, i]])
        with np.errstate(divide="ignore"):
            logs = np.log(ways[(slice(None), *places)]) + weights
        evidence[start : start + at_once] = logsumexp(logs, axis=1)
        posterior = np.exp(logs - evidence[start : start + at_once, None])
        terms = np.asarray(entr(posterior), dtype=np.float64)
        entropies[start : start + at_once] = terms.sum(axis=1)
    return entropies, evidence + totals


def _add_report(ways: Reals, shares: Reals) -> Reals:
    """Return the coefficients with one more factor ``Σ_x c_x z_x`` in each row, an axis per value but the last."""
    grown = np.zeros((ways.shape[0], *(length + 1 for length in ways.shape[1:])))
    for x, share in enumerate(shares):
        step = [int(axis == x) for axis in range(ways.ndim - 1)]
        cells = tuple(slice(first, first + length) for first, length in zip(step, ways.shape[1:], strict=True))
        grown[(slice(None), *cells)] += share.reshape(-1, *([1] * (ways.ndim - 1))) * ways
    return grown


def listing_work(n: int, k: int) -> float:
    """Return the number of terms in the entropy of one posterior."""
    return float(n) * sequence_count(k - 1, n + 1)


def likelihood_bounds(matrix: Reals, tables: Integers, rng: np.random.Generator) -> tuple[Reals, Reals]:
    """Return logarithms that are on average too low and too high for ``P(s | t)`` of each table's sums.

    Tables are ``(draws, k, reports)``, each a draw of people by value and report. Others with the same sums are drawn
    column by column, and each column cell by cell: from Fisher's noncentral hypergeometric law, as if all later columns
    were one, and all later rows, with the odds of the table that has the expected entries (by iterative scaling).
    """
    width = float(np.sqrt(tables.sum(axis=(1, 2)).max())) * 2 * _DEVIATIONS + 2 * _COUNTS
    width = min(width, float(tables.sum(axis=1).max()))
    at_once = max(1, int(_CELLS_AT_ONCE / (TABLES * (width + 1))))
    parts = [_bounds(matrix, tables[start : start + at_once], rng) for start in range(0, len(tables), at_once)]
    low, high = (np.concatenate(ends) for ends in zip(*parts, strict=True))
    return low, high


def _bounds(matrix: Reals, tables: Integers, rng: np.random.Generator) -> tuple[Reals, Reals]:
    tables, columns = _ordered(matrix, tables)
    draws, k, kinds = tables.shape
    with np.errstate(divide="ignore"):
        logs = np.maximum(np.log(columns), _IMPOSSIBLE)
    odds = _log_odds(columns, tables)
    factorials: Reals = gammaln(np.arange(1.0, tables.sum(axis=(1, 2)).max() + 2.0))
    left = np.repeat(tables.sum(axis=2)[:, None, :], TABLES + 1, axis=1)
    weights = np.broadcast_to(factorials[left[:, :1]].sum(axis=2), (draws, TABLES + 1)).copy()
    for y in range(kinds - 1):
        column = np.repeat(tables[:, :, y].sum(axis=1)[:, None], TABLES + 1, axis=1)
        if not column.any():
            continue
        for x in range(k - 1):
            others = left[:, :, x + 1 :].sum(axis=2)
            cell, chance = _draw_cells((left[:, :, x], others, column), odds[:, x, y], tables[:, x, y], factorials, rng)
            weights += cell * logs[:, x, y, None] - factorials[cell] - chance
            left[:, :, x] -= cell
            column -= cell
        weights += column * logs[:, -1, y, None] - factorials[column]
        left[:, :, -1] -= column
    weights += (left * logs[:, None, :, -1] - factorials[left]).sum(axis=2)
    low = logsumexp(weights[:, 1:], axis=1) - math.log(TABLES)
    high = logsumexp(weights, axis=1) - math.log(TABLES + 1)
    return low, high


def _ordered(matrix: Reals, tables: Integers) -> tuple[Integers, Reals]:
    """Return the tables, and the matrix for each, without reports that nobody sent and with the commonest ones last."""
    seen = tables.sum(axis=1)
    kinds = int(np.count_nonzero(seen, axis=1).max())
    columns = np.argsort(seen, axis=1, kind="stable")[:, -kinds:]
    rows = np.argsort(tables.sum(axis=2), axis=1, kind="stable")
    ordered = np.take_along_axis(np.take_along_axis(tables, columns[:, None, :], axis=2), rows[:, :, None], axis=1)
    return ordered, matrix[rows[:, :, None], columns[:, None, :]]


def _log_odds(columns: Reals, tables: Integers) -> Reals:
    """Return the log-odds of each cell against the rows and columns after it, ``(draws, k - 1, kinds - 1)``."""
    value_sums, report_sums = tables.sum(axis=2), tables.sum(axis=1)
    rows, scales = np.ones(value_sums.shape), np.ones(report_sums.shape)
    for _ in range(_SCALINGS):
        scales = report_sums / np.maximum(np.einsum("nx,nxy->ny", rows, columns), _TINY)
        rows = value_sums / np.maximum(np.einsum("nxy,ny->nx", columns, scales), _TINY)
    expected: Reals = rows[:, :, None] * columns * scales[:, None, :]
    later = np.cumsum(expected[:, :, ::-1], axis=2)[:, :, ::-1] - expected
    logs = [np.log(np.maximum(entries, _TINY)) for entries in (expected, later, _below(expected), _below(later))]
    odds = (logs[0] - logs[1])[:, :-1] - (logs[2] - logs[3])[:, :-1]
    return np.clip(odds[:, :, :-1], -_LARGEST_ODDS, _LARGEST_ODDS)


def _below(entries: Reals) -> Reals:
    """Return the sums of the later rows."""
    return np.cumsum(entries[:, ::-1], axis=1)[:, ::-1] - entries


def _draw_cells(
    sums: tuple[Integers, Integers, Integers],
    log_odds: Reals,
    true: Integers,
    factorials: Reals,
    rng: np.random.Generator,
) -> tuple[Integers, Reals]:
    """Return a cell for each table, the first of each draw being the true one, and the cell's log-probability.

    The sums are those of its row, of all later rows, and of its column, in the rest of the table.
    """
    row, others, column = sums
    least, most = np.maximum(0, column - others), np.minimum(row, column)
    odds = np.exp(log_odds)[:, None]
    linear = others - column + odds * (row + column)
    whole = odds * row * column
    root = np.sqrt(np.maximum(linear * linear + 4 * (1 - odds) * whole, 0.0))
    mean = np.clip(2 * whole / np.maximum(linear + root, _TINY), least, most)
    spread = sum(1 / np.maximum(side, 0.5) for side in (mean, row - mean, column - mean, others - column + mean))
    half = math.ceil(_DEVIATIONS / math.sqrt(float(np.min(spread)))) + _COUNTS
    start = np.clip(np.floor(mean).astype(np.int64) - half, least, np.maximum(least, most - 2 * half))
    steps = np.arange(min(2 * half, int((most - least).max())) + 1)
    counts = start[..., None] + steps
    possible = counts <= most[..., None]
    counts = np.where(possible, counts, most[..., None])

    def heights(cells: Integers, *, axes: int) -> Reals:
        sides = (
            cells,
            row.reshape(row.shape + (1,) * axes) - cells,
            column.reshape(column.shape + (1,) * axes) - cells,
        )
        last = (others - column).reshape(column.shape + (1,) * axes) + cells
        return cells * log_odds.reshape(-1, *([1] * (1 + axes))) - sum(factorials[side] for side in (*sides, last))

    logs = np.where(possible, heights(counts, axes=1), -np.inf)
    highest = logs.max(axis=2, keepdims=True)
    upto = np.cumsum(np.exp(logs - highest), axis=2)
    drawn = (upto < (rng.random(row.shape) * upto[..., -1])[..., None]).sum(axis=2)
    cells = np.take_along_axis(counts, np.minimum(drawn, steps.size - 1)[..., None], axis=2)[..., 0]
    cells[:, 0] = true
    return cells, heights(cells, axes=0) - highest[..., 0] - np.log(upto[..., -1])
