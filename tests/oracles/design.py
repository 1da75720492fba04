"""The best ε-LDP mechanism by textbook means: every column of entries 1 and e^ε, every vertex, a general solver."""

import itertools
import math

import numpy as np
from scipy.optimize import linprog
from scipy.special import roots_jacobi

from oracles.population_laws import beta_nodes, expectation


def staircase(k, epsilon):
    """All columns of entries 1 and e^ε that are not constant, side by side."""
    levels = itertools.product([1.0, math.exp(epsilon)], repeat=k)
    return np.array([column for column in levels if len(set(column)) > 1]).T


def subset_selection(k, size, epsilon):
    sets = list(itertools.combinations(range(k), size))
    matrix = np.array([[math.exp(epsilon) if x in chosen else 1.0 for chosen in sets] for x in range(k)])
    return matrix / matrix[0].sum()


def information(columns, law):
    """What each column tells of a value with this law: ``Σ_x π_x s_x log(s_x / π·s)``."""
    return law @ (columns * np.log(columns / (law @ columns)))


def expected_loss(columns, law, loss):
    return (np.asarray(loss) @ (law[:, None] * columns)).min(axis=0)


def most(worth, columns):
    """The most that columns are worth together if their rows sum to 1: at some vertex, and all are tried."""
    k, best = len(columns), -math.inf
    for chosen in map(list, itertools.combinations(range(columns.shape[1]), k)):
        if np.linalg.matrix_rank(columns[:, chosen]) == k:
            weights = np.linalg.solve(columns[:, chosen], np.ones(k))
            best = max(best, worth[chosen] @ weights) if weights.min() > -1e-9 else best
    return best


def most_information_under_privacy(privacy, steps=400):
    """I(X; Y) of a fair coin, Jeffreys' prior on its bias, if that share of the flip stays private on average.

    A linear program over a fine grid of pairs of columns (1, r) and (r, 1).
    """
    law = np.full(2, 0.5)
    ratios = np.linspace(0, 1, steps + 1)[1:]
    log_own, log_rest, weights = beta_nodes(0.5, 0.5)
    own, rest = np.exp(log_own), np.exp(log_rest)
    told, leaked = [], []
    for r in ratios:
        high, low = 2 / (1 + r), 2 * r / (1 + r)
        told.append(float(information(np.array([[high], [low]]), law)[0]))
        reported = high * own + low * rest
        leaked.append(weights @ (own * high * np.log(high / reported) + rest * low * np.log(low / reported)))
    entropy = -float(weights @ (own * log_own + rest * log_rest))
    limit = (1 - privacy) * entropy
    return -linprog(-np.array(told), A_ub=[leaked], b_ub=[limit], A_eq=np.ones((1, steps)), b_eq=[1]).fun


def gauss(alpha, order):
    """Points and weights for P ~ Dirichlet(alpha), a stick being broken at betas."""
    points, weights, left = np.zeros((1, 0)), np.ones(1), np.ones(1)
    for x in range(len(alpha) - 1):
        nodes, share = roots_jacobi(order, sum(alpha[x + 1 :]) - 1, alpha[x] - 1)
        own = (nodes + 1) / 2
        points = np.column_stack([np.repeat(points, order, axis=0), np.outer(left, own).ravel()])
        left, weights = np.outer(left, 1 - own).ravel(), np.outer(weights, share / share.sum()).ravel()
    return np.column_stack([points, left]), weights


def best_asymptotic_utility(cvxpy, alpha, epsilon, order):
    """The most of ``-½ log 2πe + E log det(Σ_y θ_y s_y s_yᵀ/(s_y·P)) / (2k-2)``, by a conic solver."""
    points, weights = gauss(alpha, order)
    columns = staircase(len(alpha), epsilon)
    theta = cvxpy.Variable(columns.shape[1], nonneg=True)
    utility = 0
    for P, weight in zip(points, weights, strict=True):
        information = columns @ cvxpy.diag(cvxpy.multiply(theta, 1 / (P @ columns))) @ columns.T
        utility = utility + weight * cvxpy.log_det(information)
    problem = cvxpy.Problem(cvxpy.Maximize(utility), [columns @ theta == 1])
    problem.solve(solver="CLARABEL")
    return problem.value / (2 * len(alpha) - 2) - math.log(2 * math.pi * math.e) / 2


def shares_of_truth(column, law):
    """A column's share of the truth's chi-square of value and report given P, and of its information on the value."""
    k = len(column)

    def chi_square(log_p):
        apart = (column[:, None] - column) ** 2 / 2
        return np.einsum("nx,xy,ny->n", np.exp(log_p), apart, np.exp(log_p)) / (np.exp(log_p) @ column)

    def leak(log_p):
        reported, own = np.exp(log_p) @ column, column > 0
        logs = np.log(column[own]) - np.log(reported)[:, None]
        return (np.exp(log_p)[:, own] * column[own] * logs).sum(axis=1)

    entropy = expectation(law, lambda log_p: -(np.exp(log_p) * log_p).sum(axis=1))
    return expectation(law, chi_square) / (k - 1), expectation(law, leak) / entropy


def bit_covariances(k, size, epsilon, points):
    """The covariance of the support bits of subset selection at each P, every subset listed."""
    matrix = subset_selection(k, size, epsilon)
    bits = np.array([[x in chosen for x in range(k)] for chosen in itertools.combinations(range(k), size)], dtype=float)
    reports = points @ matrix
    means = reports @ bits
    return np.einsum("ny,yx,yz->nxz", reports, bits, bits) - means[:, :, None] * means[:, None, :]


def information_matrices(matrix, points):
    """The information on all shares but one: ``Σ_y c cᵀ / P(y)``, c a column less its last entry."""
    apart = matrix[:-1] - matrix[-1]
    return np.einsum("xy,ny,zy->nxz", apart, 1 / (points @ matrix), apart)
