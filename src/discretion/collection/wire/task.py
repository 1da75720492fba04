"""A task: what is asked of whom, by whom, under which promises; its digest is in the info of every sealed layer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields as fields_of
from decimal import Decimal, InvalidOperation
from functools import cached_property
from hashlib import sha256
from math import prod
from typing import Any, cast

from discretion.collection.errors import MalformedError
from discretion.collection.wire.addresses import WebAddress, web_address
from discretion.collection.wire.noise import Noise
from discretion.collection.wire.records import decoded, encoded
from discretion.collection.wire.sealing import KEY_BYTES

VERSION = 3
LONGEST_TASK = 16 << 20
_MOST_FEATURES = 1 << 12
_MOST_SHUFFLERS = 16
MOST_ROUNDS = 8
_LATEST = 1 << 40
#: Dummies of a shuffler's in one round, on average, at most: to seal them takes minutes.
MOST_DUMMIES = 1 << 20
#: The bytes of the modulus of an admitter's key: RSA of 2,048 bits, whose public exponent is always 65,537.
MODULUS_BYTES = 256
#: The label of an answer that is redacted.
REDACTED = "redacted"
#: The label of an answer that is less frequent than those that are asked for one by one.
LESS_FREQUENT = "less frequent"

#: Answers as a task spells them; None is a missing one.
Answers = tuple[str | None, ...]


@dataclass(frozen=True)
class AnswerRule:
    """Whose answer to a feature is redacted before anything is sent.

    Parameters
    ----------
    values
        The answers that are redacted, ``other`` and None being some of them; None is every answer.
    when
        Only of people with one of these answers to other features, as they are before anything is redacted: the names
        of the features in order, each with answers.
    """

    values: Answers | None
    when: tuple[tuple[str, Answers], ...] = ()

    def __post_init__(self) -> None:
        for answers in (*(() if self.values is None else (self.values,)), *(each for _, each in self.when)):
            _check(
                len(answers) > 0
                and len(set(answers)) == len(answers)
                and all(answer is None or _is_text(answer) for answer in answers),
                "a rule names different answers, one at least",
            )
        names = [name for name, _ in self.when]
        _check(names == sorted(set(names)), "the conditions of a rule are on different features, in order")
        _check(self.values is not None or len(names) > 0, "a rule needs answers or a condition")

    def asks_for(self, name: str, answers: Mapping[str, str | None]) -> bool:
        """Return whether somebody with these answers redacts the one to a feature, each as the task lists it."""
        return (self.values is None or answers[name] in self.values) and all(
            answers[other] in values for other, values in self.when
        )


@dataclass(frozen=True)
class Feature:
    """A question: its name, its answers in order, and how each answer is randomized before it is sent.

    Every answer has a number, its code: its place in ``values``; one that is not listed is "other", none is "missing".

    Parameters
    ----------
    name
        What is asked.
    values
        The answers, at least one.
    randomizer
        A mechanism in words without its k, as ``krr:epsilon=2``; None sends answers as they are.
    rules
        Who redacts the answer, once for all rounds; empty if nobody does.
    decoys
        With what probability everybody else redacts it too, a decimal in text.
    """

    name: str
    values: tuple[str, ...]
    randomizer: str | None = None
    rules: tuple[AnswerRule, ...] = ()
    decoys: str = "0"

    def __post_init__(self) -> None:
        _check(_is_text(self.name) and 0 < len(self.name) <= 200, "a feature needs a name of 1 to 200 letters")
        _check(
            0 < len(self.values) < 1 << 24
            and len(set(self.values)) == len(self.values)
            and all(map(_is_text, self.values)),
            f"the answers of {self.name[:200]!r} must be different texts, one at least",
        )  # fmt: skip
        _check(self.randomizer is None or _is_text(self.randomizer), "a randomizer is a text, as 'krr:epsilon=2'")
        _check(
            _is_share(self.decoys) and (len(self.rules) > 0 or self.decoys == "0"),
            f"decoys of {self.name[:200]!r} are a probability in text, as '0.01', and 0 without a rule",
        )
        _check(
            not self.rules or self.randomizer is None,
            f"answers to {self.name[:200]!r} are randomized or redacted, not both",
        )
        _check(len(set(self.rules)) == len(self.rules), f"{self.name[:200]!r} has a rule twice")

    @property
    def codes(self) -> int:
        """How many different answers are sent: with other and missing, and redacted where there is a rule."""
        return len(self.labels)

    @cached_property
    def labels(self) -> tuple[str | None, ...]:
        """What each code means; None is missing."""
        return (*self.given, REDACTED) if self.rules else self.given

    @property
    def given(self) -> tuple[str | None, ...]:
        """The answers that people give, by their codes, before any is redacted; None is missing."""
        return (*self.values, "other", None)

    @cached_property
    def _code_of(self) -> Mapping[str, int]:
        return {value: code for code, value in enumerate(self.values)}

    def code_of(self, answer: str | None) -> int:
        """Return the code of an answer that somebody gives."""
        return len(self.values) + 1 if answer is None else self._code_of.get(answer, len(self.values))


@dataclass(frozen=True)
class Party:
    """Somebody who takes part: where its service is, and the public key that messages to it are sealed with."""

    url: str
    key: bytes

    def __post_init__(self) -> None:
        _ = self.address
        _check(_is_bytes(self.key, KEY_BYTES), "a party's key has 32 bytes")

    @property
    def address(self) -> WebAddress:
        """The address of its service, as everybody reads it."""
        address = web_address(self.url)
        if address is None:
            raise MalformedError("a party needs a web address, as https://first.example:8443")
        return address

    @property
    def host(self) -> str:
        """The machine where it is: its host; on the loopback, where all parties are tried out, with its port."""
        address = self.address
        host = address.host.rstrip(".")
        return f"{host}:{address.port}" if host in ("localhost", "::1") or host.startswith("127.") else host


@dataclass(frozen=True)
class Task:
    """What is asked of whom, by whom, under which promises.

    Parameters
    ----------
    id
        16 bytes, of no other task.
    purpose
        What it is for, as people who take part read it.
    features
        The questions.
    k, budget
        At most this share of the people, a decimal in text, may have fewer than k alike in what the analyst gets, and
        in the answers to each question of the curator's about several features.
    smallest_batch
        No batch of fewer people is opened.
    opens, closes
        When answers are taken, in seconds since 1970.
    shufflers
        Who takes the messages off their senders, in order; one honest one hides who sent what.
    analyst
        Who gets the joint answers to the questions that were chosen.
    curator
        Who counts single answers and chooses; None if the participants do that themselves.
    signer
        The Ed25519 key that the curator signs its choices with; None if there is no curator.
    rounds
        In how many rounds the curator may ask before the analyst does: for single answers, then for pairs that these
        certify, then for triples.
    by_value
        Whether the curator asks about answers rather than features after the first round: less frequent answers to a
        feature are then one, and what all questions about several features expose is within the budget together.
    other_people
        Other people are asked for joint answers than for single ones, each for one of both, as their token says: how
        surely what is certified of these holds, a probability in text. None asks the same people.
    redaction
        How sure one may be at most that a redacted answer is a rare one, a decimal in text: those that fewer than k
        people have may then be redacted, and others with them. None if nothing is redacted.
    invited
        No more people are let in, and no batch with more messages is counted; None is no limit.
    admitter
        Who signs the blinded tokens of eligible people; None if the first shuffler alone decides who is let in.
    admission
        The RSA moduli by which tokens are checked: for each round of the curator's one for each message, and one for
        the analyst's round; empty without an admitter.
    noise
        How many dummies each shuffler adds to every count, so that no count says for sure what somebody answered; None
        adds none.
    extensions
        What later versions add, by name: this one knows none, and refuses a task that has any.

    Raises
    ------
    MalformedError
        If something of it is not so.
    """

    id: bytes
    purpose: str
    features: tuple[Feature, ...]
    k: int
    budget: str
    smallest_batch: int
    opens: int
    closes: int
    shufflers: tuple[Party, ...]
    analyst: Party
    curator: Party | None = None
    signer: bytes | None = None
    rounds: int = 1
    by_value: bool = False
    other_people: str | None = None
    redaction: str | None = None
    invited: int | None = None
    admitter: Party | None = None
    admission: tuple[tuple[bytes, ...], ...] = ()
    noise: Noise | None = None
    extensions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _check(_is_bytes(self.id, 16), "a task's id has 16 bytes")
        _check(_is_text(self.purpose), "a task's purpose is a text")
        _check(0 < len(self.features) <= _MOST_FEATURES, f"a task has 1 to {_MOST_FEATURES:,} features")
        names = [feature.name for feature in self.features]
        _check(len(set(names)) == len(names), "features have different names")
        for name, least, most in (("k", 1, 1 << 40), ("smallest_batch", 1, 1 << 40), ("opens", 0, _LATEST)):
            _check_count(getattr(self, name), name, least, most)
        _check_count(self.rounds, "rounds", 1, MOST_ROUNDS + 1)
        _check_count(self.closes, "closes", self.opens + 1, _LATEST)
        _check(
            _is_share(self.budget), f"the budget is a share of the people in text, as '0.01', got {self.budget!r:.60}"
        )
        _check(0 < len(self.shufflers) <= _MOST_SHUFFLERS, f"a task has 1 to {_MOST_SHUFFLERS} shufflers")
        _check((self.curator is None) == (self.signer is None), "a curator signs, and who signs is the curator")
        _check(
            self.signer is None or _is_bytes(self.signer, KEY_BYTES),
            "the curator's signing key has 32 bytes",
        )
        _check(
            self.redaction is None or (_is_share(self.redaction) and Decimal(self.redaction) > 0),
            f"redaction is a probability above 0 in text, as '0.5', or null, got {self.redaction!r:.60}",
        )
        _check(
            self.redaction is None or self.curator is not None,
            "without a curator nothing is redacted: decoys are worked out in floating point, and not by all alike",
        )
        _check(type(self.by_value) is bool, f"by_value is true or false, got {self.by_value!r:.60}")
        for how, excludes in {
            "redaction: less frequent answers are one already": self.redaction is not None,
            "noise: the least counts do not say what exposes": self.noise is not None,
            "answers that are randomized": any(feature.randomizer is not None for feature in self.features),
        }.items():
            _check(not (self.by_value and excludes), f"questions by value exclude {how}")
        _check(
            self.other_people is None or (_is_share(self.other_people) and 0 < Decimal(self.other_people) < 1),
            f"other_people is a confidence in text, above 0 and below 1, as '0.95', or null, got "
            f"{self.other_people!r:.60}",
        )
        for how, excludes in {
            "questions by value": self.by_value,
            "redaction by the curator's choice": self.redaction is not None,
            "noise": self.noise is not None,
            "more than one round of the curator's": self.rounds > 1,
            "a task without a curator, who alone counts the others": self.curator is None,
        }.items():
            _check(self.other_people is None or not excludes, f"to ask other people excludes {how}")
        _check(not self.extensions, f"this version knows no extension {self.extensions[:1]}; get a newer client")
        if self.invited is not None:
            _check_count(self.invited, "invited", self.smallest_batch, 1 << 40)
        keys = [party.key for party in self.parties.values()]
        _check(
            len(set(keys)) == len(keys),
            "two parties have the same key: whoever holds it would be both; each party makes a key of its own",
        )
        for name, party in self.parties.items():
            other = next(other for other, its in self.parties.items() if its.host == party.host)
            _check(
                other == name,
                f"{other} and {name} are both at {party.host}: whoever runs that machine would be both; each party has "
                "a host of its own",
            )
        self._check_rules()
        self._check_admission()
        self._check_noise()

    def _check_rules(self) -> None:
        features = {feature.name: feature for feature in self.features}
        for feature in self.features:
            for rule in feature.rules:
                for name, answers in ((feature.name, rule.values or ()), *rule.when):
                    _check(name in features, f"a rule for {feature.name!r} asks about {name!r}, which is no feature")
                    unknown = set(answers) - set(features[name].given)
                    _check(not unknown, f"a rule for {feature.name!r} names an answer that {name!r} does not have")
                for name, _ in rule.when:
                    _check(name != feature.name, f"a rule for {name!r} has a condition on {name!r} itself")
                    _check(
                        features[name].randomizer is None,
                        f"a rule for {feature.name!r} would show the answer to {name!r}, which is randomized",
                    )

    def _check_noise(self) -> None:
        if self.noise is None:
            return
        excluded = {
            "without a curator, whom the counts are for": self.curator is None,
            "in more than one round of the curator's": self.rounds > 1,
            "with redaction": self.redaction is not None,
            "with an admitter, who signs a token for each message": self.admitter is not None,
            "with answers that are randomized already": any(each.randomizer is not None for each in self.features),
        }
        for how, excludes in excluded.items():
            _check(not excludes, f"shufflers add no noise {how}")
        dummies = self.noise.mean * prod(feature.codes for feature in self.features)
        _check(
            dummies <= MOST_DUMMIES,
            f"noise in all combinations of these answers would be {dummies:,} dummies a shuffler, and at most "
            f"{MOST_DUMMIES:,} can be; ask fewer questions, with fewer answers, or allow a larger ε",
        )

    @property
    def confidence(self) -> float | None:
        """How surely what is certified holds, of others than those who were counted; None if it is of these."""
        return None if self.other_people is None else float(self.other_people)

    @property
    def counts_of_one(self) -> int:
        """How many counts change if a person answers otherwise."""
        return counts_of_one(len(self.features))

    def _check_admission(self) -> None:
        _check(
            (self.admitter is None) == (not self.admission),
            "an admitter needs keys for its tokens, and the keys for tokens need an admitter",
        )
        if self.admitter is None:
            return
        moduli = [modulus for keys in self.admission for modulus in keys]
        _check(
            len(self.admission) == self.most_rounds
            and len(self.admission[0]) == len(self.features)
            and len(self.admission[-1]) == 1
            and all(0 < len(keys) <= _MOST_FEATURES for keys in self.admission),
            f"the admitter has a key for each of the {len(self.features)} questions, one or more for each round of "
            f"groups, and one for the analyst's: {self.most_rounds} lists",
        )
        _check(
            all(_is_bytes(modulus, MODULUS_BYTES) and modulus[0] >> 7 and modulus[-1] & 1 for modulus in moduli)
            and len(set(moduli)) == len(moduli),
            "the admitter's keys are different RSA moduli of 2,048 bits",
        )

    @property
    def parties(self) -> Mapping[str, Party]:
        """The parties by their names: ``shuffler 1``, ``shuffler 2``, …, ``curator``, ``analyst``, ``admitter``."""
        parties = {f"shuffler {place}": party for place, party in enumerate(self.shufflers, 1)}
        others = {"curator": self.curator, "analyst": self.analyst, "admitter": self.admitter}
        return parties | {name: party for name, party in others.items() if party is not None}

    @cached_property
    def encoded(self) -> bytes:
        """Its one encoding."""
        fields = {field.name: _plain(getattr(self, field.name)) for field in fields_of(self)}
        return encoded({"version": VERSION, **fields})

    @cached_property
    def digest(self) -> bytes:
        """The SHA-256 of its encoding."""
        return sha256(self.encoded).digest()

    @property
    def most_rounds(self) -> int:
        """How many rounds there are at most: the curator's, and the analyst's."""
        return self.rounds + 1

    def end_of(self, number: int) -> float:
        """Return when a round takes no more, in seconds since 1970: each has as much of the task's time."""
        return self.opens + (self.closes - self.opens) * number / self.most_rounds

    @staticmethod
    def decoded(data: bytes) -> "Task":
        """Return the task that these bytes are.

        Raises
        ------
        MalformedError
            If they are none, or of another version.
        """
        raw: Any = decoded(data, "a task", at_most=LONGEST_TASK)
        if not isinstance(raw, dict) or cast("dict[str, Any]", raw).pop("version", None) != VERSION:
            raise MalformedError(f"this is no task of version {VERSION}; get a newer client, or ask for another task")
        fields = cast("dict[str, Any]", raw)
        try:
            fields["analyst"] = Party(**fields["analyst"])
            for name in ("curator", "admitter"):
                fields[name] = None if fields[name] is None else Party(**fields[name])
            fields["admission"] = tuple(tuple(keys) for keys in fields["admission"])
            fields["extensions"] = tuple(fields["extensions"])
            fields["noise"] = None if fields["noise"] is None else Noise(**fields["noise"])
            fields["shufflers"] = tuple(Party(**shuffler) for shuffler in fields["shufflers"])
            fields["features"] = tuple(
                Feature(
                    feature["name"], tuple(feature["values"]), feature["randomizer"],
                    tuple(map(_rule_of, feature["rules"])), feature["decoys"],
                )
                for feature in fields["features"]
            )  # fmt: skip
            task = Task(**fields)
        except MalformedError:
            raise
        except (TypeError, KeyError, AttributeError, ValueError):
            task = None
        if task is None or task.encoded != data:
            raise MalformedError("a task has other fields than this version knows")
        return task


def counts_of_one(features: int) -> int:
    """Return how many counts of two rounds change by one, at most, if a person answers otherwise: two for a message."""
    return 2 * (features + 1)


def redacted_codes(features: Sequence[Feature], codes: Sequence[int]) -> tuple[int, ...]:
    """Return the places of the features that somebody with these answers redacts by need."""
    if not any(feature.rules for feature in features):
        return ()
    answers = {feature.name: feature.given[code] for feature, code in zip(features, codes, strict=True)}
    return tuple(
        place
        for place, feature in enumerate(features)
        if any(rule.asks_for(feature.name, answers) for rule in feature.rules)
    )


def _rule_of(fields: Any) -> AnswerRule:
    values = fields["values"]
    return AnswerRule(
        None if values is None else tuple(values), tuple((name, tuple(answers)) for name, answers in fields["when"])
    )


def _plain(value: Any) -> Any:
    if isinstance(value, (Party, Feature, Noise, AnswerRule)):
        return {field.name: _plain(getattr(value, field.name)) for field in fields_of(value)}
    return [_plain(item) for item in cast("tuple[Any, ...]", value)] if isinstance(value, tuple) else value


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_bytes(value: Any, length: int) -> bool:
    return isinstance(value, bytes) and len(value) == length


def _is_share(text: Any) -> bool:
    return _is_decimal(text) and 0 <= Decimal(text) <= 1


def _is_decimal(text: Any) -> bool:
    try:
        return isinstance(text, str) and len(text) <= 40 and Decimal(text).is_finite()
    except InvalidOperation:
        return False


def _check_count(value: Any, name: str, least: int, most: int) -> None:
    whole = isinstance(value, int) and not isinstance(value, bool)
    _check(
        whole and least <= value < most,
        f"{name} must be a whole number from {least:,} on and below {most:,}, got {value!r:.60}",
    )


def _check(holds: bool, why: str) -> None:
    if not holds:
        raise MalformedError(why)
