"""A simulated collection: what each party saw and could guess, and the result beside the truth."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from discretion.collection.errors import MalformedError
from discretion.collection.noise_promise import DELTA
from discretion.collection.results.leaks import Leaks, leaks_of
from discretion.collection.results.truth import TruthComparison, compare_with_truth
from discretion.collection.rules import with_rules
from discretion.collection.simulation.questionnaire import questionnaire_of
from discretion.collection.simulation.run import SimulationRun, run
from discretion.collection.wire.noise import noise_for
from discretion.collection.wire.rounds import Round
from discretion.collection.wire.task import counts_of_one
from discretion.estimate import Estimate
from discretion.presenting.json_answers import plain
from discretion.validation import as_count

#: What gates may ask of a simulation.
MEASURES: tuple[str, ...] = ("counted", "lost", "differing", "exposure", "certified_exposure")


@dataclass(frozen=True)
class Simulation:
    """What came of a simulated collection.

    Parameters
    ----------
    ran
        What was published, and what each party counted.
    leaks
        What each party can guess, and whom it takes to know more.
    truth
        The truth beside the result.
    seconds
        How long it took.
    """

    ran: SimulationRun
    leaks: Leaks
    truth: TruthComparison
    seconds: float

    @property
    def measures(self) -> Mapping[str, float | Estimate | None]:
        """What gates may ask of: of how many people answers were counted at last, and in what these differ.

        ``lost`` are people and messages that did not arrive, ``differing`` the tables that do not agree with the truth.
        """
        statuses = [record for status in self.ran.statuses.values() for record in status.get("rounds", [])]
        tables = [*self.truth.single, *([] if self.truth.joint is None else [self.truth.joint])]
        people_counted = self.truth.people if self.truth.counted is None else self.truth.counted
        return {
            "counted": people_counted,
            "lost": self.truth.people - people_counted + sum(record["dropped"] for record in statuses),
            "differing": sum(not table.agrees for table in tables),
            "exposure": self.leaks.exposure,
            "certified_exposure": self.leaks.certified,
        }

    def to_dict(self) -> Mapping[str, Any]:
        """Return it as plain objects, for JSON: no answer of fewer than k people."""
        task, ran = self.ran.task, self.ran
        rounds = [Round(task), *(Round(task, choice) for choice in ran.choices)]
        return {
            **plain(self.measures),
            "rounds": [
                {
                    "round": round_.number, "receiver": "analyst" if round_.to_analyst else "curator",
                    "groups": [[task.features[place].name for place in group] for group in round_.groups],
                }
                for round_ in rounds
            ],
            "parties": plain(ran.statuses),
            "curator": None if ran.curated is None else ran.curated.to_dict(),
            "analyst": None if ran.analysed is None else ran.analysed.to_dict(),
            "leaks": self.leaks.to_dict(),
            "beside": self.truth.to_dict(),
            "seconds": self.seconds,
        }  # fmt: skip


def simulate(
    table: Any,
    columns: Sequence[str] | None = None,
    *,
    users: int | None = None,
    k: int = 10,
    budget: float | str = 0.01,
    shufflers: int = 1,
    curatorless: bool = False,
    admitter: bool = False,
    rounds: int = 1,
    by_value: bool = False,
    other_people: float | str | None = None,
    redact: float | str | None = None,
    rules: Sequence[str] = (),
    noise: float | None = None,
    randomize: Mapping[str, str] | None = None,
    cores: int = 2,
    seed: int | None = None,
    tell: Callable[[str], None] = lambda what: None,
    **reading: Any,
) -> Simulation:
    """Run a collection of a table on this machine: each party a process, every row a person, over real sockets.

    Parameters
    ----------
    table, columns, reading
        As of `discretion.Population`: each column is a question.
    users
        How many people take part, drawn without replacement; None is all.
    k, budget
        At most this share of the people may have fewer than k alike in what the analyst gets.
    shufflers
        How many, one after the other.
    curatorless
        Whether those who take part choose by themselves.
    admitter
        Whether a party of its own decides who is let in, by blinded tokens.
    rounds
        In how many rounds the curator may ask, or those who choose by themselves.
    by_value
        Whether less frequent answers are one in the curator's questions about several features.
    other_people
        How surely what is certified holds of others than those who answer alone: half of the people, by chance, answer
        the last round only; None asks everybody in every round.
    redact
        How sure one may be at most that a redacted answer is a rare one; None redacts none of these.
    rules
        Whose answers are redacted before anything is sent, each a line as ``race: Other when sex: Female decoys 0.01``.
    noise
        The ε by which each shuffler's dummies hide all answers of a person together, with a δ of 1e-6; None adds none.
    randomize
        A column → how its answers are randomized, as ``krr:epsilon=2``; the column "" is all others.
    cores
        How many processes open messages, and how many the people are.
    seed
        Draws the people; what is sealed and shuffled is by the system's randomness.
    tell
        Hears what is being worked on.

    Raises
    ------
    InvalidValueError
        If the table cannot be asked so.
    UnavailableError
        If a party stops midway.
    """
    start = time.monotonic()
    tell("the table")
    size = None if users is None else as_count(users, "users", at_least=1)
    plan = questionnaire_of(table, columns, size, randomize or {}, np.random.default_rng(seed), **reading)
    if unknown := set(randomize or {}) - {feature.name for feature in plan.features} - {""}:
        raise MalformedError(f"there is no column {min(unknown)!r} whose answers could be randomized")
    plan = replace(plan, features=with_rules(plan.features, rules))
    added = None if noise is None else noise_for(noise, DELTA, counts_of_one(len(plan.features)))
    promises = {
        "k": as_count(k, "k", at_least=1), "budget": str(budget), "rounds": as_count(rounds, "rounds", at_least=1),
        "by_value": by_value, "other_people": None if other_people is None else str(other_people),
        "redaction": None if redact is None else str(redact), "noise": added,
    }  # fmt: skip
    ran = run(
        plan, promises, shufflers=as_count(shufflers, "shufflers", at_least=1), with_curator=not curatorless,
        with_admitter=admitter, cores=as_count(cores, "cores", at_least=1), tell=tell,
    )  # fmt: skip
    tell("what each party can guess")
    leaks = leaks_of(
        ran.task,
        ran.counts,
        ran.chosen,
        ran.analysed,
        people=None if noise is None else len(plan.codes),
        confidence=ran.task.confidence,
        seed=seed or 0,
    )
    truth = compare_with_truth(ran.task, plan.codes, ran.counts, ran.analysed, asked_in=ran.asked_in)
    return Simulation(ran, leaks, truth, time.monotonic() - start)
