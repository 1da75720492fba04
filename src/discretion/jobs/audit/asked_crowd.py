"""How well one answer is guessed among those of a crowd that was asked: exactly where that is quick, else at most."""

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from discretion import limits
from discretion.adversaries import Uninformed
from discretion.adversaries.gains import IdentityGain
from discretion.errors import TooLargeError
from discretion.estimate import Estimate, highest, in_doubles
from discretion.jobs.audit.result import AnswerGuesses
from discretion.measures import posterior_vulnerability
from discretion.measures.guesses.vulnerability import plan_posterior_vulnerability
from discretion.mechanisms import Mechanism
from discretion.numerics.arrays import Integers, Reals
from discretion.shuffling import Shuffled
from discretion.shuffling.hidden_target import HiddenTarget
from discretion.shuffling.known_others import AmongOthers, known


@dataclass(frozen=True, eq=False)
class AskedCrowd:
    """People with so many of each answer, who report through a mechanism and a shuffler."""

    mechanism: Mechanism
    counts: Integers

    def guesses(self, prior: Reals | None = None) -> AnswerGuesses:
        """Return how often one answer is guessed if it is as likely beforehand as the prior says, uniform if None.

        Who knows no other answer believes the same of the others. Of those who know all, she guesses best whose target
        is the easiest: which of the counts lacks one depends on who the target is.
        """
        strangers = Shuffled(self.mechanism, int(self.counts.sum())).seen_by(Uninformed(prior))
        assert isinstance(strangers, AmongOthers)
        return AnswerGuesses(
            blind=1 / self.mechanism.k if prior is None else float(prior.max()),
            report=highest(in_doubles(posterior_vulnerability(self.mechanism, prior))),
            knows_none=self._guess(strangers, prior),
            knows_all=self._knows_all(prior),
        )

    def shuffled_epsilon(self, delta: float) -> Estimate | None:
        """Return for which ε the shuffled reports are certified to be (ε, δ)-differentially private, if for any."""
        try:
            return self._hidden.epsilon(delta)
        except TooLargeError:
            return None

    def _knows_all(self, prior: Reals | None) -> float | Estimate:
        if self.mechanism.k > 2 and not self._are_few:
            return self._hidden.guess(prior)
        n = int(self.counts.sum())
        views = (AmongOthers(self.mechanism, n, known(others)) for others in self._others)
        return max((self._guess(view, prior) for view in views), key=highest)

    def _guess(self, view: AmongOthers, prior: Reals | None) -> float | Estimate:
        """Return the guess of who sees this, exactly where that takes no more than a moment."""
        plain = prior is None and (view.uniform_response is not None or self.mechanism.k == 2)
        if plain or (self._are_few and view.cells <= limits.current().most_histograms_collected):
            plan = plan_posterior_vulnerability(view, prior, IdentityGain(view.secrets))
            if plan.is_exact:
                return plan.compute()
        return self._hidden.guess(prior)

    @cached_property
    def _hidden(self) -> HiddenTarget:
        return _hidden(self.mechanism, int(self.counts.sum()))

    @property
    def _are_few(self) -> bool:
        """Whether so few people have so few answers that those of all could be listed."""
        k, n = self.mechanism.k, int(self.counts.sum())
        return k * math.comb(n + k - 1, k - 1) <= limits.current().most_histograms_collected

    @property
    def _others(self) -> list[tuple[int, ...]]:
        """How many of the others hold each answer, the target being one of those whom some are like."""
        missing = np.unique(self.counts, return_index=True)[1]  # of equal counts it does not matter which lacks one
        return [tuple((self.counts - np.eye(1, self.counts.size, place, dtype=int)[0]).tolist()) for place in missing]


@lru_cache(maxsize=256)
def _hidden(mechanism: Mechanism, n: int) -> HiddenTarget:
    """Return one of n people, once for all columns that are asked alike: it keeps the bounds that it has found."""
    return HiddenTarget(mechanism, n)
