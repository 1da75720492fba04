"""The numbers and formulas in the paper's text, compared with our measures, and the paper's slips."""

import math
from collections import Counter
from itertools import product

import numpy as np
from scipy.special import psi

import discretion as dc
from discretion.information import (
    asymptotic_utility,
    average_privacy,
    information_split,
    population_information,
    worst_case_privacy,
)
from discretion.reproduce.charts.published import beside_published
from discretion.reproduce.item import Published, Reproduction, exact
from discretion.reproduce.ldp.examples import mixed

_RELATIVE = 1e-10


def all_numbers() -> Reproduction:
    """Return every number and the formulas that have a value of their own, with ours."""
    published = (*mixed(), *_jeffreys(), *_hashed(), *_slips())
    rows = tuple(entry.to_dict() for entry in published)
    return Reproduction(rows, lambda: beside_published(rows, _TITLE), published, _FORMULAS)


def _formula(where: str, what: str, value: float, ours: float, slip: str = "") -> Published:
    return Published(where, what, "a formula", value, ours, max(1e-12, _RELATIVE * abs(value)), slip)


def _jeffreys() -> tuple[Published, ...]:
    """Return the values of eqs. (10.1) and (10.2) for Jeffreys' prior."""
    utilities = (
        _formula(
            "section 10", f"C by (10.1), a = {a}",
            -0.5 * math.log(2 * math.pi * math.e) + a / (2 * a - 2) * float(psi(a / 2) - psi(0.5)),
            exact(asymptotic_utility(dc.RandomizedResponse(a, p=1))),
        )
        for a in (2, 3, 10, 1000)
    )  # fmt: skip
    entropies = (
        _formula("section 10", f"H(X|P) by (10.2), a = {a}", float(psi((a + 2) / 2) - psi(3 / 2)), _private_of_one(a))
        for a in (2, 3, 10)
    )
    return (*utilities, *entropies)


def _private_of_one(a: int) -> float:
    users = information_split(dc.RandomizedResponse(a, p=1), 1).users
    return exact(users.group_private) + exact(users.individual_private)


def _hashed() -> tuple[Published, ...]:
    """Return eq. (7.6) for local hashing with all functions from a values to g, and `LocalHashing` where it is equal.

    `LocalHashing` uses linear functions. For two values, or three values and two classes, they separate values as often
    as all functions do. For more values they separate them in fewer ways, and have a little more information.
    """
    explicit = (
        _formula(
            "section 7.1",
            f"S by (7.6), a = {a}, g = {g}, ε = 2 (of the linear functions of LocalHashing: {_linear(a, g):.8f})",
            *_local_hashing(a, g, 2.0),
        )
        for a, g in ((3, 2), (4, 2), (3, 3))
    )
    of_the_class = (
        _formula("section 7.1", f"S by (7.6), a = {a}, g = {g}, ε = 2, LocalHashing", _local_hashing(a, g, 2.0)[0],
                 _linear(a, g))
        for a, g in ((2, 2), (2, 3), (3, 2))
    )  # fmt: skip
    return (*explicit, *of_the_class)


def _linear(a: int, g: int) -> float:
    return average_privacy(dc.LocalHashing(a, 2.0, g=g))


def _local_hashing(a: int, g: int, epsilon: float) -> tuple[float, float]:
    """Return S by eq. (7.6), and of the explicit channel."""
    answer = dc.RandomizedResponse(g, epsilon=epsilon)
    functions = list(product(range(g), repeat=a))
    total = 0.0
    for h in functions:
        classes = Counter(h)
        hashed = dc.Channel(np.eye(g)[list(h)])
        total += average_privacy(hashed)
        if len(classes) > 1:  # of a constant h nothing is private, H(h(X)|P) = 0
            reached = sorted(classes)
            merged = dc.Dirichlet([classes[value] / 2 for value in reached])
            rows = answer.channel().dense()[reached]
            hidden = average_privacy(dc.Channel(rows), merged)
            total += (1 - average_privacy(hashed)) * hidden
    explicit = np.hstack([answer.channel().dense()[list(h)] for h in functions]) / len(functions)
    return total / len(functions), average_privacy(dc.Channel(explicit))


def _slips() -> tuple[Published, ...]:
    """Return two formulas as printed, which are wrong, with their corrections."""
    classes = dc.Channel(np.eye(3)[[0, 1, 2, 2]])
    split = information_split(dc.RandomizedResponse(3, p=1), 10).users
    private = exact(split.group_private) + exact(split.individual_private)
    return (
        Published.number(
            "Remark 6.9", "e^(-LDP) of reports in several classes", "1", worst_case_privacy(classes), _CLASSES
        ),
        _formula(
            "appendix D.2", "I(X;P) by (D.20), a = 3, n = 10", private + exact(split.total),
            exact(population_information(dc.RandomizedResponse(3, p=1), 10)), _SIGN,
        ),
    )  # fmt: skip


_TITLE = "The numbers in the paper's text, and the distance of ours from them"
_CLASSES = "reports fall into several classes only if LDP is infinite; Remark 6.9 prints LDP = 0"
_SIGN = "the first term, n H(X|P), needs a minus"

_FORMULAS = (
    "Section 7.1: for a constant h eq. (7.6) divides 0 by 0; with H(h(X)|Y,P) = 0 it holds.",
    "Eq. (9.5) is B(α) times the probability of the reports.",
    "Section 11: the mechanism sought has an average privacy of at least L, not at most.",
    "Eq. (D.9) divides by (a + β) twice.",
    "Proof of Corollary 6.8: its b' is one off, (6.3) is correct. Proof of Theorem 8.1: it squares once too often.",
)
