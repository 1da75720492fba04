"""How well one answer is guessed among those of a crowd that was asked: exactly where that is quick, else at most."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tacit import limits
from tacit.adversaries import Uninformed
from tacit.adversaries.gains import IdentityGain
from tacit.estimate import Estimate, highest
from tacit.jobs.audit.result import AnswerGuesses
from tacit.measures import posterior_vulnerability
from tacit.measures.vulnerability import plan_posterior_vulnerability
from tacit.mechanisms import Mechanism
from tacit.shuffling import Shuffled
from tacit.shuffling.hidden_target import HiddenTarget
from tacit.shuffling.views import AmongOthers, known

Reals = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class AskedCrowd:
    """People with so many of each answer, who report through a mechanism and a shuffler."""

    mechanism: Mechanism
    counts: NDArray[np.int64]

    def guesses(self, prior: Reals | None = None) -> AnswerGuesses:
        """Return how often one answer is guessed if it is as likely beforehand as the prior says, uniform if None.

        Who knows no other answer believes the same of the others. Of those who know all, she guesses best whose target
        is the easiest: which of the counts lacks one depends on who the target is.
        """
        k, n = self.mechanism.k, int(self.counts.sum())
        strangers = Shuffled(self.mechanism, n).seen_by(Uninformed(prior))
        assert isinstance(strangers, AmongOthers)
        among = (AmongOthers(self.mechanism, n, known(others)) for others in self._others)
        known_all = max((self._guess(view, prior) for view in among), key=highest) if self._is_small or (k == 2 and prior is None) else None
        return AnswerGuesses(
            blind=1 / k if prior is None else float(prior.max()),
            report=highest(posterior_vulnerability(self.mechanism, prior)),
            knows_none=self._guess(strangers, prior),
            knows_all=self._hidden.guess(prior) if known_all is None else known_all,
        )

    def _guess(self, view: AmongOthers, prior: Reals | None) -> float | Estimate:
        is_binary = self.mechanism.k == 2
        if self._is_small or (prior is None and (is_binary or view.uniform_response is not None)):
            plan = plan_posterior_vulnerability(view, prior, IdentityGain(view.secrets))
            if plan.is_exact:
                return plan.compute()
        return self._hidden.guess(prior)

    @cached_property
    def _hidden(self) -> HiddenTarget:
        return HiddenTarget(self.mechanism, int(self.counts.sum()))

    @property
    def _is_small(self) -> bool:
        k, n = self.mechanism.k, int(self.counts.sum())
        return k * math.comb(n + k - 1, k - 1) <= limits.current().most_histograms_collected

    @property
    def _others(self) -> list[tuple[int, ...]]:
        """How many of the others hold each answer, the target being one of those whom some are like."""
        missing = np.unique(self.counts, return_index=True)[1]  # of equal counts it does not matter which lacks one
        return [tuple((self.counts - np.eye(1, self.counts.size, place, dtype=int)[0]).tolist()) for place in missing]
