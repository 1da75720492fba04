"""The choice of features to ask for together, signed by the curator, or computed equally by every participant."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from hashlib import sha256
from itertools import pairwise, starmap
from math import prod
from typing import Any, Literal, cast

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from discretion.collection.errors import MalformedError, RefusedTaskError
from discretion.collection.wire.noise import may_add
from discretion.collection.wire.records import decoded, encoded
from discretion.collection.wire.reports import ShufflerReport, decoded_reports, encoded_reports
from discretion.collection.wire.task import Task

#: The party that receives the answers. Without a curator, its answers are posted for all participants.
Receiver = Literal["curator", "analyst"]

#: The most groups that one choice asks for; each is one message of every participant.
MOST_GROUPS = 1 << 12
# A rule names at most all answers of a feature, and takes no more bytes for them than the task does.
LONGEST_CHOICE = 32 << 20
_NAME = b"discretion collect 3 choice"


@dataclass(frozen=True)
class Rule:
    """A rule to redact rare answers to a feature; participants with other answers redact with some probability.

    Parameters
    ----------
    place
        The feature's place.
    codes
        The codes of the rare answers, in order. They include answers that nobody gave, so that the list does not reveal
        that somebody gave one of them.
    decoys
        The probability with which any other answer is redacted.
    """

    place: int
    codes: tuple[int, ...]
    decoys: float


@dataclass(frozen=True)
class Term:
    """A term of a certificate: a summary of the counts of a feature, or of a group of features as one.

    Parameters
    ----------
    places
        The features' places, in order.
    rare
        An upper bound of the number of people whose answer is not kept, raised so that it shows no small count.
    kept
        The number of kept answers.
    """

    places: tuple[int, ...]
    rare: int
    kept: int


@dataclass(frozen=True)
class Choice:
    """The groups of features that a round after the first asks for.

    Parameters
    ----------
    task
        The digest of the task.
    before
        The digest of everything published before: of the task itself, or of the choice before this one.
    number
        The round that asks for the groups.
    receiver
        The receiver of the answers. The curator's round r has groups of r features, or by value of two or more. The
        analyst's round is the last one, and has a single group.
    groups
        The places of the features of each group, in order; the groups are in order, too.
    exposure
        The certified bound of the share of the people who stand out by any one group. It is at most the task's budget
        for each group, and by value for all groups together.
    people
        The number of people whose answers were counted.
    rules
        The rules to redact answers for the analyst, each for a different feature, in order.
    terms
        For each group the terms of its certificate, which anybody can add up; empty if everybody may stand out.
    reports
        For each round so far the reports of the shufflers.
    kept
        By value, the codes that are asked for one by one, for each feature of each group, in order; all other answers
        count as one. Empty if the task does not ask by value.
    signature
        The curator's signature of the rest; empty if there is no curator.
    """

    task: bytes
    before: bytes
    number: int
    receiver: Receiver
    groups: tuple[tuple[int, ...], ...]
    exposure: float
    people: int
    rules: tuple[Rule, ...] = ()
    terms: tuple[tuple[Term, ...], ...] = ()
    reports: tuple[tuple[ShufflerReport, ...], ...] = ()
    kept: tuple[tuple[tuple[int, ...], ...], ...] = ()
    signature: bytes = b""

    @property
    def chosen(self) -> tuple[int, ...]:
        """The places of all features in the groups, in order."""
        return tuple(sorted({place for group in self.groups for place in group}))

    @cached_property
    def _signed_fields(self) -> dict[str, object]:
        return {
            "task": self.task, "before": self.before, "number": self.number, "receiver": self.receiver,
            "groups": [list(group) for group in self.groups], "exposure": self.exposure.hex(), "people": self.people,
            "rules": [
                {"place": rule.place, "codes": list(rule.codes), "decoys": rule.decoys.hex()} for rule in self.rules
            ],
            "terms": [[[list(term.places), term.rare, term.kept] for term in terms] for terms in self.terms],
            "reports": list(map(encoded_reports, self.reports)),
            "kept": [[list(codes) for codes in each] for each in self.kept],
        }  # fmt: skip

    @cached_property
    def digest(self) -> bytes:
        """The SHA-256 of its encoding without the signature; it covers everything published up to the choice."""
        return sha256(encoded(self._signed_fields)).digest()

    @property
    def encoded(self) -> bytes:
        """The deterministic encoding of the choice."""
        return encoded({**self._signed_fields, "signature": self.signature})

    def signed(self, private: Ed25519PrivateKey) -> "Choice":
        """Return the same choice with the curator's signature."""
        return replace(self, signature=private.sign(_NAME + encoded(self._signed_fields)))

    @staticmethod
    def decoded(data: bytes, task: Task) -> "Choice":
        """Return the choice of a task that these bytes encode.

        Raises
        ------
        MalformedError
            If the bytes do not encode a choice of the task.
        RefusedTaskError
            If the choice is of another task, exceeds the budget, is computed from fewer people than the smallest batch,
            or exceeds another limit of the task; or if the curator of the task did not sign it.
        """
        fields: Any = decoded(data, "a choice", at_most=LONGEST_CHOICE)
        try:
            choice = Choice(
                fields["task"], fields["before"], fields["number"], fields["receiver"],
                tuple(map(tuple, fields["groups"])), float.fromhex(fields["exposure"]), fields["people"],
                tuple(
                    Rule(rule["place"], tuple(rule["codes"]), float.fromhex(rule["decoys"])) for rule in fields["rules"]
                ),
                tuple(
                    tuple(Term(tuple(places), rare, kept) for places, rare, kept in terms) for terms in fields["terms"]
                ),
                tuple(decoded_reports(reports, len(task.shufflers)) for reports in fields["reports"]),
                tuple(tuple(map(tuple, each)) for each in fields["kept"]),
                fields["signature"],
            )  # fmt: skip
            whole = choice.encoded == data and choice._asks_of(task)
        except (TypeError, KeyError, AttributeError, ValueError, OverflowError):
            whole, choice = False, None
        if choice is None or not whole:
            raise MalformedError(
                "a choice must name features of its task, at least one, each once and in order: r of them in each "
                "group of the curator's round r, or several by value with the answers to ask for; and for the analyst "
                "one group, with rules for features of it that are neither randomized nor already redacted"
            )
        choice._check_allowed(task)
        return choice

    def _asks_of(self, task: Task) -> bool:
        to_curator = self.receiver == "curator"
        sizes = {len(group) for group in self.groups}
        return (
            all(type(number) is int for number in (self.number, self.people))
            and self.number > 1
            and (to_curator or self.receiver == "analyst")
            and (self._is_round_of(sizes, task) if to_curator else len(self.groups) == 1 and sizes > set())
            and len(self.groups) <= MOST_GROUPS
            and _rises(self.groups)
            and all(_rises(group) and _are_places(group, len(task.features)) for group in self.groups)
            and not (to_curator and self.rules)
            and _rises([rule.place for rule in self.rules])
            and all(self._is_rule_of(rule, task) for rule in self.rules)
            and self._is_by_value_of(task)
            and len(self.terms) == len(self.groups)
            and all(starmap(self._are_terms_of, zip(self.terms, self.groups, strict=True)))
            and len(self.reports) == self.number - 1
        )

    def _is_round_of(self, sizes: set[int], task: Task) -> bool:
        return min(sizes, default=0) > 1 if task.by_value else sizes == {self.number}

    def _is_by_value_of(self, task: Task) -> bool:
        if not task.by_value:
            return self.kept == ()
        return len(self.kept) == len(self.groups) and all(
            len(kept) == len(group)
            and all(
                _rises(codes) and _are_places(codes, task.features[place].codes)
                for place, codes in zip(group, kept, strict=True)
            )
            for group, kept in zip(self.groups, self.kept, strict=True)
        )

    def _are_terms_of(self, terms: tuple[Term, ...], group: tuple[int, ...]) -> bool:
        return (
            len(terms) <= len(group)
            and {place for term in terms for place in term.places} in (set(), set(group))
            and all(type(number) is int and number >= 0 for term in terms for number in (term.rare, term.kept))
            and all(_rises(term.places) and _are_places(term.places, 1 << 31) for term in terms)
        )

    def _is_rule_of(self, rule: Rule, task: Task) -> bool:
        if type(rule.place) is not int or rule.place not in self.chosen:
            return False
        feature = task.features[rule.place]
        return (
            feature.randomizer is None
            and not feature.rules
            and _rises(rule.codes)
            and _are_places(rule.codes, feature.codes)
            and 0 <= rule.decoys <= 1
        )

    def _check_allowed(self, task: Task) -> None:
        if self.task != task.digest:
            raise RefusedTaskError("this choice is of another task")
        if self.number > (last := task.rounds + (self.receiver == "analyst")):
            raise RefusedTaskError(
                f"the task has at most {task.rounds} rounds of the curator and one of the analyst: the last choice "
                f"of the {self.receiver} is for round {last}, and this one is for round {self.number}"
            )
        if self.people < task.smallest_batch:
            raise RefusedTaskError("the choice was computed from the answers of fewer people than the smallest batch")
        if task.other_people is not None:
            self._check_of_others(task)
            return
        by_group = [people_bounded(terms, task.k, self.people) for terms in self.terms]
        bounded = max(by_group)
        if self.exposure != bounded / self.people:
            raise RefusedTaskError(
                f"the choice claims that at most a share of {self.exposure:g} of the people stands out; the terms of "
                f"its certificate add up to {bounded / self.people:g}"
            )
        if bounded > Decimal(task.budget) * self.people:
            raise RefusedTaskError("the choice lets more people stand out than the task's budget")
        if task.by_value and sum(by_group) > Decimal(task.budget) * self.people:
            raise RefusedTaskError("the questions of the choice together let more people stand out than the budget")
        self._check_rest(task)

    def _check_of_others(self, task: Task) -> None:
        """Raise an error unless the bound for other people, which the curator alone can compute, is in the budget."""
        if not (0 <= self.exposure <= 1 and Decimal(self.exposure) <= Decimal(task.budget)) or any(self.terms):
            raise RefusedTaskError("the choice lets more people stand out than the task's budget")
        self._check_rest(task)

    def _check_rest(self, task: Task) -> None:
        self._check_reports(task)
        if task.invited is not None and self.people > task.invited:
            raise RefusedTaskError(
                f"the choice was computed from the answers of {self.people:,} people, and the task invites at most "
                f"{task.invited:,}"
            )
        if task.admitter is not None and self.receiver == "curator":
            keys = len(task.admission[self.number - 1])
            if len(self.groups) > keys:
                raise RefusedTaskError(
                    f"the admitter has keys for {keys:,} groups in round {self.number}; the choice has "
                    f"{len(self.groups):,}"
                )
        if self.rules and task.redaction is None:
            raise RefusedTaskError("the task allows no redaction, and this choice has rules to redact answers")
        if task.signer is not None:
            try:
                Ed25519PublicKey.from_public_bytes(task.signer).verify(
                    self.signature, _NAME + encoded(self._signed_fields)
                )
            except (InvalidSignature, TypeError, ValueError):
                raise RefusedTaskError("the task's curator has not signed this choice") from None

    def _check_reports(self, task: Task) -> None:
        """Raise an error unless the shufflers' reports fit the number of people of the choice."""
        cells = [[feature.codes] for feature in task.features]  # noise is in one round of the curator's alone
        for number, reports in enumerate(self.reports, 1):
            first = reports[0].received
            consistent = all(after.received == before.messages for before, after in pairwise(reports))
            if not consistent:
                raise RefusedTaskError(f"the shufflers' reports of round {number} contradict one another")
            if not all(may_add(task.noise, report.added, cells) for report in reports):
                raise RefusedTaskError(f"the shufflers report noise in round {number} that the task does not allow")
            if number == 1 and not self.people * len(task.features) <= first:
                raise RefusedTaskError(
                    f"the choice is for {self.people:,} people who send {len(task.features)} messages each, and the "
                    f"first shuffler reports {first:,} messages"
                )
            if task.invited is not None and number == 1 and first > task.invited * len(task.features):
                raise RefusedTaskError(f"in round {number} more messages arrived than all invited people send")


def people_bounded(terms: Sequence[Term], k: int, people: int) -> int:
    """Return an upper bound of the number of people who stand out: ``min(n, Σ rare + (k - 1)·Π kept)``.

    A person stands out in a group of fewer than k people with the same answers. By the counting bound of Discretion,
    such a person has an answer that some term does not keep, or is in one of ``Π kept`` cells, each with fewer than k
    people who stand out. A single term keeps only answers that at least k people gave, so the sum is ``Σ rare``.
    """
    if not terms:
        return people
    rare = sum(term.rare for term in terms)
    return min(people, rare if len(terms) == 1 else rare + (k - 1) * prod(term.kept for term in terms))


def _rises(values: Any) -> bool:
    return all(one < after for one, after in pairwise(cast("list[Any]", values)))


def _are_places(places: tuple[int, ...], count: int) -> bool:
    return len(places) > 0 and all(type(place) is int and 0 <= place < count for place in places)
