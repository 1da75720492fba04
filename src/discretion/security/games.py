"""The security games that define Bayes security and local differential privacy (Bayes-sec, Figure 2)."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from discretion.adversaries.priors import as_prior
from discretion.channels.channel import System, as_system
from discretion.channels.composition.restriction import restricted
from discretion.errors import InvalidValueError
from discretion.estimate import Estimate
from discretion.measures.guesses.bayes_security import leakiest_pair
from discretion.numerics.arrays import Reals
from discretion.numerics.draws import Seed, generator
from discretion.numerics.laws.binomial_limits import lower_limit, upper_limit
from discretion.validation import as_confidence, as_crowd


@dataclass(frozen=True, eq=False)
class Game:
    """A game between a challenger, which draws a secret and an observation, and an adversary with the best guess.

    Parameters
    ----------
    name
        The name of the game in the paper.
    secrets, observations
        The secrets and observations that the challenger draws from; in some games the adversary chooses them.
    joint
        The probability that the challenger draws each secret with each observation, a row for each secret.
    """

    name: str
    secrets: Sequence[Hashable]
    observations: Sequence[Hashable]
    joint: Reals

    def __repr__(self) -> str:
        return f"Game({self.name}, {len(self.secrets):,} secrets, {len(self.observations):,} observations)"

    @property
    def chance(self) -> float:
        """The probability that the adversary wins a round: ``Σ_o max_s P(s, o)``."""
        return float(self.joint.max(axis=0).sum())

    def play(self, rounds: int, confidence: float = 0.95, rng: Seed = None) -> Estimate:
        """Return the share of rounds that the adversary wins, with an interval for its winning probability.

        Parameters
        ----------
        rounds
            The number of rounds to play, at least 1.
        confidence
            The confidence of the Clopper-Pearson interval, in (0, 1).
        rng
            A NumPy generator, a seed, or None.

        Examples
        --------
        >>> import discretion as dc
        >>> game = chosen_secrets_game(dc.RandomizedResponse(4, epsilon=1))
        >>> won = game.play(10_000, rng=1)
        >>> won.low < game.chance < won.high
        True
        """
        count, misses = as_crowd(rounds, "rounds"), 1 - as_confidence(confidence)
        draws = generator(rng).multinomial(count, (self.joint / self.joint.sum()).ravel()).reshape(self.joint.shape)
        won = int(np.take_along_axis(draws, self.joint.argmax(axis=0)[None, :], axis=0).sum())
        low, high = (float(limit(won, count, misses / 2)) for limit in (lower_limit, upper_limit))
        return Estimate(won / count, low, high, confidence, f"{self.name}, {count:,} rounds, Clopper-Pearson")


def indistinguishability_game(system: System, prior: ArrayLike | None = None) -> Game:
    """Return IND-BAY: the challenger draws a secret by the prior; the adversary guesses it from the observation.

    The winning probability is the posterior Bayes vulnerability; the adversary is wrong with probability
    ``β(π, C) (1 - max_s π_s)``.

    Parameters
    ----------
    system
        A channel, a mechanism, or a structured system whose channel fits in memory.
    prior
        Probabilities of the secrets, shape ``(k,)``; None means uniform.

    Notes
    -----
    Source: Bayes-sec, Game 1.

    Examples
    --------
    >>> import discretion as dc
    >>> indistinguishability_game(dc.Channel([[0.9, 0.1], [0.2, 0.8]])).chance
    0.8500000000000001
    """
    channel = as_system(system).channel()
    law = as_prior(prior, channel.secrets)
    rows = channel.dense()
    joint = rows / channel.secrets if law is None else rows * law[:, None]
    return Game("IND-BAY", channel.inputs, channel.outputs, joint)


def chosen_secrets_game(system: System) -> Game:
    """Return IND-MINBAY: as IND-BAY, but the adversary chooses the two secrets, and a fair coin draws one of them.

    The adversary chooses the leakiest pair, and its winning probability is ``1 - β*/2``.

    Parameters
    ----------
    system
        As for `indistinguishability_game`, with at least two secrets.

    Raises
    ------
    InvalidValueError
        If there is only one secret.

    Notes
    -----
    Source: Bayes-sec, Figure 2, left; the game of IND-CPA.

    Examples
    --------
    >>> import discretion as dc
    >>> game = chosen_secrets_game(dc.Channel([[0.9, 0.1], [0.8, 0.2], [0.2, 0.8]]))
    >>> game.secrets, round(game.chance, 12)
    ((0, 2), 0.85)
    """
    two = restricted(system, leakiest_pair(system))
    return Game("IND-MINBAY", two.inputs, two.outputs, two.dense() / 2)


def chosen_observation_game(system: System) -> Game:
    """Return IND-LDP: the adversary chooses two secrets and the observation, and guesses the secret.

    The challenger draws one of the two secrets by its posterior probability for the observation. The adversary chooses
    the column with the largest ratio, and its winning probability is ``e^ε / (1 + e^ε)``.

    Parameters
    ----------
    system
        As for `chosen_secrets_game`.

    Raises
    ------
    InvalidValueError
        If there is only one secret.

    Notes
    -----
    Source: Bayes-sec, Figure 2, right, and its footnote 2: ``ε = log(V* / (1 - V*))``.

    Examples
    --------
    >>> import math
    >>> import discretion as dc
    >>> game = chosen_observation_game(dc.RandomizedResponse(4, epsilon=1))
    >>> round(math.log(game.chance / (1 - game.chance)), 12)
    1.0
    """
    channel = as_system(system).channel()
    if channel.secrets < 2:
        raise InvalidValueError("the adversary chooses two secrets, and the system has only one")
    rows = channel.dense()
    least, most = rows.min(axis=0), rows.max(axis=0)
    # The share of the likelier secret rises with the ratio, and is 1 where the other one is excluded.
    share = np.divide(most, most + least, out=np.zeros_like(most), where=most > 0)
    observation = int(share.argmax())
    a, b = int(rows[:, observation].argmax()), int(rows[:, observation].argmin())
    if a == b:  # all secrets make it equally likely
        b = 1
    two = np.array([[share[observation]], [1 - share[observation]]])
    return Game("IND-LDP", (channel.inputs[a], channel.inputs[b]), (channel.outputs[observation],), two)
