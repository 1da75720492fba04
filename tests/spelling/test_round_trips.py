"""What is spelled is read again as the very same: every mechanism, adversary, law and gain."""

import math

import numpy as np
import pytest
from scipy.sparse import csr_array

import discretion as dc
from discretion.errors import InvalidValueError, UnsupportedError
from discretion.mechanisms import Mechanism
from discretion.spelling import (
    family_of,
    gain_of,
    knowledge_of,
    mechanism_of,
    population_of,
    prior_of,
    read_by,
    spelled,
)
from discretion.spelling.mechanisms import MECHANISMS
from mechanisms import table

SCORES = [[2.0, 1.0, 0.1], [1 / 3, 2.0, -1e-9]]

# Text, and what it stands for; the text is the shortest one.
SPELLED = {
    "krr:k=5,epsilon=1": dc.RandomizedResponse(5, epsilon=1),
    "krr:k=5,epsilon=0.1": dc.RandomizedResponse(5, epsilon=0.1),
    "krr:k=5,p=0.8": dc.RandomizedResponse(5, p=0.8),
    "krr:k=3,p=0.3333333333333333": dc.RandomizedResponse(3, p=1 / 3),
    "krr:k=100000000,epsilon=inf": dc.RandomizedResponse(10**8, epsilon=math.inf),
    "rappor:k=8,epsilon=1": dc.UnaryEncoding.rappor(8, 1),
    "oue:k=8,epsilon=1e-09": dc.UnaryEncoding.oue(8, 1e-9),
    "blh:k=8,epsilon=700": dc.UnaryEncoding.blh(8, 700),
    "ue:k=8,kappa=0.5,lam=0.25": dc.UnaryEncoding(8, kappa=0.5, lam=0.25),
    "olh:k=1000,epsilon=1": dc.LocalHashing(1000, 1),
    "olh:k=1000,epsilon=1,g=2": dc.LocalHashing(1000, 1, g=2),
    "ss:k=10,epsilon=1": dc.SubsetSelection(10, 1),
    "ss:k=10,epsilon=1,size=7": dc.SubsetSelection(10, 1, size=7),
    "hadamard:k=6,epsilon=1": dc.HadamardResponse(6, 1),
    "laplace:scale=0.1": dc.Laplace(0.1),
    "laplace:scale=1,sensitivity=2.5": dc.Laplace(1, 2.5),
    "gaussian:sigma=1": dc.Gaussian(1),
    "gaussian:sigma=1e+30,sensitivity=3": dc.Gaussian(1e30, 3),
    "geometric:epsilon=0.7,sensitivity=2": dc.Geometric(0.7, 2),
    "discrete-gaussian:sigma=2,sensitivity=3": dc.DiscreteGaussian(2, 3),
    "dpsgd:sigma=1,rate=0.01,steps=1000": dc.SubsampledGaussian(1, 0.01, 1000),
    "exponential:epsilon=0.3,scores=2,1,0.1;0.3333333333333333,2,-1e-09": dc.Exponential(SCORES, 0.3),
    "exponential:epsilon=0.3,sensitivity=2,scores=0,1;1,0": dc.Exponential(np.eye(2)[::-1], 0.3, 2),
    "exponential:epsilon=1,scores=4;": dc.Exponential([[4]], 1),
    "dbitflip:k=100,d=4,epsilon=2": dc.mechanisms.DBitFlip(100, 4, 2),
    "dp:epsilon=1": dc.mechanisms.DominatingPair(1),
    "dp:epsilon=inf,delta=1e-06": dc.mechanisms.DominatingPair(math.inf, 1e-6),
    "channel:0.9,0.1;0.2,0.8": dc.Channel([[0.9, 0.1], [0.2, 0.8]]),
    "channel:1;1": dc.Channel([[1], [1]]),
    "channel:1;": dc.Channel([[1]]),
    "channel-mechanism:0.9,0.1;0.2,0.8": dc.ChannelMechanism(dc.Channel([[0.9, 0.1], [0.2, 0.8]])),
}


def parts(system) -> dict:
    """What the system holds, in a form that compares."""
    if isinstance(system, dc.Channel):
        return {"matrix": system.matrix.tolist(), "inputs": system.inputs, "outputs": system.outputs}
    found = {}
    for key, value in vars(system).items():
        deep = hasattr(value, "__dict__") and not isinstance(value, np.ndarray)
        found[key] = parts(value) if deep or isinstance(value, dc.Channel) else value
        if isinstance(value, np.ndarray):
            found[key] = value.tolist()
        if isinstance(value, tuple):
            found[key] = [parts(item) for item in value]
    return found


@pytest.mark.parametrize("text", SPELLED)
def test_a_text_and_a_mechanism_are_two_forms_of_one(text: str) -> None:
    system, read = SPELLED[text], mechanism_of(text)
    assert spelled(system) == text
    assert type(read) is type(system)
    assert parts(read) == parts(system)


def test_every_name_is_among_these() -> None:
    assert {text.partition(":")[0] for text in SPELLED} == {*MECHANISMS, "channel", "channel-mechanism"}


@pytest.mark.parametrize(
    ("name", "protocol"), [("l-sue", "rappor"), ("l-osue", "osue"), ("l-oue", "oue"), ("l-grr", "grr")]
)
@pytest.mark.parametrize("rounds", [1, 10, math.inf])
def test_rounds_of_a_client_are_read(name: str, protocol: str, rounds: float) -> None:
    made = getattr(dc.mechanisms.Longitudinal, protocol)(20, permanent_epsilon=2, first_epsilon=0.5)
    read = mechanism_of(f"{name}:k=20,permanent_epsilon=2,first_epsilon=0.5,rounds={rounds}")
    assert parts(read) == parts(made.rounds(rounds))


def test_every_public_mechanism_is_among_these() -> None:
    public = {thing for thing in map(dc.__getattribute__, dc.__all__) if isinstance(thing, type)}
    kinds = {kind for kind in public if issubclass(kind, Mechanism) or hasattr(kind, "furthest")}
    assert kinds <= set(map(type, SPELLED.values()))


@pytest.mark.parametrize("mechanism", table.MECHANISMS)
def test_every_mechanism_is_read_again_to_the_last_digit(mechanism) -> None:
    read = mechanism_of(spelled(mechanism))
    assert type(read) is type(mechanism)
    assert (read.k, read.epsilon) == (mechanism.k, mechanism.epsilon)
    assert (read.channel().matrix == mechanism.channel().matrix).all()
    assert spelled(read) == spelled(mechanism)


def test_numbers_are_read_again_to_the_last_digit() -> None:
    rng = np.random.default_rng(5)
    for epsilon in [*rng.exponential(2, 200), *10.0 ** rng.uniform(-12, 2.8, 200)]:
        for make in (dc.RandomizedResponse, dc.UnaryEncoding.rappor, dc.UnaryEncoding.oue, dc.LocalHashing):
            assert mechanism_of(spelled(make(7, epsilon))).epsilon == epsilon
    for p in rng.uniform(0.2, 1, 200):
        assert mechanism_of(spelled(dc.RandomizedResponse(5, p=p))).p == p


@pytest.mark.parametrize(
    "channel",
    [
        dc.Channel([[0.9, 0.1], [0.2, 0.8]], inputs=["sick", "well"]),
        dc.Channel([[0.9, 0.1], [0.2, 0.8]], outputs=["yes", "no"]),
        dc.Channel(csr_array([[0.9, 0.1], [0.2, 0.8]])),
        dc.Channel(np.full((101, 100), 0.01)),
    ],
)
def test_what_a_line_of_text_does_not_hold_is_refused(channel: dc.Channel) -> None:
    with pytest.raises(UnsupportedError, match=r"no spelling.*name a file"):
        spelled(channel)


def test_what_is_no_part_of_the_vocabulary_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="a Shuffled has no spelling"):
        spelled(dc.Shuffled(dc.RandomizedResponse(2, 1), 10))


KNOWLEDGE = {
    "uninformed": dc.Uninformed(),
    "uninformed:0.1,0.9": dc.Uninformed([0.1, 0.9]),
    "all-but-one:3,4": dc.AllButOne([3, 4]),
    "partly-informed:3,0": dc.PartlyInformed([3, 0]),
    "partly-informed:3,0;0.3333333333333333,0.6666666666666667": dc.PartlyInformed([3, 0], [1 / 3, 1 - 1 / 3]),
    "exchangeable:1,0.5": dc.Exchangeable([1, 0.5]),
    "worst": dc.WorstAllButOne(),
    "worst:0.1": dc.WorstAllButOne(dropouts=0.1),
}


@pytest.mark.parametrize("text", KNOWLEDGE)
def test_a_text_and_knowledge_of_the_others_are_two_forms_of_one(text: str) -> None:
    assert knowledge_of(text) == KNOWLEDGE[text]
    assert spelled(KNOWLEDGE[text]) == text


POPULATIONS = {
    "jeffreys": dc.Dirichlet.jeffreys(2),
    "dirichlet:1,2.5": dc.Dirichlet([1, 2.5]),
    "mixture:0.25,1,0;0.75,0.1,0.9": dc.PointMixture([[1, 0], [0.1, 0.9]], [0.25, 0.75]),
    "dirichlet-mixture:0.25,1,2;0.75,0.5,9": dc.DirichletMixture([[1, 2], [0.5, 9]], [0.25, 0.75]),
}


@pytest.mark.parametrize("text", POPULATIONS)
def test_a_text_and_a_law_of_the_population_are_two_forms_of_one(text: str) -> None:
    law, read = POPULATIONS[text], population_of(text, 2)
    assert spelled(law) == text
    assert type(read) is type(law)
    assert {key: value.tolist() for key, value in vars(read).items()} == {
        key: value.tolist() for key, value in vars(law).items()
    }


WANTED = {
    "tries:2": dc.k_tries_gain(3, 2),
    "partition:0,1,0": dc.partition_gain(["old", "young", "old"]),
    "matrix:1,0,0;0,1,1": dc.gain_matrix([[1, 0, 0], [0, 1, 1]]),
    "matrix:-0.1,3,0": dc.gain_matrix([[-0.1, 3, 0]]),
    "loss:0,0.1,3;-1,0,0": dc.loss_matrix([[0, 0.1, 3], [-1, 0, 0]]),
}


@pytest.mark.parametrize("text", WANTED)
def test_a_text_and_a_gain_are_two_forms_of_one(text: str) -> None:
    read = gain_of(text, 3)
    assert spelled(WANTED[text]) == spelled(read) == text
    assert type(read) is type(WANTED[text])
    assert read.guesses().tolist() == WANTED[text].guesses().tolist()


def test_a_gain_is_spelled_in_more_than_one_way(tmp_path) -> None:
    (tmp_path / "far.csv").write_text("0,1,2\n1,0,1\n2,1,0\n")
    (tmp_path / "ordinal").write_text("0,1,0\n")
    assert spelled(gain_of("set:0,2", 3)) == spelled(gain_of("partition:a,b,a", 3)) == "partition:0,1,0"
    assert spelled(gain_of("tries:7", 3)) == "tries:3"
    assert spelled(gain_of("tries:1", 3)) == "identity"
    near = ["distance:ordinal", "distance:0,1,2;1,0,1;2,1,0", f"distance:{tmp_path}/far.csv"]
    assert {spelled(gain_of(text, 3)) for text in near} == {"matrix:1,0.5,0;0.5,1,0.5;0,0.5,1"}
    assert spelled(gain_of(f"distance:{tmp_path}/ordinal", 3)) == "matrix:1,0,1"
    assert spelled(gain_of("distance:ordinal", 1)) == "matrix:1;"


def test_more_distances_than_fit_are_refused() -> None:
    with pytest.raises(InvalidValueError, match="distances of 100,000 values would have more than"):
        gain_of("distance:ordinal", 100_000)


def test_no_gain_is_the_identity() -> None:
    assert gain_of("identity", 3) is None
    assert spelled(None) == spelled(dc.identity_gain(3)) == "identity"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("trys:2", "no gain 'trys'; did you mean 'tries'"),
        ("identity:2", "identity takes no numbers"),
        ("tries", "tries must be whole numbers"),
        ("tries:2,3", "tries must be one whole number, got '2,3'"),
        ("tries:0", "tries must be.*at least 1, got 0"),
        ("set:", "set must be whole numbers"),
        ("set:3", "in 0..2, got 3"),
        ("set:1,1", "distinct, got 1"),
        ("distance:0,-1,1", "negative, got -1"),
        ("distance:ordinals", "no such file"),
        ("loss:0,1;1", "equal length"),
    ],
)
def test_what_spells_no_gain_is_told(text: str, expected: str) -> None:
    with pytest.raises(InvalidValueError, match=expected):
        gain_of(text, 3)


def test_a_prior_is_its_probabilities() -> None:
    text = "0.2,0.30000000000000004,0.49999999999999994"
    assert spelled(np.array(prior_of(text))) == text


def test_a_matrix_is_spelled_by_its_rows_or_by_a_file(tmp_path) -> None:
    (tmp_path / "rows.csv").write_text("0.9,0.1\n0.2,0.8\n")
    (tmp_path / "1,2").write_text("1,0\n0,1\n")
    assert spelled(mechanism_of(f"channel:{tmp_path}/rows.csv")) == "channel:0.9,0.1;0.2,0.8"
    assert spelled(mechanism_of(f"channel:{tmp_path}/1,2")) == "channel:1,0;0,1"
    assert (
        spelled(mechanism_of(f"exponential:epsilon=1,scores={tmp_path}/1,2")) == "exponential:epsilon=1,scores=1,0;0,1"
    )
    assert read_by(f"exponential:epsilon=1,scores={tmp_path}/1,2") == f"{tmp_path}/1,2"
    assert read_by("channel:0.9,0.1;0.2,0.8") is read_by("krr:k=2,epsilon=1") is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("channel:0.9,0.1;0.2", "'0.9,0.1;0.2' must have rows of equal length, and row 2 has 1 of 2"),
        ("channel:0.9,0.1;0.2,-", "row 2 does not"),
        ("channel:0.9,0.2;0.2,0.8", "row 0 sums to 1.1"),
        ("exponential:scores=1,0;0,1", "exponential needs epsilon"),
        ("exponential:epsilon=1", "exponential needs scores"),
        ("exponential:scores=1,0;0,1,epsilon=1", "no such file"),
    ],
)
def test_rows_that_are_none_are_told(text: str, expected: str) -> None:
    with pytest.raises(ValueError, match=expected.replace("(", r"\(")):
        mechanism_of(text)


def test_a_family_varies_the_epsilon_and_keeps_the_rest() -> None:
    assert spelled(family_of("olh:k=10,epsilon=1,g=5")(2)) == "olh:k=10,epsilon=2,g=5"
    assert spelled(family_of("krr:k=5,p=0.8")(2)) == "krr:k=5,epsilon=2"
    with pytest.raises(InvalidValueError, match="is not always that of all secrets"):
        family_of("exponential:epsilon=1,scores=1,0;0,1")
