"""The participant's part: accept or refuse a task, seal the answers, and prepare the bytes to send in each round."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from secrets import SystemRandom, token_bytes

from discretion.collection.errors import ConflictError, MalformedError, RefusedTaskError
from discretion.collection.noise_promise import DELTA, noise_promise
from discretion.collection.wire.blind_tokens import blind, finalize
from discretion.collection.wire.invitations import admission_credential, upload_token
from discretion.collection.wire.records import decoded, encoded
from discretion.collection.wire.rounds import NONCE_BYTES, SALT_BYTES, Round
from discretion.collection.wire.sealing import sealed
from discretion.collection.wire.selection import Choice
from discretion.collection.wire.task import MODULUS_BYTES, Task, redacted_codes
from discretion.collection.wire.uploads import TOKEN_BYTES, Upload, upload_bytes
from discretion.presenting.numbers import rounded_up

_LONGEST_STATE = 64 << 20


@dataclass(frozen=True)
class Terms:
    """The requirements of a participant on a task.

    Parameters
    ----------
    smallest_batch
        The least ``smallest_batch`` of the task: answers are opened only in batches of at least this many people.
    largest_budget
        The largest share of the people that may stand out.
    fewest_shufflers
        The least number of shufflers; all of them must work together to learn who sent which message.
    smallest_k
        The least ``k`` of the task: a person stands out in a group of fewer than ``k`` people with the same answers.
    admitter
        Whether an admitter, rather than the first shuffler, must decide who is let in.
    largest_epsilon
        The noise of each honest shuffler must hide all answers of a person by this ε, with a δ of 1e-6; None requires
        no noise.
    digest
        The digest of the announced task; None accepts any task.
    """

    smallest_batch: int = 2
    largest_budget: float = 1.0
    fewest_shufflers: int = 1
    smallest_k: int = 1
    admitter: bool = False
    largest_epsilon: float | None = None
    digest: bytes | None = None

    def check(self, task: Task, now: float) -> None:
        """Raise a `RefusedTaskError` that names the first requirement that a task does not meet, if any."""
        if self.digest is not None and task.digest != self.digest:
            raise RefusedTaskError("this is not the announced task: its digest is different")
        if now >= task.closes:
            raise RefusedTaskError("the task is over")
        if task.smallest_batch < self.smallest_batch:
            raise RefusedTaskError(
                f"the task opens batches of {task.smallest_batch:,} people, and you require at least "
                f"{self.smallest_batch:,}"
            )
        if Decimal(task.budget) > Decimal(repr(self.largest_budget)):
            raise RefusedTaskError(
                f"the task lets a share of {task.budget} of the people stand out, and you require at most "
                f"{self.largest_budget:g}"
            )
        if len(task.shufflers) < self.fewest_shufflers:
            raise RefusedTaskError(
                f"the task has {len(task.shufflers)} shufflers, and you require at least {self.fewest_shufflers}"
            )
        if task.k < self.smallest_k:
            raise RefusedTaskError(f"the task has k = {task.k:,}, and you require at least {self.smallest_k:,}")
        if self.admitter and task.admitter is None:
            raise RefusedTaskError(
                "the task has no admitter: its first shuffler decides who is let in, and can invent people; you "
                "require an admitter"
            )
        if self.largest_epsilon is not None:
            promise = noise_promise(task)
            if promise is None:
                raise RefusedTaskError("the task has no noise: its counts are exact; you require noise")
            if promise.delta > DELTA or promise.epsilon > self.largest_epsilon:
                raise RefusedTaskError(
                    f"the task's noise hides a person's answers by ε = {rounded_up(promise.epsilon, 4)} with δ = "
                    f"{promise.delta:g}, and you require at most {self.largest_epsilon:g} with {DELTA:g}"
                )


class Client:
    """A participant in a task.

    The answers are randomized and sealed once. All rounds send the same answers, and if the confirmation of an upload
    was lost, the same bytes are sent again. Keep `state` in a safe place between the rounds: it contains the answers.

    Parameters
    ----------
    task
        The task, or its bytes.
    token
        The participant's one-time token of 32 bytes; in a task with an admitter the secret of the invitation.
    answers
        The answer to each feature, by its name; an answer that is absent or None counts as missing.
    terms
        The requirements of the participant on the task.
    now
        A function that returns the time in seconds since 1970; by default the machine's clock.

    Raises
    ------
    RefusedTaskError
        If the task does not meet the terms.
    MalformedError
        If the task or the token is malformed.

    Notes
    -----
    Source: Anonymity, section 5 and Figure 1, with the two encryptions in the order that works: the receiver's first.
    """

    def __init__(
        self,
        task: Task | bytes,
        token: bytes,
        answers: Mapping[str, str | None],
        *,
        terms: Terms | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.task = Task.decoded(task) if isinstance(task, bytes) else task
        self._terms, self._now = terms or Terms(), now
        self._terms.check(self.task, now())
        if not isinstance(token, bytes):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise MalformedError(f"a token has {TOKEN_BYTES} bytes, and this is a {type(token).__name__}")
        if len(token) != TOKEN_BYTES:
            raise MalformedError(f"a token has {TOKEN_BYTES} bytes, got {len(token)}")
        self._token = token
        self._codes = tuple(_codes_of(self.task, answers))
        self._sent: list[_SentRound] = []
        self._admissions: dict[int, _Admission] = {}

    def admission_request(self, choice: Choice | bytes | None = None) -> bytes:
        """Return the request to the admitter for a round: a credential, and a blinded nonce for each message.

        The nonces are drawn once; a repeated request is the same. Store `state` before you send the request.

        Parameters
        ----------
        choice
            The published choice of the round; None for the first round.

        Raises
        ------
        ConflictError
            If the task has no admitter, the round is not next, or tokens were requested for another choice.
        RefusedTaskError
            As for `upload`.
        """
        self._terms.check(self.task, self._now())
        round_ = self._round_of(choice)
        if self.task.admitter is None:
            raise ConflictError("the task has no admitter: send the upload without an admission request")
        admission = self._admissions.get(round_.number)
        if admission is None:
            self._answer_before(round_)
            if round_.number > self.answered:
                self._check_next(round_)
            nonces = tuple(token_bytes(NONCE_BYTES) for _ in round_.admission_keys)
            blinded, inverses = zip(*map(blind, round_.admission_keys, nonces), strict=True)
            admission = _Admission(round_.published, nonces, blinded, inverses)
            self._admissions[round_.number] = admission
        if admission.published != round_.published:
            raise ConflictError("a round has one choice, and tokens were already requested for another one")
        return admission_credential(self._token) + b"".join(admission.blinded)

    def is_admitted(self, choice: Choice | bytes | None = None) -> bool:
        """Return whether a round needs no further request to an admitter."""
        admission = self._admissions.get(self._round_of(choice).number)
        return self.task.admitter is None or (admission is not None and bool(admission.signatures))

    def admit(self, signatures: bytes, choice: Choice | bytes | None = None) -> None:
        """Take the admitter's answer: its signature of each blinded nonce.

        Raises
        ------
        RefusedTaskError
            If a signature is not by the key that the task has for its message.
        ConflictError
            If no tokens were requested for this round.
        """
        round_ = self._round_of(choice)
        admission = self._admissions.get(round_.number)
        if admission is None or admission.published != round_.published:
            raise ConflictError(f"no tokens were requested of the admitter for this choice of round {round_.number}")
        keys = round_.admission_keys
        if len(signatures) != MODULUS_BYTES * len(keys):
            raise MalformedError(
                f"the admitter answers {MODULUS_BYTES * len(keys):,} bytes for {len(keys):,} messages, got "
                f"{len(signatures):,}"
            )
        finished = tuple(
            finalize(key, nonce, signatures[at : at + MODULUS_BYTES], inverse)
            for key, nonce, inverse, at in zip(
                keys, admission.nonces, admission.inverses, range(0, len(signatures), MODULUS_BYTES), strict=True
            )
        )
        self._admissions[round_.number] = replace(admission, signatures=finished)

    def _round_of(self, choice: Choice | bytes | None) -> Round:
        if choice is not None:
            choice = Choice.decoded(choice if isinstance(choice, bytes) else choice.encoded, self.task)
        return Round(self.task, choice)

    def upload(self, choice: Choice | bytes | None = None) -> bytes:
        """Return the upload of a round: a sealed message for each group of features that the round asks for.

        Parameters
        ----------
        choice
            The published choice of the round; None for the first round.

        Raises
        ------
        RefusedTaskError
            If the choice is not signed by the curator, exceeds the task's budget, is computed from fewer people than
            the smallest batch, exceeds the rounds of the task, or follows choices that this client has not answered.
        ConflictError
            If this client has answered another choice of this round, if the round is not the next one, or if the task
            has an admitter that has not signed the tokens of this round.
        """
        self._terms.check(self.task, self._now())
        round_ = self._round_of(choice)
        self._answer_before(round_)
        return self._sent_in(round_).upload

    @property
    def asked_in(self) -> int | None:
        """The one round that this participant answers; None if they answer all rounds."""
        if self.task.other_people is None:
            return None
        return Upload(upload_token(self.task, self._token), b"").asked_in

    def _answer_before(self, round_: Round) -> None:
        """Answer the first round before a later one; raise an error if this participant does not answer this round."""
        asked_in = self.asked_in
        if asked_in is None and round_.choice is not None:
            self._sent_in(Round(self.task))
        if asked_in not in (None, round_.number):
            raise ConflictError(f"your token is for round {asked_in}; other people answer round {round_.number}")

    @property
    def answered(self) -> int:
        """The last answered round, or 0 if there is none: its upload is drawn, and may have been sent."""
        return self._sent[-1].round.number if self._sent else 0

    def round(self, number: int) -> Round:
        """Return an answered round by its number."""
        return self._sent_at(number).round

    def messages(self, number: int) -> list[bytes]:
        """Return the unsealed messages of an answered round, with random bytes that only this participant knows."""
        return list(self._sent_at(number).messages)

    def _sent_at(self, number: int) -> "_SentRound":
        for sent in self._sent:
            if sent.round.number == number:
                return sent
        raise ConflictError(f"round {number} was not answered; the number of answered rounds is {len(self._sent)}")

    def _sent_in(self, round_: Round) -> "_SentRound":
        if round_.number <= self.answered:
            sent = self._sent_at(round_.number)
            if sent.round.published != round_.published:
                raise ConflictError("a round has one choice, and another one was already answered")
            return sent
        self._check_next(round_)
        messages = [
            round_.packed(place, codes, random)
            for place, (codes, random) in enumerate(
                zip(self._codes_by_group(round_), self._random_parts(round_), strict=True)
            )
        ]
        token = upload_token(self.task, self._token)
        upload = Upload(token, b"".join(sealed(message, round_.layers) for message in messages)).encoded
        self._sent.append(_SentRound(round_, tuple(messages), upload))
        return self._sent[-1]

    def _random_parts(self, round_: Round) -> Sequence[bytes]:
        """Return the part that makes each message unique: random bytes, or the tokens that the admitter signed."""
        if self.task.admitter is None:
            return [token_bytes(SALT_BYTES) for _ in range(round_.messages)]
        admission = self._admissions.get(round_.number)
        if admission is None or admission.published != round_.published or not admission.signatures:
            raise ConflictError(
                f"the admitter has not signed the tokens of round {round_.number}: send it the admission_request, and "
                "pass its answer to admit"
            )
        return [nonce + signature for nonce, signature in zip(admission.nonces, admission.signatures, strict=True)]

    def _check_next(self, round_: Round) -> None:
        """Raise an error unless this is the round after the answered ones."""
        if round_.choice is None:
            return
        if self.asked_in is not None:
            if round_.choice.before != self.task.digest:
                raise RefusedTaskError("this choice follows a choice that the task does not have")
            return
        last = self._sent[-1].round
        if last.to_analyst:
            raise ConflictError("the analyst's round is the last one, and it is already answered")
        if round_.number != last.number + 1:
            raise ConflictError(f"round {last.number + 1} is next, and this choice is of round {round_.number}")
        if round_.choice.before != last.published:
            raise RefusedTaskError("this choice follows other choices than those that you received")

    def _codes_by_group(self, round_: Round) -> list[list[int]]:
        """Return the codes to send for each group: the same as before, or the code for a redacted answer."""
        codes = list(self._codes)
        for rule in () if round_.choice is None else round_.choice.rules:
            if codes[rule.place] in rule.codes or _tossed(rule.decoys):
                codes[rule.place] = self.task.features[rule.place].codes
        return [
            [sent[codes[feature]] for feature, sent in zip(group, round_.sent_codes(place), strict=True)]
            for place, group in enumerate(round_.groups)
        ]

    @property
    def state(self) -> bytes:
        """The bytes to store between the rounds; they contain the answers."""
        return encoded({
            "task": self.task.encoded, "token": self._token, "codes": list(self._codes),
            "sent": [
                {
                    "choice": None if sent.round.choice is None else sent.round.choice.encoded,
                    "messages": list(sent.messages), "upload": sent.upload,
                }
                for sent in self._sent
            ],
            "admissions": [
                {
                    "round": number, "published": admission.published, "nonces": list(admission.nonces),
                    "blinded": list(admission.blinded), "inverses": list(admission.inverses),
                    "signatures": list(admission.signatures),
                }
                for number, admission in sorted(self._admissions.items())
            ],
        })  # fmt: skip

    @classmethod
    def restored(cls, state: bytes, *, terms: Terms | None = None, now: Callable[[], float] = time.time) -> "Client":
        """Return the participant with this state."""
        fields = decoded(state, "the state of a client", at_most=_LONGEST_STATE)
        try:
            client = cls(fields["task"], fields["token"], {}, terms=terms, now=now)
            client._codes = tuple(fields["codes"])
            for sent in fields["sent"]:
                choice = None if sent["choice"] is None else Choice.decoded(sent["choice"], client.task)
                client._remember(_SentRound(Round(client.task, choice), tuple(sent["messages"]), sent["upload"]))
            for admission in fields["admissions"]:
                client._admissions[admission["round"]] = _Admission(
                    admission["published"],
                    *(tuple(admission[name]) for name in ("nonces", "blinded", "inverses", "signatures")),
                )
            whole = client.state == state and client._could_tell()
        except (TypeError, KeyError, AttributeError):
            whole, client = False, None
        if client is None or not whole:
            raise MalformedError("this is not the state of a client")
        return client

    def _remember(self, sent: "_SentRound") -> None:
        if self.asked_in is not None:
            is_due = not self._sent and sent.round.number == self.asked_in
        else:
            is_due = (sent.round.choice is None) == (not self._sent)
        if not is_due:
            raise MalformedError("only the first round has no choice")
        self._check_next(sent.round)
        self._sent.append(sent)

    def _could_tell(self) -> bool:
        return (
            len(self._codes) == len(self.task.features)
            and all(
                type(code) is int and 0 <= code < feature.codes
                for code, feature in zip(self._codes, self.task.features, strict=True)
            )
            and all(sent.is_whole for sent in self._sent)
            and all(admission.is_whole for admission in self._admissions.values())
        )


@dataclass(frozen=True)
class _Admission:
    """The request to the admitter for a round, and its signatures once they are received."""

    published: bytes
    nonces: tuple[bytes, ...]
    blinded: tuple[bytes, ...]
    inverses: tuple[bytes, ...]
    signatures: tuple[bytes, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether all parts have the right lengths."""
        widths = {NONCE_BYTES: self.nonces, MODULUS_BYTES: (*self.blinded, *self.inverses, *self.signatures)}
        return (
            len(self.nonces) == len(self.blinded) == len(self.inverses)
            and len(self.signatures) in (0, len(self.nonces))
            and all(type(item) is bytes and len(item) == width for width, items in widths.items() for item in items)
        )


@dataclass(frozen=True)
class _SentRound:
    """The messages of a round, unsealed and sealed."""

    round: Round
    messages: tuple[bytes, ...]
    upload: bytes

    @property
    def is_whole(self) -> bool:
        """Whether the messages and the upload have the lengths that all uploads of the round have."""
        return (
            len(self.messages) == self.round.messages
            and all(type(message) is bytes and len(message) == self.round.plain_form.size for message in self.messages)
            and type(self.upload) is bytes
            and len(self.upload) == upload_bytes(self.round)
        )


def _tossed(chance: float) -> bool:
    """Return whether a coin with this probability, tossed by the system's randomness, shows heads."""
    return SystemRandom().random() < chance


def _codes_of(task: Task, answers: Mapping[str, str | None]) -> list[int]:
    """Return the code to send for each answer, randomized or redacted where the task requires it."""
    names = {feature.name for feature in task.features}
    if unknown := [name for name in answers if name not in names]:
        raise MalformedError(f"the task does not ask for {unknown[0]!r}; it asks for {', '.join(sorted(names))}"[:300])
    codes = [feature.code_of(answers.get(feature.name)) for feature in task.features]
    redacted = redacted_codes(task.features, codes)
    for place, feature in enumerate(task.features):
        if feature.rules and (place in redacted or _tossed(float(feature.decoys))):
            codes[place] = feature.codes - 1
    if all(feature.randomizer is None for feature in task.features):
        return codes
    from discretion.collection.randomizers import randomizer_of  # noqa: PLC0415 - the measures, which a client can do without

    return [
        code if feature.randomizer is None else int(randomizer_of(feature).sample([code])[0])
        for feature, code in zip(task.features, codes, strict=True)
    ]
