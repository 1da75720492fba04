"""Results as documents for a terminal, a page and Markdown: first the decision, then the numbers."""

import math
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from discretion.collection.coalitions import Coalition
from discretion.collection.noise_promise import NoisePromise
from discretion.collection.planning import CollectionPlan
from discretion.collection.results.analyst import AnalystResult
from discretion.collection.results.curator import CONFIDENCE, CuratorResult, FeatureCounts
from discretion.collection.results.guesses import Guess
from discretion.collection.results.leaks import Leaks
from discretion.collection.results.rare import Rare, may_be_compared
from discretion.collection.results.suppressed import Suppressed
from discretion.collection.results.truth import TruthComparison
from discretion.collection.wire.task import LESS_FREQUENT
from discretion.estimate import Estimate, highest
from discretion.presenting.names import short
from discretion.presenting.numbers import (
    bounded,
    in_points,
    interval,
    is_any_share,
    number,
    people,
    percent,
    percent_upwards,
    points,
    rounded_up,
)
from discretion.presenting.views.document import Block, Bullets, Document, Grid, Section, first_rows

REST = "--json"
TRUST = "Who has to be trusted"
# Up to this many features are named; for more, the number is shown.
_NAMED = 4


def plan_document(plan: CollectionPlan) -> Document:
    """Return the document of a plan: the number of people that a collection needs, the answer first."""
    count, last = len(plan.released), plan.needed[-1]
    if count:
        go = "questions go out together" if count > 1 else "questions goes out"
        lead = f"With {people(plan.users)}, {number(count)} of {number(plan.questions)} {go}: "
        lead += f"{features_words(plan.released)}."
    else:
        lead = f"With {people(plan.users)}, none of {number(plan.questions)} questions goes out."
    if len(last.features) == plan.questions > count and last.people is not None:
        lead += f" All {number(plan.questions)} need about {people(last.people)}."
    sentences = [
        f"The shares of the answers are {plan.shares}. k is {number(plan.k)}, the budget "
        f"{percent(float(plan.budget))}, the smallest batch {people(plan.smallest_batch)}."
    ]
    if plan.confidence is not None:
        sentences.append(
            "Half of the people answer the single questions, and the others the joint one: the bound is for the "
            f"others, on average, with {percent(plan.confidence)} confidence."
        )
    if plan.exposure is not None:
        sentences.append(
            f"Certified: at most {percent_upwards(plan.exposure)} of the people stand out. These questions go out in "
            f"{plan.draws_releasing} of {plan.draws} draws of {people(plan.users)} with these shares."
        )
    rows = [
        (
            number(len(each.features)),
            features_words(each.features),
            "more than 10¹⁰" if each.people is None else number(each.people),
        )
        for each in plan.needed
    ]
    blocks: list[Block] = [
        lead,
        *sentences,
        first_rows(("questions", "as", "people"), rows, ("as",), REST),
        "These numbers of people are enough on average, if the answers have these shares. Another set of as many "
        "questions may need fewer people. "
        + (
            f"Shufflers add {number(plan.dummies)} dummies to each count on average, which lowers the certified counts."
            if plan.dummies
            else "With more rounds or redaction, more questions may go out."
        ),
    ]
    if plan.coarser:
        blocks.append('If some answers to a question become "other", all questions together need fewer people:')
        blocks.append(
            first_rows(
                ("question", "without", "people"),
                [(short(each.feature), features_words(each.merged), number(each.people)) for each in plan.coarser],
                ("question", "without"),
                REST,
            )
        )
    return Document("How many people the collection needs", tuple(blocks))


def curator_document(result: CuratorResult) -> Document:
    """Return the document of the first round: the features that go out together, and the counts of each feature."""
    if result.chosen is None:
        decision = (
            f"Nothing goes out: no feature is certified to be within the budget of {percent(float(result.budget))}."
        )
    else:
        decision = (
            f"{features_words(result.chosen.features)} may go out together, certified: "
            f"{certified_words(result.chosen.exposure, result.k)}. The budget is {percent(float(result.budget))}."
        )
    randomized = [each.feature for each in result.features if each.randomizer is not None and each.withheld is None]
    heads = ("feature", "answer", *(("reports", "people") if randomized else ("people",)))
    rows = [
        (short(each.feature), answer_words(answer), *words)
        for each in result.features
        for (answer, count), people in zip_longest([*each.counts, *_rare_row(each.rare)], each.people)
        for words in [_both_words(each, count, people) if randomized else (_count_words(count),)]
    ]
    lost = sum(each.lost for each in result.features)
    blocks: list[Block] = [
        decision,
        f"{people(result.people)} counted. {_messages(result)}"
        + (f" {number(lost)} of their answers did not arrive." if lost else ""),
        first_rows(heads, rows, ("feature", "answer"), REST),
    ]
    if randomized:
        blocks.append(
            f"The answers to {features_words(randomized)} were randomized: a report may have another answer than its "
            "sender. The numbers of people are estimates, with intervals that hold together for each feature at "
            f"{percent(CONFIDENCE)} confidence."
        )
    if any(each.rare for each in result.features):
        blocks.append(_rare_words(result.k))
    if any(isinstance(count, Estimate) for each in result.features for _, count in each.counts):
        blocks.append(
            "Shufflers added dummies to every count: the numbers are estimates of the people without these, with "
            "intervals."
        )
    for reason in dict.fromkeys(each.withheld for each in result.features if each.withheld is not None):
        names = [each.feature for each in result.features if each.withheld == reason]
        blocks.append(f"The counts of {features_words(names)} are not given out: {reason}.")
    return Document("The result of the curator", tuple(blocks))


def analyst_document(result: AnalystResult, *, show_rare: bool = False) -> Document:
    """Return the document of the analyst's round: the shares of joint answers, and their intervals."""
    joint, k, shares = result.joint, result.round.task.k, shares_grid(result, show_rare=show_rare)
    blocks: list[Block] = [
        f"{people(joint.people)} answered {features_words(joint.features)}. {_messages(result)}",
        f"{exposed_words(result.exposure)} of them are in groups of fewer than {k} people with the same answers."
        + _left_words(result, show_rare),
        first_rows(shares.heads, shares.rows, [*shares.words], REST),
    ]
    if result.is_estimated:
        blocks.append(interval_words(result))
    if result.round.choice is not None and result.round.choice.kept:
        blocks.append(_kept_words(result))
    if result.suppressed:
        blocks.append(Bullets(tuple(suppressed_words(each, k) for each in result.suppressed)))
    if result.redacted:
        blocks.append(
            "Before redaction, a combination belongs at least to the people who sent it, and at most also to all who "
            "may have redacted a part of it."
        )
    if result.rare is not None and not show_rare:
        blocks.append(_rare_words(k))
    return Document(f"Joint answers to {features_words(joint.features)}", tuple(blocks))


def _kept_words(result: AnalystResult) -> str:
    """Return a sentence with the number of answers to each feature that were asked for one by one."""
    answers = [
        f"{number(len(kept or ()))} of {number(result.round.task.features[place].codes)} to {short(name)}"
        for name, place, kept in zip(result.joint.features, result.round.groups[0], result.round.kept[0], strict=True)
    ]
    return f"Answers that were asked for one by one: {', '.join(answers)}. All others count as “{LESS_FREQUENT}”."


def suppressed_words(suppressed: Suppressed, k: int) -> str:
    """Return a sentence with the number of people who redacted their answer to a feature."""
    name = short(suppressed.feature)
    if suppressed.people is None or suppressed.needed is None:
        return f"{name}: fewer than {number(k)} people redacted it."
    needed = suppressed.needed
    if needed.low == needed.high:
        by_need = f"{number(round(needed.high))} by the rule"
    else:
        sure = "certified" if needed.confidence is None else f"{percent(needed.confidence)} confidence"
        by_need = f"between {number(round(needed.low))} and {number(round(needed.high))} by the rule ({sure})"
    decoys = (
        "there are no decoys, so a redacted answer shows that its sender met the rule"
        if not suppressed.decoys
        else f"all others redact it with a probability of {percent(suppressed.decoys)}"
    )
    return f"{name}: {people(suppressed.people)} redacted it, {by_need}; {decoys}."


def _left_words(result: AnalystResult, show_rare: bool) -> str:
    k, left = result.round.task.k, result.left
    if may_be_compared(left, 0, k):
        return ""
    who = f" {people(left)} of the first round left before this one, fewer than {k}. The difference between the counts "
    if not result.is_withheld:
        return who + "of both rounds would show their answers, so the curator does not give out its counts."
    if show_rare:
        return who + "here and those on the board shows their answers: do not share this result."
    return who + "here and those on the board would show their answers, so no count is given out."


def shares_grid(result: AnalystResult, *, show_rare: bool = False) -> Grid:
    """Return the table of shares, the most frequent combination first."""
    names = _heads(result.joint.features)
    numbers = ("share", "± points", "interval") if result.is_estimated else ("share", "people")
    rows = [
        (*map(answer_words, answers), *_numbers(share, error, result.joint.people))
        for answers, share, error in result.frequent(show_rare=show_rare)
    ]
    if result.redacted:
        numbers = (*numbers, "before redaction")
        before = map(result.share_before_redaction, result.ordered_places(show_rare=show_rare))
        rows = [
            (*row, "" if share is None else f"{percent(share.low)} to {percent_upwards(share.high)}")
            for row, share in zip(rows, before, strict=True)
        ]
    if result.rare is not None and not show_rare:
        share = min(1.0, result.rare.people / result.joint.people)
        cells = ("", "") if result.is_estimated else (number(int(result.rare.people)), *[""] * bool(result.redacted))
        rows.append((rare_words(result.rare), *[""] * (len(names) - 1), percent(share), *cells))
    return Grid((*names, *numbers), tuple(rows), frozenset(names))


def posterior_grid(result: AnalystResult, *, show_rare: bool = False) -> tuple[Block, ...] | None:
    """Return the posterior law of the shares of randomized answers to one feature, with a sentence, or None."""
    if (law := result.posterior) is None:
        return None
    intervals = [" to ".join(map(percent, each)) for each in law.intervals]
    rows = [
        (answer_words(result.joint.answers[code][0]), percent(law.means[code]), intervals[code])
        for code in result.shown_places(show_rare=show_rare)
    ]
    names = _heads(result.joint.features)
    return (
        "The shares in a large population of which the participants are a random sample, with Jeffreys' prior: each "
        f"share is in its interval with a probability of {percent(result.confidence)}.",
        Grid((*names, "mean", "interval"), tuple(rows), frozenset(names)),
    )


def _numbers(share: float | Estimate, error: float, people: int) -> tuple[str, ...]:
    if not isinstance(share, Estimate):
        return percent(share), number(round(share * people))
    return percent(share.value), in_points(error), interval(share).partition(": ")[2].rstrip(")")


def truth_document(comparison: TruthComparison) -> Document:
    """Return the document that compares the results with the truth: the verdict, and each table."""
    tables = [*comparison.single, *([] if comparison.joint is None else [comparison.joint])]
    rows = [
        (
            features_words(table.features),
            f"{table.shares:,}",
            f"{table.within:,}",
            "" if not table.randomized else f"{table.furthest:.2f}",
            ("not known" if table.is_inconclusive else "yes") if table.agrees else "no",
        )
        for table in tables
    ]
    heads = ("answers to", "shares", "as they are", "standard errors", "agree")
    return Document(
        "The result compared with the truth",
        (comparison.verdict, first_rows(heads, rows[::-1], ("answers to", "agree"), REST)),
    )


def certified_words(exposure: Estimate, k: int) -> str:
    """Return the certified bound of the share of people who stand out, in words."""
    groups = f"in groups of fewer than {k} people with the same answers"
    if is_any_share(exposure):
        return f"nothing can be concluded: any number of people may be {groups}"
    if exposure.confidence is None:
        return f"at most {percent_upwards(exposure.high)} of the counted people are {groups}"
    return (
        f"at most {percent_upwards(exposure.high)} of other people are {groups} on average, with "
        f"{percent(exposure.confidence)} confidence, assuming that {exposure.assuming}"
    )


def features_words(names: Sequence[str]) -> str:
    """Return the names of some features, or their number if there are many.

    Examples
    --------
    >>> features_words(["sex", "town"]), features_words("abcde")
    ('sex, town', '5 features')
    """
    return ", ".join(map(short, names)) if len(names) <= _NAMED else f"{number(len(names))} features"


def interval_words(result: AnalystResult) -> str:
    """Return a sentence on the kind, the standard errors and the intervals of the shares."""
    if not result.randomized:
        return (
            "Shufflers added dummies to every count, and the shares are estimates for the people without these: ± is "
            f"their standard error, and all intervals hold together with {percent(result.confidence)} confidence."
        )
    randomizers = ", ".join(f"{short(name)} by {how}" for name, how in result.randomized.items())
    return (
        f"Answers were randomized ({randomizers}), and the shares are estimates: ± is their standard error, "
        f"and all intervals hold together with {percent(result.confidence)} confidence, for the people who answered."
    )


def rare_words(rare: Rare) -> str:
    """Return the label of the row of all rare answers together.

    Examples
    --------
    >>> rare_words(Rare(3, 12))
    '(3 others)'
    """
    return f"({number(rare.values)} others)"


def _rare_words(k: int) -> str:
    return (
        f"Answers of fewer than {k} people are merged into one row. If this row would have fewer than {k} people, the "
        "least frequent other answers join it."
    )


def _both_words(feature: FeatureCounts, count: int | Estimate, people: Estimate | None) -> tuple[str, str]:
    """Return a number of reports, and the number of people with the answer, where it is known."""
    if feature.randomizer is None:
        return _count_words(count), _count_words(count)
    return _count_words(count), "—" if people is None else _count_words(people)


def _count_words(count: int | Estimate) -> str:
    if not isinstance(count, Estimate):
        return number(count)
    return f"{number(round(count.value))} ({number(round(count.low))} to {number(round(count.high))})"


def exposed_words(exposure: float | Estimate) -> str:
    """Return the share of people who stand out, in words; with dummies among the answers it is an upper bound."""
    return f"At most {percent_upwards(exposure.high)}" if isinstance(exposure, Estimate) else percent(exposure)


def noise_words(promise: NoisePromise) -> str:
    """Return the guarantee of noise, in a sentence without a full stop."""
    return (
        f"each shuffler adds 0 to {number(promise.most)} dummies to every count: if one shuffler is honest, all "
        f"answers of a person together are hidden by ε = {rounded_up(promise.epsilon, 4)} with "
        f"δ = {promise.delta:g}, and an adversary that knows everything else guesses which of two answers this person "
        f"gave to a question with a probability of at most {percent_upwards(promise.guess)}"
    )


def _rare_row(rare: Rare | None) -> Iterator[tuple[str, int]]:
    if rare is not None:
        yield rare_words(rare), int(rare.people)


def _messages(result: CuratorResult | AnalystResult) -> str:
    kinds = {"did not open": result.dropped, "came twice": result.repeated, "named no answer": result.unknown}
    kinds["had no valid token"] = result.unadmitted
    lost = {"": kinds} | {
        f"by shuffler {place}": {"did not open": report.dropped, "came twice": report.repeated}
        for place, report in enumerate(result.shufflers, 1)
    }
    parts = [
        f"{number(count)} {what} {where}".strip()
        for where, counts in lost.items()
        for what, count in counts.items()
        if count
    ]
    return f"Messages that do not count: {', '.join(parts)}." if parts else "All messages count."


def answer_words(answer: str | None) -> str:
    """Return an answer shortened for a table; a missing answer has a label, too."""
    return "(missing)" if answer is None else short(answer)


def _heads(features: Sequence[str]) -> tuple[str, ...]:
    """Return the features as heads of columns with different names."""
    return tuple(f"{short(name)}{' ' * features[:place].count(name)}" for place, name in enumerate(features))


def at_least(beta: float | Estimate) -> str:
    """Return a Bayes security as text, with ≥ if it is a lower bound."""
    return f"{beta:.4f}" if not isinstance(beta, Estimate) else f"≥ {math.floor(beta.low * 10**4) / 10**4:.4f}"


def leaks_document(leaks: Leaks) -> Document:
    """Return the leaks as a document of short sections."""
    return Document(
        "What the collection reveals, by party",
        (_in_short(leaks),),
        (
            Section("What each party can guess", tuple(_guesses(leaks))),
            Section("An adversary that knows all other answers", tuple(_among_known(leaks))),
            Section("Who stands out", (_exposure_words(leaks),)),
            Section(TRUST, tuple(_trust(leaks))),
            Section("If people lie", tuple(_liars(leaks))),
            Section("What is not guaranteed", (Bullets(leaks.not_promised),)),
        ),
    )


def _in_short(leaks: Leaks) -> str:
    guesses = [*leaks.single, leaks.joint] if leaks.joint else [*leaks.single]
    if not guesses:
        return f"Of {people(leaks.people)}: every answer may be redacted, and no guess of one is computed."
    most = max(guesses, key=_gain)
    if is_any_share(most.after):
        return (
            f"Of {people(leaks.people)}: nothing can be concluded on how well one person's answer to "
            f"{features_words(most.features)} can be guessed from what the parties see. Without it, the best guess is "
            f"correct in {percent(most.before)}."
        )
    return (
        f"Of {people(leaks.people)}: from what the parties see, an adversary guesses one person's answer to "
        f"{features_words(most.features)} correctly in {bounded(most.after)}, instead of {percent(most.before)}; "
        "no guess gains more."
    )


def _guesses(leaks: Leaks) -> Iterator[Block]:
    curator = "curator" if leaks.curated else "all participants"
    rows = [
        (who, features_words(guess.features), percent(guess.before), bounded(guess.after))
        for who, guess in [
            *([("analyst", leaks.joint)] if leaks.joint else []),
            *((curator, guess) for guess in sorted(leaks.single, key=_gain, reverse=True)),
        ]
    ]
    yield (
        "How often the best guess of one person's answers is correct, for an adversary that knows how common they are, "
        "before and after it sees the shuffled answers of all."
    )
    yield first_rows(("who", "answers to", "before", "after"), rows, ("who", "answers to"), REST)
    yield "A shuffler by itself sees the participants and sealed messages: its guess is as before."


def _among_known(leaks: Leaks) -> Iterator[Block]:
    randomized = [each for each in leaks.among_known if math.isfinite(each.epsilon)]
    plain = [short(each.feature) for each in leaks.among_known if not math.isfinite(each.epsilon)]
    if leaks.noise is not None:
        words = noise_words(leaks.noise)
        yield f"{words[0].upper()}{words[1:]}."
    elif plain:
        yield (
            f"It knows everything about {features_words(plain)}: these answers are not randomized, and the one that "
            "remains is the person's. The shuffler hides a person only among people whose answers are unknown."
        )
    if randomized:
        rows = [(short(each.feature), f"{each.epsilon:.4g}", at_least(each.bayes_security)) for each in randomized]
        yield (
            "If answers are randomized, the adversary cannot be certain: each ε bounds what it learns, and β* is the "
            "remaining share of the guessing error for the two answers that are easiest to distinguish. "
            + (f"All ε add up to {sum(each.epsilon for each in randomized):.4g}." if len(rows) > 1 else "")
        ).strip()
        yield first_rows(("answers to", "ε", "β*"), rows, ("answers to",), REST)


def _exposure_words(leaks: Leaks) -> str:
    if leaks.certified is None:
        return "Nothing went out together."
    sentence = f"Certified beforehand: {certified_words(leaks.certified, leaks.k)}."
    if leaks.exposure is None:
        return sentence
    exposed = exposed_words(leaks.exposure)
    return (
        f"{exposed} of the people are in groups of fewer than {leaks.k} people with the same answers in what the "
        f"analyst got. {sentence}"
    )


def _trust(leaks: Leaks) -> Iterator[Block]:
    yield "Each of these coalitions learns who gave which answer; one honest party in a coalition prevents that."
    yield Bullets(tuple(map(coalition_words, leaks.trust)))


def coalition_words(coalition: Coalition) -> str:
    """Return a sentence on a coalition: its parties, the answers that they learn, and the means."""
    how = {
        "opens": "their keys open the messages of each person, and nobody can notice",
        "invents": "they can invent all other people, so that a result shows one person",
        "leaves out": "they can leave a person out of the last round, and compare the counts of both rounds",
    }
    return f"{' + '.join(coalition.parties)}: {features_words(coalition.features)}; {how[coalition.means]}."


def _liars(leaks: Leaks) -> Iterator[Block]:
    yield "The most by which liars can move a share:"
    rows = [
        (people(each.people), points(each.single), "" if each.joint is None else points(each.joint))
        for each in leaks.liars
    ]
    yield first_rows(("liars", "of single answers", "of joint answers"), rows, ("liars",), REST)


def _gain(guess: Guess) -> float:
    return highest(guess.after) - guess.before
