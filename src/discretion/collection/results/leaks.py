"""The leaks of a collection: guesses of each party, people who stand out, trusted coalitions, and effects of lies."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from discretion.collection.coalitions import Coalition, coalitions
from discretion.collection.noise_promise import NoisePromise, noise_promise
from discretion.collection.parts.choosing import Counts, certified_of, people_of
from discretion.collection.parts.joint import JointShares, mean_scores, score_of
from discretion.collection.parts.noisy_counts import NoiseInCounts
from discretion.collection.results.analyst import AnalystResult
from discretion.collection.results.guesses import AmongKnown, Guess, among_known, guess_of
from discretion.collection.wire.selection import Choice
from discretion.collection.wire.task import Feature, Task
from discretion.estimate import Estimate
from discretion.presenting.json_answers import plain

# The bullets of docs/explanation/protocol.md, in its words.
NOT_PROMISED = (
    "An observer of all connections sees which devices take part, and when.",
    "A thief of a key that is not destroyed yet can open recorded messages: there is no forward secrecy.",
    "Clients may lie. One of n people moves a share of joint answers by at most 1/n, or more if answers are "
    "randomized; and a share of single answers by d times as much, if all messages are for one of d features.",
    "The certificate holds for the people who were counted in the first round. If people leave before the last round, "
    "others may stand out more.",
    "If the curator's choice redacts rare answers, the bound of the share that may stand out is for the expectation "
    "over everybody's coins.",
    "A redacted answer shows that somebody met a rule or tossed a decoy. No guess of such answers is computed.",
    "The budget is for each group that the curator asks for (by value for all of these together), and for the "
    "analyst's data. It is not for the data of the analyst and the curator together.",
)


def moved_joint(joint: JointShares, liars: int) -> float:
    """Return the most by which this number of liars among the counted people moved a share of joint answers.

    It is ``min(1, m·(highest - lowest)/n)`` for the possible scores of one report: 1/n for each liar if answers are not
    randomized. The bound is relative to honest answers of all people, and holds if liars send other answers or nothing.
    """
    return min(1.0, liars * joint.reach_of_one)


def moved_single(task: Task, answers: int, liars: int) -> float:
    """Return the most by which this number of liars moved a share of the sent answers to a single feature.

    It is ``min(1, m·d/A)`` for A answers to the feature: in the first round a liar has d messages, one for each
    feature, and may use all d of them for one feature; nobody can see that they are from one person. With an admitter
    each feature takes one message of each token, so it is ``min(1, m/A)``.
    """
    each = len(task.features) if task.admitter is None else 1
    return min(1.0, liars * each / max(answers, 1))


# Shares of the people who may lie, in addition to one person.
_LYING = (0.001, 0.01, 0.1)


@dataclass(frozen=True)
class Liars:
    """The most by which liars can move a share.

    Parameters
    ----------
    people
        The number of liars.
    single
        The bound for shares of single answers, for the feature where it is largest.
    joint
        The bound for shares of joint answers; None if there are none.
    """

    people: int
    single: float
    joint: float | None


@dataclass(frozen=True)
class Leaks:
    """The leaks of a collection, computed from its results.

    Parameters
    ----------
    people, k
        The number of counted people, and k: a person stands out in a group of fewer than k people with the same
        answers.
    curated
        Whether there is a curator; without one all participants see the single answers.
    single
        The guess of a person's answer to each feature without a redaction rule, for an adversary that sees single
        answers.
    joint
        The guess of a person's answers to the chosen features for the analyst; None if nothing was chosen, or if
        answers are redacted or asked for by value.
    among_known
        The uncertainty about each feature for an adversary that knows the answers of all other people.
    exposure
        The share of people who stand out in the analyst's answers, with dummies an upper bound; None if the analyst got
        nothing.
    noise
        The guarantee of the dummies of one honest shuffler; None for a task without noise.
    certified
        The bound of the exposure that was certified before; None if nothing was chosen.
    trust
        The smallest coalitions of parties that learn who gave which answer.
    liars
        The most by which one liar, and more liars, can move a share.
    not_promised
        The limits of the guarantees, in words.
    seed
        The seed of samples.
    """

    people: int
    k: int
    curated: bool
    single: tuple[Guess, ...]
    joint: Guess | None
    among_known: tuple[AmongKnown, ...]
    exposure: float | Estimate | None
    noise: NoisePromise | None
    certified: Estimate | None
    trust: tuple[Coalition, ...]
    liars: tuple[Liars, ...]
    not_promised: tuple[str, ...]
    seed: int

    def to_dict(self) -> Mapping[str, Any]:
        """Return the leaks as plain objects, for JSON."""
        return plain(self)


def leaks_of(
    task: Task,
    counts: Counts,
    choice: Choice | None = None,
    analysed: AnalystResult | None = None,
    *,
    people: int | None = None,
    confidence: float | None = None,
    seed: int = 0,
) -> Leaks:
    """Return the leaks of a collection.

    Parameters
    ----------
    task, counts
        The task, and the number of people with each answer.
    choice, confidence
        The choice, and its confidence if it is for other people than the counted ones.
    analysed : AnalystResult, optional
        The analyst's result.
    people
        The number of counted people, if dummies are in the counts.
    seed
        The seed of samples; the same seed gives the same numbers.
    """
    counts = {name: np.maximum(NoiseInCounts(task).about(tally), 0) for name, tally in counts.items()}
    people = people_of(counts) if people is None else people
    chosen = None if choice is None else choice.chosen
    single = tuple(
        guess_of([feature], answer_shares(feature, counts), people, seed)
        for feature in task.features
        if not feature.rules
    )
    together = None if analysed is None or not analysed.joint.people else analysed.joint
    features = [task.features[place] for place in chosen or ()]
    changed = bool(choice and (choice.rules or choice.kept)) or any(feature.rules for feature in features)
    lying = {1, *(max(1, int(people * share)) for share in _LYING)}
    fewest = min(people, *(int(tally.sum()) for tally in counts.values()))
    return Leaks(
        people=people,
        k=task.k,
        curated=task.curator is not None,
        single=single,
        joint=None if together is None or changed else guess_of(features, together.shares, together.people, seed),
        among_known=tuple(among_known(feature, people) for feature in task.features if not feature.rules),
        exposure=None if analysed is None else analysed.exposure,
        noise=noise_promise(task),
        certified=None if choice is None else certified_of(task, counts, choice, confidence),
        trust=coalitions(task, chosen or ()),
        liars=tuple(
            Liars(liars, moved_single(task, fewest, liars), None if together is None else moved_joint(together, liars))
            for liars in sorted(lying)
        ),
        not_promised=NOT_PROMISED,
        seed=seed,
    )


def answer_shares(feature: Feature, counts: Counts) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the shares of the answers to a feature, corrected for its randomizer."""
    feature_counts = counts[feature.name]
    score = score_of(feature)
    return mean_scores(feature_counts / max(int(feature_counts.sum()), 1), [(score.right, score.wrong)])
