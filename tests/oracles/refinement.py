"""Refinement by its definitions: linear programs over Fractions, by the simplex method with Bland's rule."""

from fractions import Fraction


def least(cost, rows, right):
    """The least cost·x over x >= 0 with rows x = right, None if there is no such x; and an x that attains it."""
    signs = [1 if b >= 0 else -1 for b in right]
    m, n = len(rows), len(cost)
    table = [
        [s * Fraction(a) for a in row] + [Fraction(int(i == j)) for j in range(m)] + [s * Fraction(b)]
        for i, (row, b, s) in enumerate(zip(rows, right, signs, strict=True))
    ]
    basis = list(range(n, n + m))
    _pivoted(table, basis, [Fraction(0)] * n + [Fraction(1)] * m, n + m)
    if any(row[-1] for row, column in zip(table, basis, strict=True) if column >= n):
        return None, None
    _pivoted(table, basis, [Fraction(c) for c in cost] + [Fraction(0)] * m, n)
    x = [Fraction(0)] * (n + m)
    for row, column in zip(table, basis, strict=True):
        x[column] = row[-1]
    return sum(c * v for c, v in zip(cost, x, strict=False)), x[:n]


def _pivoted(table, basis, cost, columns):
    """Pivot until no column but the first ones lowers the cost; artificial ones at 0 go out where they can."""
    while True:
        prices = [cost[j] - sum(cost[b] * row[j] for b, row in zip(basis, table, strict=True)) for j in range(columns)]
        entering = next((j for j, price in enumerate(prices) if price < 0), None)
        if entering is None:
            return
        at_zero = [i for i, row in enumerate(table) if basis[i] >= columns and row[entering] and not row[-1]]
        ratios = [(row[-1] / row[entering], basis[i], i) for i, row in enumerate(table) if row[entering] > 0]
        i = at_zero[0] if at_zero else min(ratios)[2]
        pivot = table[i][entering]
        table[i] = [a / pivot for a in table[i]]
        for other, row in enumerate(table):
            if other != i and row[entering]:
                factor = row[entering]
                table[other] = [a - factor * b for a, b in zip(row, table[i], strict=True)]
        basis[i] = entering


def deficiency(C, D):
    """The least δ such that some channel R brings each row of C R within δ of D's in total variation."""
    k, m, n = len(C), len(C[0]), len(D[0])
    size = m * n + 2 * k * n + k + 1
    rows, right = [], []

    def equation(entries, value):
        row = [Fraction(0)] * size
        for at, entry in entries:
            row[at] += entry
        rows.append(row)
        right.append(value)

    for x in range(k):
        for z in range(n):
            over = m * n + x * n + z
            equation([*((y * n + z, C[x][y]) for y in range(m)), (over, -1), (over + k * n, 1)], D[x][z])
        equation([*((m * n + x * n + z, 1) for z in range(n)), (size - 1 - k + x, 1), (size - 1, -1)], 0)
    for y in range(m):
        equation([(y * n + z, 1) for z in range(n)], 1)
    return least([0] * (size - 1) + [1], rows, right)[0]


def in_hull(points, point):
    """Whether a point is a mixture of some."""
    right = [*point, 1]
    rows = [[*(other[x] for other in points)] for x in range(len(point))] + [[1] * len(points)]
    return least([0] * len(points), rows, right)[0] is not None


def max_case(C, D):
    """Whether each posterior of D, the prior being uniform, is a mixture of C's."""
    of_C, of_D = ([[a / sum(column) for a in column] for column in zip(*M, strict=True) if any(column)] for M in (C, D))
    return all(in_hull(of_C, posterior) for posterior in of_D)
