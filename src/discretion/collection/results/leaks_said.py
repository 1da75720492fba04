"""What leaked, as a document: who can guess what, who had to be trusted, what lies can do, what is not promised."""

import math
from collections.abc import Iterator

from discretion.collection.results.documents import REST, at_least, certified_words, features_words
from discretion.collection.results.guesses import Guess
from discretion.collection.results.leaks import Leaks
from discretion.estimate import highest
from discretion.presenting.names import short
from discretion.presenting.numbers import bounded, is_any_share, people, percent, points
from discretion.presenting.views.document import Block, Bullets, Document, Section, first_rows

TRUST = "Who has to be trusted"


def leaks_document(found: Leaks) -> Document:
    """Return what leaked, in short sections."""
    return Document(
        "What the collection told whom",
        (_in_short(found),),
        (
            Section("What each party can guess", tuple(_guesses(found))),
            Section("Who knows the answers of all others", tuple(_among_known(found))),
            Section("Who stands out", (_exposure(found),)),
            Section(TRUST, tuple(_trust(found))),
            Section("If people lie", tuple(_liars(found))),
            Section("What is not promised", (Bullets(found.not_promised),)),
        ),
    )


def _in_short(found: Leaks) -> str:
    guesses = [*found.single, found.joint] if found.joint else [*found.single]
    most = max(guesses, key=_gain)
    if is_any_share(most.after):
        return (
            f"Of {people(found.people)}: nothing can be concluded on how well one person's answer to "
            f"{features_words(most.features)} is guessed from what the parties see. Without it the best guess is right "
            f"in {percent(most.before)}."
        )
    return (
        f"Of {people(found.people)}: who sees what the parties see guesses one person's answer to "
        f"{features_words(most.features)} right in {bounded(most.after)}, instead of {percent(most.before)}; no guess "
        "gains more."
    )


def _guesses(found: Leaks) -> Iterator[Block]:
    curator = "curator" if found.curated else "all who take part"
    rows = [
        (who, features_words(guess.features), percent(guess.before), bounded(guess.after))
        for who, guess in [
            *([("analyst", found.joint)] if found.joint else []),
            *((curator, guess) for guess in sorted(found.single, key=_gain, reverse=True)),
        ]
    ]
    yield (
        "How often the best guess of one person's answers is right, for who knows how common they are, before and "
        "after seeing the shuffled answers of all."
    )
    yield first_rows(("who", "answers to", "before", "after"), rows, ("who", "answers to"), REST)
    yield "A shuffler by itself sees who takes part and sealed messages: its guess is as before."


def _among_known(found: Leaks) -> Iterator[Block]:
    randomized = [each for each in found.among_known if math.isfinite(each.epsilon)]
    plain = [short(each.feature) for each in found.among_known if not math.isfinite(each.epsilon)]
    if plain:
        yield (
            f"Of {features_words(plain)} she knows everything: answers are told as they are, and what is left over is "
            "the person's. The shuffler hides a person among others who are not known."
        )
    if randomized:
        rows = [(short(each.feature), f"{each.epsilon:.4g}", at_least(each.bayes_security)) for each in randomized]
        yield (
            "Where answers are randomized, she cannot be sure: each ε bounds what she learns, and β* is what is left "
            "of the guessing error for the two answers that she tells apart best. "
            + (f"All together come to ε = {sum(each.epsilon for each in randomized):.4g}." if len(rows) > 1 else "")
        ).strip()
        yield first_rows(("answers to", "ε", "β*"), rows, ("answers to",), REST)


def _exposure(found: Leaks) -> str:
    if found.certified is None:
        return "Nothing went out together."
    sentence = f"Certified beforehand: {certified_words(found.certified, found.k)}."
    if found.exposure is None:
        return sentence
    return (
        f"{percent(found.exposure)} of the people have fewer than {found.k} alike in what the analyst got. {sentence}"
    )


def _trust(found: Leaks) -> Iterator[Block]:
    yield "These together learn who said what, and fewer of them do not; so one honest one suffices in each set."
    yield Bullets(tuple(f"{' + '.join(each.parties)}: {features_words(each.features)}" for each in found.trust))


def _liars(found: Leaks) -> Iterator[Block]:
    yield "By how much at most people who send what they like move a share:"
    rows = [
        (people(each.people), points(each.single), "" if each.joint is None else points(each.joint))
        for each in found.liars
    ]
    yield first_rows(("liars", "of single answers", "of joint answers"), rows, ("liars",), REST)


def _gain(guess: Guess) -> float:
    return highest(guess.after) - guess.before
