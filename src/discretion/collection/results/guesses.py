"""The best guess of one person's answer from the shuffled answers of all people."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from discretion import limits
from discretion.adversaries import AllButOne, Uninformed, WorstAllButOne
from discretion.channels import Channel
from discretion.collection.randomizers import randomizer_of
from discretion.collection.wire.task import Feature
from discretion.estimate import Estimate, as_share, in_doubles
from discretion.measures import bayes_security, posterior_vulnerability, prior_vulnerability
from discretion.mechanisms import RandomizedResponse, simplex_projection
from discretion.numerics.arrays import Reals
from discretion.shuffling import Shuffled
from discretion.shuffling.laws.report_histograms import OPERATIONS_PER_CROWD

# The most answers for which the guess in a crowd is computed, and not only bounded.
MAX_ANSWERS_GUESSED = 1 << 6
# The most crowds drawn, or histograms listed, for a guess: they take a second.
MAX_CROWDS_GUESSED = 1 << 13

BOUND = "second moments of the histogram"
ALONE = "the randomizer alone"


@dataclass(frozen=True)
class Guess:
    """The probability that the best guess of a person's answers is correct.

    Parameters
    ----------
    features
        The features whose answers are guessed.
    before
        The probability for an adversary that knows how common the answers are.
    after
        The probability for an adversary that also sees the shuffled answers of all people.
    """

    features: tuple[str, ...]
    before: float
    after: float | Estimate


@dataclass(frozen=True)
class AmongKnown:
    """The uncertainty about a person's answer to a feature for an adversary that knows the answers of all other people.

    Parameters
    ----------
    feature
        The feature.
    epsilon
        The randomizer's ε, infinite without one.
    bayes_security
        The Bayes security β* of the shuffled answers: the remaining share of the guessing error for the two answers
        that are easiest to distinguish. Without a randomizer it is 0, since the adversary then knows everything.
    """

    feature: str
    epsilon: float
    bayes_security: float | Estimate


def guess_of(features: Sequence[Feature], shares: Reals, people: int, seed: int) -> Guess:
    """Return the best guess of a person's answers to these features from the shuffled answers of all people.

    The shares are those of all combinations of answers, or of the given combinations if no feature is randomized. A
    guess that is not computed exactly has a certified interval, which a sample may narrow. If all people's answers are
    drawn independently from the shares π, the probability of a correct guess is ``E max_x π_x Σ_y C[x,y] h_y/(n q_y)``.
    It is at least max π, and at most ``max π + √((1 - Σ π²)/n)``, by the second moments of these numbers.
    """
    names = tuple(feature.name for feature in features)
    law = simplex_projection(shares)
    before = float(prior_vulnerability(law))
    high = min(1.0, before + math.sqrt(max(0.0, 1 - float(law @ law)) / people) * (1 + 1e-12))
    certified = Estimate(high, before, high, None, BOUND)
    if law.size == 1:
        return Guess(names, before, before)
    if law.size > MAX_ANSWERS_GUESSED:
        return Guess(names, before, certified)
    crowd = Shuffled(_answer_channel(features, law.size), people).seen_by(Uninformed(law), seed)
    with limits.within(_in_a_moment()):
        share = as_share(in_doubles(posterior_vulnerability(crowd, law)))
    return Guess(names, before, certified.narrowed(share) if isinstance(share, Estimate) else share)


def among_known(feature: Feature, people: int) -> AmongKnown:
    """Return the uncertainty for an adversary that knows all other answers, in the worst case of these."""
    if feature.randomizer is None:
        other_counts = AllButOne([people - 1, *[0] * (feature.codes - 1)])
        observed = Shuffled(RandomizedResponse(feature.codes, p=1.0), people).seen_by(other_counts)
        return AmongKnown(feature.name, math.inf, in_doubles(bayes_security(observed)))
    mechanism = randomizer_of(feature)
    if feature.codes > MAX_ANSWERS_GUESSED:
        alone = float(bayes_security(mechanism))
        return AmongKnown(feature.name, mechanism.epsilon, Estimate(alone, alone, 1.0, None, ALONE))
    observed = Shuffled(mechanism, people).seen_by(WorstAllButOne(), seed=0)
    with limits.within(_in_a_moment()):
        return AmongKnown(feature.name, mechanism.epsilon, in_doubles(bayes_security(observed)))


def _in_a_moment() -> limits.Limits:
    """Return limits with which each guess takes at most about a second; a longer one is sampled or bounded."""
    now = limits.current()
    return replace(now, operations=min(now.operations, MAX_CROWDS_GUESSED * OPERATIONS_PER_CROWD))


def _answer_channel(features: Sequence[Feature], size: int) -> RandomizedResponse | Channel:
    """Return the channel from a person's answers to these features to the sent answers."""
    if all(feature.randomizer is None for feature in features):
        return RandomizedResponse(size, p=1.0)
    if len(features) == 1:
        return randomizer_of(features[0])
    channel = np.ones((1, 1))
    for feature in features:
        each = np.eye(feature.codes) if feature.randomizer is None else randomizer_of(feature).channel().dense()
        channel = np.kron(channel, each)
    return Channel(channel)
