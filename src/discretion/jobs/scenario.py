"""The scenario in which mechanisms are measured: whose report, against which adversary, at which levels."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import discretion as dc
from discretion.adversaries import (
    AllButOne,
    Exchangeable,
    Gain,
    Knowledge,
    PartlyInformed,
    Uninformed,
    WorstAllButOne,
)
from discretion.channels import System
from discretion.estimate import Estimate, at_safe_end, in_doubles
from discretion.jobs.options.mechanisms import ScenarioOptions
from discretion.measures import (
    bayes_risk,
    bayes_security,
    dp_epsilon,
    leakage,
    mutual_information,
    posterior_vulnerability,
    privacy_profile,
    tradeoff,
)
from discretion.presenting.numbers import percent
from discretion.spelling import knowledge_of, prior_of
from discretion.validation import as_epsilon, as_probability

# The adversary's knowledge of the other users, in words.
_KNOWN: Mapping[type[Knowledge], str] = {
    WorstAllButOne: "all other answers, in the worst case",
    AllButOne: "all other answers, with the given counts",
    PartlyInformed: "some of the other answers, with the given counts",
    Uninformed: "no other answer, if all answers are equally frequent",
    Exchangeable: "only the law from which the answers are drawn",
}

Result = float | Estimate
Question = Callable[[System], Result]
CrowdQuestion = Callable[["dc.Shuffled"], Result]  # what is known of crowds loads with the first one

# The level that a measure of differential privacy needs, as the command line has it.
LEVEL_OF = {"privacy_profile": "--epsilon E", "dp_epsilon": "--delta D", "tradeoff": "--false-positive-rate A"}


@dataclass(frozen=True)
class Scenario:
    """The scenario in which every mechanism is measured.

    Parameters
    ----------
    users
        The number of people who report, the target included; None if that does not matter.
    knowledge
        The adversary's knowledge of the others; None is none, and for measures of differential privacy all, in the
        worst case.
    prior
        The law of the target's value; None: uniform, or the worst prior for measures that take it.
    gain
        The adversary's goal; None is to name the target's value.
    epsilon, delta, false_positive_rate
        The levels of privacy_profile, dp_epsilon and tradeoff; None computes none.
    seed
        The seed of the samples.
    """

    users: int | None = None
    knowledge: Knowledge | None = None
    prior: Sequence[float] | None = None
    gain: Gain | None = None
    epsilon: float | None = None
    delta: float | None = None
    false_positive_rate: float | None = None
    seed: int | None = None

    @classmethod
    def of_options(cls, options: ScenarioOptions) -> Self:
        """Return the scenario that the options spell."""
        return cls(
            users=options.users,
            knowledge=None if options.adversary is None else knowledge_of(options.adversary),
            prior=None if options.prior is None else prior_of(options.prior),
            epsilon=options.epsilon,
            delta=options.delta,
            seed=options.seed,
        )

    def __post_init__(self) -> None:
        if self.epsilon is not None:
            as_epsilon(self.epsilon)
        if self.delta is not None:
            as_probability(self.delta, "delta")
        if self.false_positive_rate is not None:
            as_probability(self.false_positive_rate, "false_positive_rate")

    def questions(self) -> dict[str, Question]:
        """Return the measures of a system, by their functions' names."""
        prior, gain = self.prior, self.gain
        questions: dict[str, Question] = {
            "posterior_vulnerability": lambda s: in_doubles(posterior_vulnerability(s, prior, gain)),
            "leakage": lambda s: in_doubles(leakage(s, prior, gain)),
            "bayes_security": lambda s: in_doubles(bayes_security(s, prior, gain)),
        }
        if gain is None:
            questions |= {
                "mutual_information": lambda s: mutual_information(s, prior),
                "bayes_risk": lambda s: in_doubles(bayes_risk(s, prior)),
            }
        return questions | self.claims()

    def claims(self) -> dict[str, Question]:
        """Return the measures of differential privacy whose level is given."""
        claims: dict[str, Question] = {}
        if (epsilon := self.epsilon) is not None:
            claims["privacy_profile"] = lambda s: privacy_profile(s, epsilon)
        if (delta := self.delta) is not None:
            claims["dp_epsilon"] = lambda s: dp_epsilon(s, delta)
        if (rate := self.false_positive_rate) is not None:
            claims["tradeoff"] = lambda s: at_safe_end(tradeoff(s).at(rate), "low")
        return claims

    def questions_of_crowds(self) -> dict[str, CrowdQuestion]:
        """Return the same of what the adversary sees of a crowd; of privacy the worst one, if none is named."""
        prior, gain = self.prior, self.gain
        questions = self.questions()
        questions["additive_leakage"] = lambda s: in_doubles(leakage(s, prior, gain, "additive"))
        return {name: self._of_crowd(name, question) for name, question in questions.items()}

    def _of_crowd(self, name: str, question: Question) -> CrowdQuestion:
        knowledge = self.against(name)
        return lambda crowd: question(crowd.seen_by(knowledge, self.seed))

    def known(self, names: Mapping[str, str]) -> Iterator[str]:
        """Yield sentences on the adversary's knowledge of the other users, and on measures that assume another one.

        ``names``: each measure, by its function's name, with the name that the reader sees.
        """
        knowledge = self.against("posterior_vulnerability")
        yield f"knows {known_answers(knowledge)}."
        if others := [measure for measure in names if self.against(measure) != knowledge]:
            shown = " and ".join(names[measure] for measure in others)
            yield f"For {shown} it knows {known_answers(self.against(others[0]))}."

    def against(self, name: str) -> Knowledge:
        """Return what is known of the others by the adversary against whom a measure is meant."""
        return self.knowledge or (WorstAllButOne() if name in LEVEL_OF else Uninformed())


def known_answers(knowledge: Knowledge) -> str:
    """Return the adversary's knowledge of the other users, in words."""
    if isinstance(knowledge, Uninformed) and knowledge.population is not None:
        return "how frequent each answer is, but no other person's answer"
    gone = knowledge.dropouts if isinstance(knowledge, WorstAllButOne) else 0
    dropouts = f", where {percent(float(gone))} of the other users drop out" if gone else ""
    return f"{_KNOWN[type(knowledge)]}{dropouts}"
