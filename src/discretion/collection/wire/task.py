"""A task: its questions, its parties and its guarantees; its digest is in the info of every sealed layer."""

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
#: The most dummies of a shuffler in one round, on average; sealing them takes minutes.
MOST_DUMMIES = 1 << 20
#: The bytes of the modulus of an admitter's key: RSA of 2,048 bits, whose public exponent is always 65,537.
MODULUS_BYTES = 256
#: The label of a redacted answer.
REDACTED = "redacted"
#: The label of all answers that are less frequent than those asked for one by one.
LESS_FREQUENT = "less frequent"

#: Answers as a task spells them; None is a missing answer.
Answers = tuple[str | None, ...]


@dataclass(frozen=True)
class AnswerRule:
    """A rule by which participants redact their answer to a feature before anything is sent.

    Parameters
    ----------
    values
        The answers that are redacted, which may include ``other`` and None; None instead of a list means every answer.
    when
        Conditions: the names of other features, in order, each with answers. The rule applies only to people with one
        of these answers to each of these features, before anything is redacted.
    """

    values: Answers | None
    when: tuple[tuple[str, Answers], ...] = ()

    def __post_init__(self) -> None:
        for answers in (*(() if self.values is None else (self.values,)), *(each for _, each in self.when)):
            _check(
                len(answers) > 0
                and len(set(answers)) == len(answers)
                and all(answer is None or _is_text(answer) for answer in answers),
                "a rule must name at least one answer, and no answer twice",
            )
        names = [name for name, _ in self.when]
        _check(names == sorted(set(names)), "the conditions of a rule must be on different features, in order")
        _check(self.values is not None or len(names) > 0, "a rule needs answers or a condition")

    def asks_for(self, name: str, answers: Mapping[str, str | None]) -> bool:
        """Return whether a person with these answers, as the task lists them, redacts the answer to a feature."""
        return (self.values is None or answers[name] in self.values) and all(
            answers[other] in values for other, values in self.when
        )


@dataclass(frozen=True)
class Feature:
    """A question: its name, its answers in order, and the randomizer that is applied to each answer before sending.

    Every answer has a code, which is its place in ``values``. The codes for "other", an answer that is not listed, and
    "missing", no answer, come after these.

    Parameters
    ----------
    name
        The name of the question.
    values
        The answers, at least one.
    randomizer
        A mechanism in words without its k, as ``krr:epsilon=2``; None sends answers as they are.
    rules
        The rules by which people redact the answer, once for all rounds; empty if nobody redacts.
    decoys
        The probability with which everybody else redacts the answer too, a decimal in text.
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
            f"the answers of {self.name[:200]!r} must be different texts, at least one",
        )  # fmt: skip
        _check(self.randomizer is None or _is_text(self.randomizer), "a randomizer must be a text, as 'krr:epsilon=2'")
        _check(
            _is_share(self.decoys) and (len(self.rules) > 0 or self.decoys == "0"),
            f"decoys of {self.name[:200]!r} must be a probability in text, as '0.01', and '0' without a rule",
        )
        _check(
            not self.rules or self.randomizer is None,
            f"answers to {self.name[:200]!r} must be randomized or redacted, not both",
        )
        _check(len(set(self.rules)) == len(self.rules), f"{self.name[:200]!r} has a rule twice")

    @property
    def codes(self) -> int:
        """The number of codes: of the answers, other, missing, and redacted if there is a rule."""
        return len(self.labels)

    @cached_property
    def labels(self) -> tuple[str | None, ...]:
        """The answer for each code; None is a missing answer."""
        return (*self.given, REDACTED) if self.rules else self.given

    @property
    def given(self) -> tuple[str | None, ...]:
        """The answers that people give, by their codes, before redaction; None is a missing answer."""
        return (*self.values, "other", None)

    @cached_property
    def _code_of(self) -> Mapping[str, int]:
        return {value: code for code, value in enumerate(self.values)}

    def code_of(self, answer: str | None) -> int:
        """Return the code of an answer; an answer that is not listed has the code of "other"."""
        return len(self.values) + 1 if answer is None else self._code_of.get(answer, len(self.values))


@dataclass(frozen=True)
class Party:
    """A party of a task: the address of its service, and the public key that seals messages to it."""

    url: str
    key: bytes

    def __post_init__(self) -> None:
        _ = self.address
        _check(_is_bytes(self.key, KEY_BYTES), "a party's key has 32 bytes")

    @property
    def address(self) -> WebAddress:
        """The address of its service, read in the one way that all parties use."""
        address = web_address(self.url)
        if address is None:
            raise MalformedError("a party needs a web address, as https://first.example:8443")
        return address

    @property
    def host(self) -> str:
        """The machine of the party: its host; for a host that means this machine itself, with the port."""
        address = self.address
        host = address.host.rstrip(".")
        return f"{host}:{address.port}" if host in ("localhost", "::1") or host.startswith("127.") else host


@dataclass(frozen=True)
class Task:
    """A task: its questions, its parties, its rounds and its guarantees.

    Parameters
    ----------
    id
        16 bytes, different for each task.
    purpose
        The purpose of the task, in words for its participants.
    features
        The questions.
    k, budget
        At most this share of the people, a decimal in text, may be in groups of fewer than k people with the same
        answers: in the answers that the analyst gets, and in those to each question of the curator about several
        features.
    smallest_batch
        The least number of people in a batch; a batch of fewer people is not opened.
    opens, closes
        The time in which answers are taken, in seconds since 1970.
    shufflers
        The parties that separate messages from their senders, in order; one honest shuffler hides who sent which
        message.
    analyst
        The party that receives the joint answers to the chosen questions.
    curator
        The party that counts single answers and chooses; None if the participants do that themselves.
    signer
        The Ed25519 key with which the curator signs its choices; None if there is no curator.
    rounds
        The most rounds of the curator before the analyst's round: for single answers, then for pairs that these
        certify, then for triples, and so on.
    by_value
        Whether the curator asks about answers rather than features after the first round. Less frequent answers to a
        feature then count as one, and the exposure by all questions about several features is within the budget
        together.
    other_people
        The confidence of the certified bound, a probability in text, if other people answer the joint questions than
        the single ones; each token belongs to one of the two rounds. None if the same people answer all rounds.
    redaction
        The largest probability that a redacted answer is a rare one, a decimal in text: answers of fewer than k people
        may then be redacted, and others with them. None if nothing is redacted.
    invited
        The most people that are let in; no batch with more messages is counted. None is no limit.
    admitter
        The party that signs the blinded tokens of eligible people; None if the first shuffler alone decides who is let
        in.
    admission
        The RSA moduli that check tokens: for each round of the curator one for each message, and one for the analyst's
        round; empty without an admitter.
    noise
        The law of the dummies that each shuffler adds to every count, so that no count reveals a person's answer for
        certain; None for no noise.
    extensions
        The names of extensions of later versions; this version knows none, and refuses a task that has any.

    Raises
    ------
    MalformedError
        If a field has a value that is not allowed.
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
        _check(_is_bytes(self.id, 16), "a task's id must have 16 bytes")
        _check(_is_text(self.purpose), "a task's purpose must be a text")
        _check(0 < len(self.features) <= _MOST_FEATURES, f"a task must have 1 to {_MOST_FEATURES:,} features")
        names = [feature.name for feature in self.features]
        _check(len(set(names)) == len(names), "features must have different names")
        for name, least, most in (("k", 1, 1 << 40), ("smallest_batch", 1, 1 << 40), ("opens", 0, _LATEST)):
            _check_count(getattr(self, name), name, least, most)
        _check_count(self.rounds, "rounds", 1, MOST_ROUNDS + 1)
        _check_count(self.closes, "closes", self.opens + 1, _LATEST)
        _check(
            _is_share(self.budget),
            f"the budget must be a share of the people in text, as '0.01', got {self.budget!r:.60}",
        )
        _check(0 < len(self.shufflers) <= _MOST_SHUFFLERS, f"a task must have 1 to {_MOST_SHUFFLERS} shufflers")
        _check(
            (self.curator is None) == (self.signer is None), "a curator needs a signer, and a signer needs a curator"
        )
        _check(
            self.signer is None or _is_bytes(self.signer, KEY_BYTES),
            "the curator's signing key must have 32 bytes",
        )
        _check(
            self.redaction is None or (_is_share(self.redaction) and Decimal(self.redaction) > 0),
            f"redaction must be a probability above 0 in text, as '0.5', or null, got {self.redaction!r:.60}",
        )
        _check(
            self.redaction is None or self.curator is not None,
            "redaction needs a curator: decoys are computed in floating point, which may differ between participants",
        )
        _check(type(self.by_value) is bool, f"by_value must be true or false, got {self.by_value!r:.60}")
        for how, excludes in {
            "redaction: less frequent answers already count as one": self.redaction is not None,
            "noise: with dummies the least counts do not bound the exposure": self.noise is not None,
            "randomized answers": any(feature.randomizer is not None for feature in self.features),
        }.items():
            _check(not (self.by_value and excludes), f"questions by value exclude {how}")
        _check(
            self.other_people is None or (_is_share(self.other_people) and 0 < Decimal(self.other_people) < 1),
            f"other_people must be a confidence in text, above 0 and below 1, as '0.95', or null, got "
            f"{self.other_people!r:.60}",
        )
        for how, excludes in {
            "questions by value": self.by_value,
            "redaction by the curator's choice": self.redaction is not None,
            "noise": self.noise is not None,
            "more than one round of the curator": self.rounds > 1,
            "a task without a curator, which alone counts the people of the first round": self.curator is None,
        }.items():
            _check(self.other_people is None or not excludes, f"other_people excludes {how}")
        _check(not self.extensions, f"this version does not know extension {self.extensions[:1]}; get a newer client")
        if self.invited is not None:
            _check_count(self.invited, "invited", self.smallest_batch, 1 << 40)
        keys = [party.key for party in self.parties.values()]
        _check(
            len(set(keys)) == len(keys),
            "two parties have the same key, so one holder would be both; each party must make its own key",
        )
        for name, party in self.parties.items():
            other = next(other for other, its in self.parties.items() if its.host == party.host)
            _check(
                other == name,
                f"{other} and {name} are both at {party.host}, so the operator of that machine would be both; each "
                "party must have its own host",
            )
        self._check_rules()
        self._check_admission()
        self._check_noise()

    def _check_rules(self) -> None:
        features = {feature.name: feature for feature in self.features}
        for feature in self.features:
            for rule in feature.rules:
                for name, answers in ((feature.name, rule.values or ()), *rule.when):
                    _check(
                        name in features,
                        f"a rule for {feature.name!r} has a condition on {name!r}, which is no feature",
                    )
                    unknown = set(answers) - set(features[name].given)
                    _check(not unknown, f"a rule for {feature.name!r} names an answer that {name!r} does not have")
                for name, _ in rule.when:
                    _check(name != feature.name, f"a rule for {name!r} has a condition on {name!r} itself")
                    _check(
                        features[name].randomizer is None,
                        f"a rule for {feature.name!r} would reveal the answer to {name!r}, which is randomized",
                    )

    def _check_noise(self) -> None:
        if self.noise is None:
            return
        excluded = {
            "a task without a curator, which receives the counts": self.curator is None,
            "more than one round of the curator": self.rounds > 1,
            "redaction": self.redaction is not None,
            "an admitter, which signs a token for each message": self.admitter is not None,
            "randomized answers": any(each.randomizer is not None for each in self.features),
        }
        for how, excludes in excluded.items():
            _check(not excludes, f"noise excludes {how}")
        dummies = self.noise.mean * prod(feature.codes for feature in self.features)
        _check(
            dummies <= MOST_DUMMIES,
            f"noise in all combinations of these answers needs {dummies:,} dummies of each shuffler, and at most "
            f"{MOST_DUMMIES:,} are allowed; ask fewer questions, with fewer answers, or allow a larger ε",
        )

    @property
    def confidence(self) -> float | None:
        """The confidence of the bound for other people than the counted ones; None if it is for the counted people."""
        return None if self.other_people is None else float(self.other_people)

    @property
    def counts_of_one(self) -> int:
        """The number of counts that change if a person gives other answers."""
        return counts_of_one(len(self.features))

    def _check_admission(self) -> None:
        _check(
            (self.admitter is None) == (not self.admission),
            "an admitter needs keys for tokens, and keys for tokens need an admitter",
        )
        if self.admitter is None:
            return
        moduli = [modulus for keys in self.admission for modulus in keys]
        _check(
            len(self.admission) == self.most_rounds
            and len(self.admission[0]) == len(self.features)
            and len(self.admission[-1]) == 1
            and all(0 < len(keys) <= _MOST_FEATURES for keys in self.admission),
            f"the admitter needs {self.most_rounds} lists of keys: a key for each of the {len(self.features)} "
            "questions, one or more for each round of groups, and one for the analyst's round",
        )
        _check(
            all(_is_bytes(modulus, MODULUS_BYTES) and modulus[0] >> 7 and modulus[-1] & 1 for modulus in moduli)
            and len(set(moduli)) == len(moduli),
            "the admitter's keys must be different RSA moduli of 2,048 bits",
        )

    @property
    def parties(self) -> Mapping[str, Party]:
        """The parties by their names: ``shuffler 1``, ``shuffler 2``, …, ``curator``, ``analyst``, ``admitter``."""
        parties = {f"shuffler {place}": party for place, party in enumerate(self.shufflers, 1)}
        others = {"curator": self.curator, "analyst": self.analyst, "admitter": self.admitter}
        return parties | {name: party for name, party in others.items() if party is not None}

    @cached_property
    def encoded(self) -> bytes:
        """The deterministic encoding of the task."""
        fields = {field.name: _plain(getattr(self, field.name)) for field in fields_of(self)}
        return encoded({"version": VERSION, **fields})

    @cached_property
    def digest(self) -> bytes:
        """The SHA-256 of the encoding."""
        return sha256(self.encoded).digest()

    @property
    def most_rounds(self) -> int:
        """The most rounds of the task: those of the curator, and the analyst's."""
        return self.rounds + 1

    def end_of(self, number: int) -> float:
        """Return the end of a round, in seconds since 1970: all rounds have equal parts of the task's time."""
        return self.opens + (self.closes - self.opens) * number / self.most_rounds

    @staticmethod
    def decoded(data: bytes) -> "Task":
        """Return the task that these bytes encode.

        Raises
        ------
        MalformedError
            If the bytes do not encode a task, or encode one of another version.
        """
        raw: Any = decoded(data, "a task", at_most=LONGEST_TASK)
        if not isinstance(raw, dict) or cast("dict[str, Any]", raw).pop("version", None) != VERSION:
            raise MalformedError(
                f"this is not a task of version {VERSION}; get a newer client, or ask for another task"
            )
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
            raise MalformedError("the task does not have exactly the fields that this version knows")
        return task


def counts_of_one(features: int) -> int:
    """Return how many counts of two rounds change by one, at most, if a person gives other answers: two a message."""
    return 2 * (features + 1)


def redacted_codes(features: Sequence[Feature], codes: Sequence[int]) -> tuple[int, ...]:
    """Return the places of the features that a person with these answers redacts by a rule."""
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
