"""Whether one channel is refined by another: what proves it, and that nothing is said that is not so."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import discretion as dc
from discretion.errors import InvalidChannelError, InvalidValueError, UnsupportedError
from discretion.estimate import lowest
from discretion.refinement import Refinement
from discretion.refinement.nearest import exact_factors
from discretion.refinement.pair import ChannelPair
from oracles import measures as slow, refinement as oracle
from oracles.channels import cascade, exact
from oracles.strategies import matrices, stochastic
from support.lowering import lowered

SEVERAL = st.integers(1, 3)


@st.composite
def rationals(draw, rows, columns):
    """A channel of Fractions with zeros, ties and proportional columns."""
    weights = draw(
        st.lists(st.lists(st.integers(0, 4), min_size=columns, max_size=columns), min_size=rows, max_size=rows)
    )
    return [[Fraction(w, sum(row)) for w in row] if any(row) else [Fraction(int(not j)) for j in range(columns)]
            for row in weights]  # fmt: skip


@st.composite
def pairs(draw):
    """Two channels on the same secrets, of which the second may be made of the first."""
    k, m, n = draw(SEVERAL), draw(st.integers(1, 4)), draw(SEVERAL)
    C = draw(rationals(k, m))
    return C, cascade(C, draw(rationals(m, n))) if draw(st.booleans()) else draw(rationals(k, n))


def doubles(matrix):
    return dc.Channel([[float(entry) for entry in row] for row in matrix])


def check_proof(C, D, found):
    """Hold what proves a verdict to Fractions of the doubles in C and D."""
    if found.holds:
        factor = exact(found.certificate.factor.matrix)
        assert all(min(row) >= 0 and abs(sum(row) - 1) < 1e-14 for row in factor)
        made = cascade(exact(C.dense()), factor)
        off = max(slow.total_variation(a, b) for a, b in zip(made, exact(D.dense()), strict=True))
        assert abs(float(off) - found.certificate.residual) < 1e-14
        assert off <= 1.001e-12
        assert found.witness is None
    else:
        witness = found.witness
        guesses = witness.gain.guesses()
        assert guesses.min() >= 0
        assert guesses.max() <= 1
        law, gain = slow.fractions(witness.prior), exact(guesses)
        of_C, of_D = (slow.posterior_vulnerability(exact(each.dense()), law, gain) for each in (C, D))
        assert abs(float(of_D - of_C) - witness.gap) < 1e-14
        assert of_D - of_C > 0.999e-12
        assert found.certificate is None
        assert witness.vulnerabilities == (
            dc.posterior_vulnerability(C, witness.prior, witness.gain),
            dc.posterior_vulnerability(D, witness.prior, witness.gain),
        )


@pytest.mark.long
@given(pairs())
@settings(max_examples=25)
def test_it_is_what_a_linear_program_over_fractions_says(pair):
    C, D = pair
    found = dc.refines(doubles(C), doubles(D))
    assert found.holds is (oracle.deficiency(C, D) == 0)
    check_proof(doubles(C), doubles(D), found)


@given(st.data())
def test_what_is_done_to_what_a_channel_shows_refines_it(data):
    C = dc.Channel(data.draw(matrices()))
    D = C >> dc.Channel(data.draw(stochastic(C.shape[1], data.draw(SEVERAL))))
    assert dc.refines(C, D)
    assert dc.refines(C, C)


@given(st.data())
def test_it_is_transitive(data):
    k = data.draw(SEVERAL)
    B, C, D = (dc.Channel(data.draw(stochastic(k, data.draw(SEVERAL)))) for _ in range(3))
    if dc.refines(B, C) and dc.refines(C, D):
        assert dc.refines(B, D)


def random_pair(rng, concentration, refined):
    k, m, n = (int(rng.integers(1, most + 1)) for most in (40, 80, 60))
    rows = lambda count, columns: rng.dirichlet(np.full(columns, concentration), size=count)  # noqa: E731
    C = rows(k, m)
    return dc.Channel(C), dc.Channel(C @ rows(m, n) if refined else rows(k, n))


def by_two_secrets(C, D):
    """Whether two secrets are told apart by D and less by C, at a prior on them: a proof that it does not hold."""
    return any(
        np.abs(w * D[a] - (1 - w) * D[b]).sum() > np.abs(w * C[a] - (1 - w) * C[b]).sum() + 1e-9
        for w in (0.2, 0.35, 0.5)
        for a in range(len(C))
        for b in range(len(C))
        if a != b
    )


@pytest.mark.parametrize("concentration", [0.1, 1])
@pytest.mark.parametrize("count", [4, pytest.param(96, marks=pytest.mark.long)])
def test_random_true_and_false_instances(concentration, count):
    rng = np.random.default_rng(count)
    for _ in range(count):
        C, D = random_pair(rng, concentration, refined=True)
        assert dc.refines(C, D).certificate.residual <= 1e-12
        C, D = random_pair(rng, concentration, refined=False)
        found = dc.refines(C, D)
        assert found.holds is not None
        if by_two_secrets(C.dense(), D.dense()):
            assert found.holds is False
        if found.holds is False:
            assert found.witness.gap > 1e-12
        else:
            assert found.certificate.residual <= 1e-12


@pytest.mark.parametrize("far", [1e-2, 1e-5, 1e-8])
def test_what_is_nearly_refined_is_not(far):
    rng = np.random.default_rng(3)
    C = rng.dirichlet(np.ones(6), size=6)
    R = np.full((6, 6), 1 / 5) - np.eye(6) * (1 / 5)
    R[0] += far * np.array([-1, 1, 0, 0, 0, 0])  # which the only factor has below 0
    D = C @ R
    found = dc.refines(dc.Channel(C), dc.Channel(D))
    assert found.holds is False
    check_proof(dc.Channel(C), dc.Channel(D), found)


@pytest.mark.parametrize("zeros", [0, 0.9])
@pytest.mark.parametrize("scale", [1, 1e-6, 1e-200])
def test_a_solution_of_the_equations_proves_it_as_the_search_does(monkeypatch, zeros, scale):
    rng = np.random.default_rng(7)
    C = (1 - scale) * rng.dirichlet(np.ones(9)) + scale * rng.dirichlet(np.ones(9), size=9)
    R = rng.dirichlet(np.ones(7), size=9) * (rng.random((9, 7)) >= zeros) + 1e-300 * np.eye(9, 7)
    R[:, 0] += R.sum(axis=1) == 0
    C, D = dc.Channel(C), dc.Channel(C @ (R / R.sum(axis=1, keepdims=True)))
    solved = dc.refines(C, D)
    check_proof(C, D, solved)
    monkeypatch.setattr(ChannelPair, "solution", lambda pair: None)
    searched = dc.refines(C, D)
    assert searched.holds is solved.holds is True
    assert searched.certificate.residual <= 1e-12


def test_equations_without_a_solution_are_left_to_the_search():
    C = dc.Channel([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.375, 0.375, 0.25]])  # the third row is the others' mean
    assert ChannelPair(C, C).solution() is None
    assert dc.refines(C, C)
    tiny = dc.Channel([[1 - 1e-300, 1e-300], [1.0, 0.0]])
    assert ChannelPair(tiny, dc.Channel(np.eye(2))).solution() is None  # where quotients overflow
    assert dc.refines(tiny, dc.Channel(np.eye(2))).holds is False


@pytest.mark.parametrize("shape", [(3, 3), (40, 80), (2, 120)])
def test_a_channel_refines_itself_relabelled_split_and_merged(shape):
    rng = np.random.default_rng(1)
    C = dc.Channel(rng.dirichlet(np.ones(shape[1]), size=shape[0]))
    order = rng.permutation(shape[1])
    split = dc.Channel(np.hstack([C.matrix[:, order] * 0.25, C.matrix * 0.75, np.zeros((shape[0], 1))]))
    assert dc.refines(C, split)
    assert dc.refines(split, C)
    merged = C >> dc.Channel(np.eye(2)[np.arange(shape[1]) % 2])
    assert dc.refines(split, merged)


def test_a_factor_joins_the_labels_of_both():
    C = dc.Channel([[0.9, 0.1], [0.2, 0.8]], ["sick", "well"], ["hot", "cold"])
    D = dc.Channel([[0.74, 0.26], [0.32, 0.68]], ["sick", "well"], ["alarm", "none"])
    factor = dc.refines(C, D).certificate.factor
    assert (factor.inputs, factor.outputs) == (("hot", "cold"), ("alarm", "none"))
    assert np.allclose((C >> factor).matrix, D.matrix, rtol=0, atol=1e-15)


def test_a_verdict_is_a_truth_value_unless_it_is_open():
    C, D = dc.RandomizedResponse(3, p=0.9), dc.RandomizedResponse(3, p=0.8)
    assert dc.refines(C, D)
    assert not dc.refines(D, C)
    with pytest.raises(InvalidValueError, match="not decided: too large"):
        bool(Refinement(None, reason="too large"))


def test_a_verdict_says_itself_shortly_and_as_data():
    C, D = dc.RandomizedResponse(2, p=0.9), dc.RandomizedResponse(2, p=0.75)
    assert repr(dc.refines(C, D)).startswith("Refinement(holds, ")
    assert dc.refines(C, D).to_dict() == {"holds": True, "residual": dc.refines(C, D).certificate.residual}
    assert repr(dc.refines(D, C)) == "Refinement(does not hold, gap=0.15)"
    assert dc.refines(D, C).to_dict() == {
        "holds": False,
        "gap": pytest.approx(0.15, abs=1e-15),
        "vulnerabilities": [0.75, 0.9],
    }
    undecided = Refinement(None, reason="it takes too long")
    assert repr(undecided) == "Refinement(not decided: it takes too long)"
    assert undecided.to_dict() == {"holds": None, "reason": "it takes too long"}


def test_what_is_too_large_is_left_open():
    C, D = dc.RandomizedResponse(5, p=0.9), dc.RandomizedResponse(5, p=0.8)
    with lowered(MAX_FACTOR_TERMS=1000):
        found = dc.refines(C, D)
        assert found.holds is None
        assert "over 1,000 multiplications" in found.reason


def test_entries_of_all_magnitudes_are_found():
    rng = np.random.default_rng(5)
    C = rng.dirichlet(np.full(80, 0.1), size=40)
    R = rng.dirichlet(np.full(60, 0.02), size=80)  # down to 1e-300
    assert dc.refines(dc.Channel(C), dc.Channel(C @ R)).certificate.residual <= 1e-12


def test_what_rounding_hides_is_left_open():
    """Where rows hardly differ, what is done to them is lost in the rounding of what comes out."""
    rng = np.random.default_rng(4)
    verdicts = set()
    for _ in range(8):
        C = (1 - 1e-8) * rng.dirichlet(np.ones(6)) + 1e-8 * rng.dirichlet(np.ones(6), size=6)
        D = C @ rng.dirichlet(np.full(7, 0.02), size=6)
        found = dc.refines(dc.Channel(C), dc.Channel(D))
        verdicts.add(found.holds)
        assert (found.holds is None) is ("rounding leaves the verdict open" in found.reason)
        assert lowest(dc.deficiency(dc.Channel(C), dc.Channel(D))) <= 1e-12
    assert None in verdicts
    assert False not in verdicts


@pytest.mark.parametrize(
    ("second", "error", "said"),
    [
        (dc.RandomizedResponse(3, p=0.9), InvalidChannelError, r"\(2\) and the second's \(3\) must be equal in number"),
        (dc.RandomizedResponse(10**7, p=0.9), InvalidChannelError, r"\(2\) and the second's \(10000000\)"),
        (dc.Channel(np.eye(2), ["well", "sick"]), InvalidChannelError, "'sick' and 'well' at position 0"),
        (np.eye(2), UnsupportedError, "wrap a matrix with discretion.Channel"),
        (dc.Channel, UnsupportedError, "got the class Channel"),
    ],
)
def test_what_cannot_be_compared_is_refused(second, error, said):
    first = dc.Channel(np.eye(2), ["sick", "well"])
    for ask in (dc.refines, dc.equivalent, dc.deficiency):
        with pytest.raises(error, match=said):
            ask(first, second)


def test_a_channel_that_cannot_be_written_down_is_left_open():
    huge = dc.RandomizedResponse(10**5, p=0.9)
    found = dc.refines(huge, huge)
    assert found.holds is None
    assert "more than 67,108,864 entries" in found.reason


@pytest.mark.parametrize("seed", range(50))
def test_a_factor_of_zeros_leaves_room_for_finite_steps_and_for_no_warning(seed: int) -> None:
    random = np.random.default_rng(seed)
    m = int(random.integers(2, 6))
    C, R = (random.dirichlet(np.full(columns, 0.2), size=rows) for rows, columns in ((m - 1, m), (m, 5)))
    R[R < 0.1] = 0
    R /= R.sum(axis=1, keepdims=True)
    for factor in exact_factors(C, R):
        assert np.isfinite(factor).all()
        assert np.allclose(C @ factor, C @ R, atol=1e-12)
