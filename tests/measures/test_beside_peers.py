"""Numbers of information flow beside those of libqif and qiflib, and a curve of attacks beside riskcal's."""

import numpy as np
import pytest

import discretion as dc

RNG = np.random.default_rng(19)
CASES = [
    (RNG.dirichlet(np.ones(m), k), RNG.dirichlet(np.ones(k)), RNG.uniform(size=(w, k)))
    for k, m, w in ((2, 2, 2), (3, 5, 4), (6, 4, 3), (8, 20, 8), (20, 30, 5))
]
cases = pytest.mark.parametrize(
    ("matrix", "prior", "weights"), CASES, ids=[f"{len(case[0])} secrets" for case in CASES]
)


@cases
def test_vulnerabilities_risks_and_capacities_are_libqifs(matrix, prior, weights):
    peers = pytest.importorskip("qif").measure
    C, gain = dc.Channel(matrix), dc.gain_matrix(weights)
    for ours, theirs in (
        (dc.prior_vulnerability(prior), peers.bayes_vuln.prior(prior)),
        (dc.posterior_vulnerability(C, prior), peers.bayes_vuln.posterior(prior, matrix)),
        (dc.leakage(C, prior), peers.bayes_vuln.mult_leakage(prior, matrix)),
        (dc.leakage(C, prior, kind="additive"), peers.bayes_vuln.add_leakage(prior, matrix)),
        (dc.multiplicative_bayes_capacity(C), peers.bayes_vuln.mult_capacity(matrix)),
        (dc.bayes_risk(C, prior), peers.bayes_risk.posterior(prior, matrix)),
        (dc.prior_vulnerability(prior, gain), peers.g_vuln.prior(weights, prior)),
        (dc.posterior_vulnerability(C, prior, gain), peers.g_vuln.posterior(weights, prior, matrix)),
        (
            -dc.posterior_vulnerability(C, prior, dc.loss_matrix(weights)),
            peers.l_risk.posterior(weights, prior, matrix),
        ),
        (dc.measures.posterior_entropy(C, prior, unit="bits"), peers.shannon.posterior(prior, matrix)),
        (dc.measures.prior_guessing_entropy(prior), peers.guessing.prior(prior)),
        (dc.measures.posterior_guessing_entropy(C, prior), peers.guessing.posterior(prior, matrix)),
        (dc.ldp_epsilon(C), peers.d_privacy.smallest_epsilon(matrix, _discrete)),
    ):
        assert ours == pytest.approx(theirs, rel=1e-10, abs=1e-12)


def _discrete(a, b):
    return float(a != b)


@cases
def test_shannons_capacity_is_libqifs(matrix, prior, weights):
    bits, _ = pytest.importorskip("qif").measure.shannon.add_capacity(matrix, 1e-6)
    found = dc.shannon_capacity(dc.Channel(matrix), tol=1e-9, unit="bits")
    assert found.value == pytest.approx(bits, abs=2e-6)


@cases
def test_the_orders_are_libqifs(matrix, prior, weights):
    peers = pytest.importorskip("qif").refinement
    C, D = dc.Channel(matrix), dc.Channel(matrix) >> dc.Channel(RNG.dirichlet(np.ones(3), matrix.shape[1]))
    other = dc.Channel(RNG.dirichlet(np.ones(matrix.shape[1]), len(matrix)))
    for first, second in ((C, D), (D, C), (C, other), (other, C)):
        pair = first.dense(), second.dense()
        assert dc.refines(first, second).holds == peers.refined_by(*pair)
        assert dc.refinement.max_case_refines(first, second).holds == peers.max_refined_by(*pair)
        assert dc.refinement.privacy_refines(first, second).holds == peers.priv_refined_by(*pair)


@cases
def test_a_guess_is_qiflibs(matrix, prior, weights):
    core = pytest.importorskip("qiflib.core")
    secrets = core.secrets.Secrets(list(map(str, range(prior.size))), prior)
    channel = core.channel.Channel(secrets, list(map(str, range(matrix.shape[1]))), matrix)
    guess = core.gvulnerability.GVulnerability(secrets, list(map(str, range(len(weights)))), weights)
    theirs = guess.posterior_vulnerability(core.hyper.Hyper(channel))
    assert dc.posterior_vulnerability(dc.Channel(matrix), prior, dc.gain_matrix(weights)) == pytest.approx(theirs)


@pytest.mark.parametrize("mu", [0.1, 1.0, 3.0])
def test_a_gaussian_curve_is_riskcals(mu):
    analysis = pytest.importorskip("riskcal.analysis")
    rates = np.array([0.001, 0.01, 0.1, 0.5, 0.9])
    theirs = analysis.get_beta_for_mu(mu, rates)
    assert [dc.tradeoff(dc.Gaussian(sigma=1 / mu)).at(rate) for rate in rates] == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0.0), (1.0, 1e-5), (3.0, 0.1)])
def test_the_curve_of_a_guarantee_is_riskcals(epsilon, delta):
    analysis = pytest.importorskip("riskcal.analysis")
    rates = np.array([0.001, 0.01, 0.1, 0.5, 0.9])
    curve = dc.security.tradeoff_of_dp(epsilon, delta)
    theirs = analysis.get_beta_for_epsilon_delta(epsilon, delta, rates)
    assert [curve.at(rate) for rate in rates] == pytest.approx(theirs, abs=1e-12)
