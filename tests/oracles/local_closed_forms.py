"""The published closed forms of the information metrics, for any number of values, by one-dimensional integrals."""

import math

import numpy as np
from scipy.special import digamma, gammaln, xlogy

from oracles.population_laws import beta_nodes


def mean_of_share(alpha, x, function):
    """``E f(log P_x, log(1-P_x))``: a share of a Dirichlet is a beta."""
    log_own, log_rest, weights = beta_nodes(alpha[x], math.fsum(alpha) - alpha[x])
    return float(weights @ function(log_own, log_rest))


def sum_over_shares(alpha, function):
    """``Σ_x E f(P_x)``, shares of the same law done once."""
    alpha = [float(a) for a in alpha]
    return math.fsum(alpha.count(a) * mean_of_share(alpha, alpha.index(a), function) for a in set(alpha))


def entropy_of_value(alpha):
    """H(X | P); with every α = 1/2 equation 10.2."""
    alpha = np.asarray(alpha, dtype=float)
    return float(digamma(alpha.sum() + 1) - alpha @ digamma(alpha + 1) / alpha.sum())


def differential_entropy(alpha):
    """h(P) of a Dirichlet law."""
    alpha = np.asarray(alpha, dtype=float)
    log_beta = gammaln(alpha).sum() - gammaln(alpha.sum())
    return float(log_beta + (alpha.sum() - alpha.size) * digamma(alpha.sum()) - (alpha - 1) @ digamma(alpha))


def no_noise(alpha):
    """C_μ, Definition 6.5; with every α = 1/2 equation 10.1."""
    alpha = np.asarray(alpha, dtype=float)
    mean = float((digamma(alpha.sum()) - digamma(alpha)).sum())
    return -math.log(2 * math.pi * math.e) / 2 + mean / (2 * alpha.size - 2)


def response_privacy(alpha, epsilon):
    """Proposition 10.1's S_μ, as what stays hidden: every term is positive, none cancels."""
    a, odds = len(alpha), math.exp(-epsilon)
    lie = odds / (1 + (a - 1) * odds)
    log_truth = -math.log1p((a - 1) * odds)
    log_lie = log_truth - epsilon

    def truthful(log_own, log_rest):  # y was sent by a holder of y
        told = log_truth + log_own
        return np.exp(told) * np.log1p(np.exp(np.minimum(log_lie + log_rest - told, 700)))

    def lied(log_own, log_rest):  # y was sent by the others, all but for -log P_x
        return np.exp(log_rest) * np.logaddexp(log_rest, epsilon + log_own)

    own = entropy_of_value(alpha)
    # Each of the others' -P_x log P_x is counted at every report but its own.
    hidden = sum_over_shares(alpha, truthful) + lie * (sum_over_shares(alpha, lied) + (a - 1) * own)
    return hidden / own


def response_asymptotic_utility(alpha, epsilon):
    """Proposition 10.1's U^as, for any Dirichlet law."""
    a, beta = len(alpha), math.expm1(epsilon)
    logs = sum_over_shares(alpha, lambda log_own, log_rest: np.logaddexp(log_rest, epsilon + log_own))
    return (
        -math.log(2 * math.pi * math.e) / 2
        + math.log(beta)
        - (a - 2) / (2 * a - 2) * math.log(a + beta)
        - logs / (2 * a - 2)
    )


def unary_privacy(k, alpha, kappa, lam):
    """Proposition 10.3's S_μ for Dirichlet(α, …, α), with the law of independent bits of chance λ taken out.

    Against it the reports' divergence is that of one bit given the value, and ``Σ_g Bin(g; k, λ) E[w log w]`` given P,
    w the likelihood ratio of g bits set.
    """
    low, high = (1 - kappa) / (1 - lam), kappa / lam
    one_bit = xlogy(kappa, high) + xlogy(1 - kappa, low)
    g = np.arange(k + 1)
    binomial = gammaln(k + 1) - gammaln(g + 1) - gammaln(k - g + 1) + g * math.log(lam) + (k - g) * math.log1p(-lam)
    told = []
    for ones, chance in zip(g, np.exp(binomial), strict=True):
        if chance < 1e-25:
            continue
        if ones in (0, k):
            ratio, weights = np.array([high if ones else low]), np.ones(1)
        else:
            log_own, log_rest, weights = beta_nodes(ones * alpha, (k - ones) * alpha)
            ratio = high * np.exp(log_own) + low * np.exp(log_rest)
        told.append(chance * float(weights @ xlogy(ratio, ratio)))
    return 1 - (one_bit - math.fsum(told)) / entropy_of_value([alpha] * k)
