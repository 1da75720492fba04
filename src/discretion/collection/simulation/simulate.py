"""Simulate a collection: the results, the leaks to each party, and the comparison with the truth."""

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

#: The measures of a simulation that a gate can check.
MEASURES: tuple[str, ...] = ("counted", "lost", "differing", "exposure", "certified_exposure")


@dataclass(frozen=True)
class Simulation:
    """The outcome of a simulated collection.

    Parameters
    ----------
    ran
        The run, with the published choices and the counts of each party.
    leaks
        The leaks: the guesses of each party, and the coalitions that learn more.
    truth
        The comparison of the result with the truth.
    seconds
        The duration, in seconds.
    """

    ran: SimulationRun
    leaks: Leaks
    truth: TruthComparison
    seconds: float

    @property
    def measures(self) -> Mapping[str, float | Estimate | None]:
        """The measures that a gate can check, by name.

        ``counted`` is the number of people counted in the last round, ``lost`` the number of people and messages that
        did not arrive, and ``differing`` the number of tables that do not agree with the truth.
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
        """Return the simulation as plain objects, for JSON, without answers of fewer than k people."""
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
    """Run a collection of a table on this machine: each party a process, each row a person, over real sockets.

    Parameters
    ----------
    table, columns, reading
        As for `discretion.Population`: each column is a question.
    users
        The number of people who take part, drawn without replacement; None means all.
    k, budget
        At most this share of the people may be in groups of fewer than k people with the same answers in the analyst's
        data.
    shufflers
        The number of shufflers, one after the other.
    curatorless
        Whether the participants compute the choice themselves, without a curator.
    admitter
        Whether an admitter decides who is let in, by blinded tokens.
    rounds
        The most rounds before the analyst's.
    by_value
        Whether less frequent answers count as one in the curator's questions about several features.
    other_people
        The confidence of the certified bound if half of the people, by chance, answer only the first round, and the
        others only the last; None if everybody answers every round.
    redact
        The largest probability that a redacted answer is a rare one; None redacts no rare answers.
    rules
        Rules by which answers are redacted before they are sent, each a line as
        ``race: Other when sex: Female decoys 0.01``.
    noise
        The ε by which each shuffler's dummies hide all answers of a person together, with a δ of 1e-6; None adds none.
    randomize
        A column → the randomizer of its answers, as ``krr:epsilon=2``; the column "" stands for all other columns.
    cores
        The number of processes that open messages, and the number of processes of the people.
    seed
        The seed of the draw of people; sealing and shuffling use the system's randomness.
    tell : callable
        A function that receives each step.

    Raises
    ------
    InvalidValueError
        If a column of the table cannot be a question, or an option is out of range.
    UnavailableError
        If a party stops midway.
    """
    start = time.monotonic()
    tell("the table")
    size = None if users is None else as_count(users, "users", at_least=1)
    plan = questionnaire_of(table, columns, size, randomize or {}, np.random.default_rng(seed), **reading)
    if unknown := set(randomize or {}) - {feature.name for feature in plan.features} - {""}:
        raise MalformedError(f"there is no column {min(unknown)!r} to randomize")
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
