"""Laplace noise: Proposition 3 of the Bayes security paper, and parameters at their ends."""

import math
from decimal import Decimal, localcontext

import pytest

import discretion as dc
from discretion.mechanisms import Laplace
from oracles.promise import exactly


@pytest.mark.parametrize("scale", [0.01, 0.5, 1, 7, 1e6])
@pytest.mark.parametrize("sensitivity", [0.1, 1, 3])
def test_proposition_3(scale, sensitivity):
    assert dc.bayes_security(Laplace(scale, sensitivity)) == exactly(math.exp(-sensitivity / (2 * scale)))


def test_the_value_that_the_paper_prints():
    assert f"{dc.bayes_security(Laplace(scale=10)):.3f}" == "0.951"


def test_hardly_any_noise_keeps_the_digits_of_what_is_hidden():
    assert dc.bayes_security(Laplace(1 / 1000)) == pytest.approx(math.exp(-500), rel=1e-12)
    assert dc.bayes_risk(Laplace(1 / 1000)) == pytest.approx(math.exp(-500) / 2, rel=1e-12)
    assert dc.bayes_security(Laplace(1e-9)) == 0
    assert dc.posterior_vulnerability(Laplace(1e-9)) == 1
    assert dc.mutual_information(Laplace(1e-9)) == exactly(math.log(2))
    assert dc.mutual_information(Laplace(1e-9), [1 - 1e-200, 1e-200]) == pytest.approx(
        1e-200 * (200 * math.log(10) + 1)
    )


def test_a_lot_of_noise_keeps_the_digits_of_what_leaks():
    quiet = Laplace(1e12)
    assert quiet.hockey_stick(0) == pytest.approx(5e-13, rel=1e-10)
    # For laws near each other E[loss²]/8, and nearly all losses are ±ε.
    assert dc.mutual_information(quiet) == pytest.approx(1e-24 / 8, rel=1e-10)
    assert quiet.renyi_divergence(2) == pytest.approx(1e-24, rel=1e-3)


@pytest.mark.parametrize("order", [0.1, 0.25, 0.4999999, 0.5, 0.75, 0.7500001, 1, 1.000001, 2, 50, 1e6])
@pytest.mark.parametrize("epsilon", [1e-3, 0.9, 3, 40, 2000])
def test_its_renyi_divergence_is_mironov_s(order, epsilon):
    found = Laplace(1 / epsilon).renyi_divergence(order)
    if order == 1:
        assert found == exactly(epsilon + math.expm1(-epsilon))
    elif order == 0.5:
        assert found == exactly(epsilon - 2 * math.log1p(epsilon / 2))
    elif order > 1.1:  # Proposition 6, the larger exponent taken out
        first, second = order / (2 * order - 1), (order - 1) / (2 * order - 1)
        rest = math.log(first + second * math.exp(-(2 * order - 1) * epsilon)) / (order - 1)
        assert found == pytest.approx(epsilon + rest, rel=1e-9)
    around = [Laplace(1 / epsilon).renyi_divergence(order * (1 + shift)) for shift in (-1e-6, 1e-6)]
    assert around[0] - 1e-12 <= found <= around[1] + 1e-12
    assert 0 <= found <= epsilon


@pytest.mark.parametrize("order", [1e-12, 1e-9, 1e-3])
@pytest.mark.parametrize("epsilon", [5, 700, 1e5])
def test_an_order_next_to_0_keeps_its_digits(order, epsilon):
    with localcontext() as context:
        context.prec = 50
        a, r = Decimal(order), Decimal(epsilon)
        between = ((-a * r).exp() - ((a - 1) * r).exp()) / (1 - 2 * a)
        moment = ((-a * r).exp() + ((a - 1) * r).exp() + between) / 2
        truth = float(moment.ln() / (a - 1))
    assert Laplace(1, epsilon).renyi_divergence(order) == exactly(truth)
