"""What a collection leaked: what each party can guess, who stands out, who had to be trusted, and what lies can do."""

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
    "A thief of a key that is not destroyed yet opens recorded messages: there is no forward secrecy.",
    "Clients may lie. One of n people moves a share of joint answers by at most 1/n, more where randomizers are "
    "undone; a share of single answers by d times as much where there are d features, if all messages are of one.",
    "The certificate holds for the people who were counted in the first round. A person who leaves before the last "
    "round makes others stand out more.",
    "Where the curator's choice redacts rare answers, the share that may stand out is an expectation over everybody's "
    "coins.",
    "A redacted answer shows that somebody met a rule or tossed a decoy. No guess of such answers is worked out.",
    "The budget is for each group that the curator asks for, by value for all of these together, and for what the "
    "analyst gets; it is not for the analyst's and the curator's together.",
)


def moved_joint(joint: JointShares, liars: int) -> float:
    """Return by how much at most so many of those who were counted moved a share of joint answers.

    ``min(1, m·(highest - lowest)/n)``, of the scores that one report can have: 1/n for each liar where answers are
    told as they are. Compared with what all had told honestly, whether the liars told something else or nothing.
    """
    return min(1.0, liars * joint.reach_of_one)


def moved_single(task: Task, answers: int, liars: int) -> float:
    """Return by how much at most so many liars moved a share of the answers to a single feature, as told.

    ``min(1, m·d/A)``, of A answers to it: in the first round a liar has as many messages as there are features, and may
    send the same of one feature with all d of them, which nobody can see is one person. With an admitter each feature
    takes one message of each token: ``min(1, m/A)``.
    """
    each = len(task.features) if task.admitter is None else 1
    return min(1.0, liars * each / max(answers, 1))


# Shares of the people who may lie, beside one person.
_LYING = (0.001, 0.01, 0.1)


@dataclass(frozen=True)
class Liars:
    """How far people who lie can move a share.

    Parameters
    ----------
    people
        How many lie.
    single
        Of single answers, at most: of the feature where it is the most.
    joint
        Of joint answers, at most; None if there are none.
    """

    people: int
    single: float
    joint: float | None


@dataclass(frozen=True)
class Leaks:
    """What a collection leaked, said by the result itself.

    Parameters
    ----------
    people, k
        How many were counted, and fewer than how many alike stand out.
    curated
        Whether there is a curator; without one all who take part see the single answers.
    single
        The guess of a person's answer to each feature that nobody redacts, for an adversary that sees single answers.
    joint
        The guess of a person's answers to the chosen features for the analyst; None if nothing was chosen, or answers
        are redacted or asked for by value.
    among_known
        What is left to guess of each feature for an adversary that knows the answers of all others.
    exposure
        Which share of the people has fewer than k alike in what the analyst got, at most where dummies are among it;
        None if it got nothing.
    noise
        What the dummies of an honest shuffler leave to guess; None in a task without noise.
    certified
        What the single answers certified of that; None if nothing was chosen.
    trust
        The smallest coalitions of parties that learn who gave which answer.
    liars
        How far one liar, and how far more of them, can move a share.
    not_promised
        In words.
    seed
        Where samples start.
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
        """Return it as plain objects, for JSON."""
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
    """Return what a collection leaked.

    Parameters
    ----------
    task, counts
        What was asked, and how many gave each answer.
    choice, confidence
        The choice, and the confidence that it was made with for other people than those counted.
    analysed
        The analyst's result.
    people
        How many were counted, if dummies are in the counts.
    seed
        Where samples start: the same seed, the same numbers.
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
    """Return the shares of the answers to a feature, its randomizer undone."""
    feature_counts = counts[feature.name]
    score = score_of(feature)
    return mean_scores(feature_counts / max(int(feature_counts.sum()), 1), [(score.right, score.wrong)])
