"""Every measure of a system, how to ask for it, and its slow definition: a new measure is tested by one more line.

``ask(system, prior, gain)`` takes a gain matrix or None; ``oracle(C, prior, gain)`` takes Fractions. A case that has no
meaning for the adversary (a ratio to nothing) says so in ``means``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import Any

import numpy as np

import discretion as dc
from oracles import alpha_information as alpha, measures as slow
from oracles.channels import exact


@dataclass(frozen=True)
class Case:
    name: str
    ask: Callable[[Any, Any, Any], float]
    oracle: Callable[[Any, Any, Any], Any]
    means: Callable[[Any, Any], bool] = lambda prior, gain: True

    def expected(self, matrix, prior, gain):
        k = matrix.shape[0]
        law = slow.fractions(np.full(k, 1 / k) if prior is None else prior)
        return self.oracle(exact(matrix), law, slow.identity(k) if gain is None else exact(gain))

    def meaningful(self, k, prior, gain):
        law = slow.fractions(np.full(k, 1 / k) if prior is None else prior)
        return self.means(law, slow.identity(k) if gain is None else exact(gain))


def wrapped(gain):
    return None if gain is None else dc.gain_matrix(gain)


def _in_bits(C, prior, gain):
    with localcontext() as context:
        context.prec = 50
        return slow.mutual_information(C, prior) / Decimal(2).ln()


CASES = [
    Case(
        "posterior_vulnerability",
        lambda system, prior, gain: dc.posterior_vulnerability(system, prior, wrapped(gain)),
        slow.posterior_vulnerability,
    ),
    Case(
        "multiplicative leakage",
        lambda system, prior, gain: dc.leakage(system, prior, wrapped(gain)),
        lambda C, prior, gain: slow.posterior_vulnerability(C, prior, gain) / slow.prior_vulnerability(prior, gain),
        means=lambda prior, gain: slow.prior_vulnerability(prior, gain) > 1e-9,
    ),
    Case(
        "additive leakage",
        lambda system, prior, gain: dc.leakage(system, prior, wrapped(gain), kind="additive"),
        lambda C, prior, gain: slow.posterior_vulnerability(C, prior, gain) - slow.prior_vulnerability(prior, gain),
    ),
    Case(
        "bayes_risk",
        lambda system, prior, gain: dc.bayes_risk(system, prior),
        lambda C, prior, gain: slow.bayes_risk(C, prior),
    ),
    Case(
        "bayes_security at a prior",
        lambda system, prior, gain: (
            dc.bayes_security(system, np.full(system.secrets, 1 / system.secrets))
            if prior is None
            else dc.bayes_security(system, prior)
        ),
        lambda C, prior, gain: slow.bayes_security_at(C, prior),
        means=lambda prior, gain: max(prior) < 1,
    ),
    Case(
        "bayes_security",
        lambda system, prior, gain: dc.bayes_security(system),
        lambda C, prior, gain: slow.bayes_security(C),
    ),
    Case(
        "multiplicative_bayes_capacity",
        lambda system, prior, gain: dc.multiplicative_bayes_capacity(system),
        lambda C, prior, gain: slow.multiplicative_bayes_capacity(C),
    ),
    Case(
        "mutual_information",
        lambda system, prior, gain: dc.mutual_information(system, prior),
        lambda C, prior, gain: slow.mutual_information(C, prior),
    ),
    Case(
        "mutual_information in bits",
        lambda system, prior, gain: dc.mutual_information(system, prior, unit="bits"),
        _in_bits,
    ),
    Case(
        "posterior_entropy",
        lambda system, prior, gain: dc.measures.posterior_entropy(system, prior),
        lambda C, prior, gain: slow.posterior_entropy(C, prior),
    ),
    Case(
        "posterior_guessing_entropy",
        lambda system, prior, gain: dc.measures.posterior_guessing_entropy(system, prior),
        lambda C, prior, gain: slow.posterior_guessing_entropy(C, prior),
    ),
    Case(
        "sibson_information of order 2",
        lambda system, prior, gain: dc.measures.sibson_information(system, 2, prior),
        lambda C, prior, gain: alpha.sibson(C, 2, prior),
    ),
    Case(
        "arimoto_information of order 1/2",
        lambda system, prior, gain: dc.measures.arimoto_information(system, 0.5, prior),
        lambda C, prior, gain: alpha.arimoto(C, 0.5, prior),
    ),
    Case(
        "ldp_epsilon",
        lambda system, prior, gain: dc.ldp_epsilon(system),
        lambda C, prior, gain: slow.ldp_epsilon(C),
    ),
]
