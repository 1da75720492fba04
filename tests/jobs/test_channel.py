"""One channel or two: the same numbers as the measures', and a proof of which is safer that can be checked."""

import math
import re

import numpy as np
import pytest

import discretion as dc
from discretion.adversaries.gains import TriesGain
from discretion.errors import InvalidValueError
from discretion.jobs.channel import ChannelAnswers, run_channel
from discretion.jobs.options.mechanisms import ChannelOptions
from discretion.presenting.views.document import Grid
from discretion.presenting.views.markdown import to_markdown
from discretion.spelling import spelled
from discretion.spelling.numbers import spelled_numbers

THREE = "channel:0.9,0.1,0;0.2,0.5,0.3;0.1,0.1,0.8"


def grids(found: ChannelAnswers) -> list[Grid]:
    return [block for section in found.document().sections for block in section.blocks if isinstance(block, Grid)]


def text_of(found: ChannelAnswers) -> str:
    return " ".join(to_markdown(found.document()).split())


def random_channel(rng: np.random.Generator, secrets: int, outputs: int) -> dc.Channel:
    return dc.Channel(rng.dirichlet(np.ones(outputs), size=secrets))


@pytest.mark.parametrize("seed", range(10))
def test_each_measure_is_that_of_the_channel_by_itself(seed: int) -> None:
    rng = np.random.default_rng(seed)
    channels = [random_channel(rng, 3, m) for m in (2, 4)]
    prior = rng.dirichlet(np.ones(3))
    options = ChannelOptions(prior=spelled_numbers(prior.tolist()))
    answers = run_channel([spelled(each) for each in channels], options).to_dict()["channels"]
    for channel, answer in zip(channels, answers, strict=True):
        assert answer["posterior_vulnerability"] == dc.posterior_vulnerability(channel, prior)
        assert answer["bayes_security"] == dc.bayes_security(channel, prior)


@pytest.mark.parametrize("seed", range(10))
def test_the_channel_that_proves_it_makes_the_safer_of_the_other(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, factor = random_channel(rng, 3, 3), random_channel(rng, 3, 2)
    second = dc.Channel(first.dense() @ factor.dense())
    found = run_channel([spelled(first), spelled(second)], ChannelOptions())
    forth, back = found.refinements
    assert (forth.holds, back.holds) == (True, False)
    assert "The second channel is at least as safe as the first one, against every adversary." in text_of(found)
    shown = np.array([[float(entry) for entry in row[1:]] for row in grids(found)[0].rows])
    assert np.abs(first.dense() @ shown - second.dense()).max() < 1e-3  # as far as four digits say


def test_the_adversary_that_is_shown_gains_more_from_the_second() -> None:
    found = run_channel([THREE, "krr:k=3,epsilon=1"], ChannelOptions())
    prior, gains = (np.array([[float(entry) for entry in row[1:]] for row in grid.rows]) for grid in grids(found)[:2])
    gained = [
        (gains @ (prior.T * system.channel().dense())).max(axis=0).sum()
        for system in (dc.Channel(found.systems[0].channel().dense()), dc.RandomizedResponse(3, epsilon=1))
    ]
    assert gained[1] - gained[0] == pytest.approx(found.refinements[0].witness.gap, abs=1e-3)
    assert "Neither channel is safer against every adversary" in text_of(found)


def test_channels_that_leak_the_same_are_said_to() -> None:
    swapped = "channel:0.1,0.9;0.8,0.2"
    found = run_channel(["channel:0.9,0.1;0.2,0.8", swapped], ChannelOptions())
    assert "Both leak the same to every adversary" in text_of(found)


@pytest.mark.parametrize(("channels", "drawn"), [([THREE], 1), ([THREE, THREE], 2), (["krr:k=2,p=0.9"], 0)])
def test_the_posteriors_of_three_secrets_are_drawn(channels: list[str], drawn: int) -> None:
    figures = run_channel(channels, ChannelOptions()).document().figures
    assert sum(name.startswith("posteriors") for name in figures) == drawn
    for figure in figures.values():
        figure.make().to_dict()


def test_a_gain_is_what_the_adversary_wants() -> None:
    found = run_channel([THREE], ChannelOptions(gain="tries:2"))
    assert found.to_dict()["channels"][0]["posterior_vulnerability"] == dc.posterior_vulnerability(
        dc.Channel([[0.9, 0.1, 0], [0.2, 0.5, 0.3], [0.1, 0.1, 0.8]]), gain=TriesGain(3, 2)
    )


def test_one_output_and_one_secret_are_channels() -> None:
    assert run_channel(["channel:1;1"], ChannelOptions()).to_dict()["channels"][0]["bayes_security"] == 1
    assert run_channel(["channel:1;"], ChannelOptions()).to_dict()["channels"][0]["posterior_vulnerability"] == 1


@pytest.mark.parametrize(
    ("channels", "sentence"),
    [
        ([], "give one channel or two, got 0"),
        ([THREE] * 3, "got 3"),
        ([THREE, "krr:k=2,p=0.9"], "must have the same number of secrets, got 3 and 2"),
        (["channel:0.9,0.2;0.5,0.5"], "row 0"),
    ],
)
def test_what_cannot_be_looked_at_ends_in_a_sentence(channels: list[str], sentence: str) -> None:
    with pytest.raises(InvalidValueError, match=re.escape(sentence)):
        run_channel(channels, ChannelOptions())


def test_an_infinite_epsilon_is_said() -> None:
    assert math.isinf(run_channel([THREE], ChannelOptions()).to_dict()["channels"][0]["ldp_epsilon"])
