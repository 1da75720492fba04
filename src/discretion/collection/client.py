"""One person's side: accept a task or refuse it, seal the answers, and have each round's bytes ready to be sent."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from secrets import SystemRandom, token_bytes

from discretion.collection.errors import ConflictError, MalformedError, RefusedTaskError
from discretion.collection.wire.records import decoded, encoded
from discretion.collection.wire.rounds import SALT_BYTES, Round
from discretion.collection.wire.sealing import sealed
from discretion.collection.wire.selection import Choice
from discretion.collection.wire.task import Task
from discretion.collection.wire.uploads import TOKEN_BYTES, Upload, upload_bytes

_LONGEST_STATE = 64 << 20


@dataclass(frozen=True)
class Terms:
    """What a participant requires of a task.

    Parameters
    ----------
    smallest_batch
        Answers are opened only in batches of at least so many people.
    largest_budget
        At most such a share of the people may stand out.
    fewest_shufflers
        So many shufflers have to work together to learn who sent what.
    smallest_k
        People are counted as standing out who have fewer than so many alike.
    admitter
        Whether somebody else than the first shuffler must decide who is let in.
    digest
        The digest of the announced task; None accepts any task.
    """

    smallest_batch: int = 2
    largest_budget: float = 1.0
    fewest_shufflers: int = 1
    smallest_k: int = 1
    admitter: bool = False
    digest: bytes | None = None

    def check(self, task: Task, now: float) -> None:
        """Raise a `RefusedTaskError` that names the term that a task does not meet, if any."""
        if self.digest is not None and task.digest != self.digest:
            raise RefusedTaskError("this is not the task that was announced: its digest is another")
        if now >= task.closes:
            raise RefusedTaskError("the task is over")
        if task.smallest_batch < self.smallest_batch:
            raise RefusedTaskError(
                f"the task opens batches of {task.smallest_batch:,} people, and you asked for {self.smallest_batch:,}"
            )
        if Decimal(task.budget) > Decimal(repr(self.largest_budget)):
            raise RefusedTaskError(
                f"the task lets a share of {task.budget} of the people stand out, and you asked for at most "
                f"{self.largest_budget:g}"
            )
        if len(task.shufflers) < self.fewest_shufflers:
            raise RefusedTaskError(
                f"the task has {len(task.shufflers)} shufflers, and you asked for {self.fewest_shufflers}"
            )
        if task.k < self.smallest_k:
            raise RefusedTaskError(f"the task has k = {task.k:,}, and you asked for {self.smallest_k:,} at least")
        if self.admitter and task.admitter is None:
            raise RefusedTaskError(
                "the task has no admitter: its first shuffler decides who is let in, and can invent people; you asked "
                "for an admitter"
            )


class Client:
    """A participant in a task.

    The answers are drawn and sealed once: all rounds send the same, and the same bytes are sent again if an
    acknowledgement was lost. Keep `state` in a safe place between the rounds; it has the answers.

    Parameters
    ----------
    task
        The task, or its bytes.
    token
        The participant's one-time token, of 32 bytes.
    answers
        The answer to each feature by its name; one that is not there, or None, is missing.
    terms
        What the participant requires of the task.
    now
        The time in seconds since 1970; the machine's by default.

    Raises
    ------
    RefusedTaskError
        If the task does not meet the terms.
    MalformedError
        If the task or the token is not what it is to be.

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

    def upload(self, choice: Choice | bytes | None = None) -> bytes:
        """Return the upload of a round: a sealed message for each group of features that is asked for.

        Parameters
        ----------
        choice
            What was published for the round; None is the first one.

        Raises
        ------
        RefusedTaskError
            If the choice is not the curator's, over the task's budget, of fewer people than a batch has, beyond the
            rounds that the task allows, or comes after other choices than those that this client has answered.
        ConflictError
            If another choice of this round was answered already, or the round is not next.
        """
        self._terms.check(self.task, self._now())
        if choice is not None:
            choice = Choice.decoded(choice if isinstance(choice, bytes) else choice.encoded, self.task)
            self.upload()
        return self._sent_in(Round(self.task, choice)).upload

    def round(self, number: int) -> Round:
        """Return a round that was answered."""
        return self._sent_at(number).round

    def messages(self, number: int) -> list[bytes]:
        """Return what is inside the seals of a round that was answered; nobody else can know all of it."""
        return list(self._sent_at(number).messages)

    def _sent_at(self, number: int) -> "_SentRound":
        if not 1 <= number <= len(self._sent):
            raise ConflictError(f"{len(self._sent)} rounds were answered so far; got round {number}")
        return self._sent[number - 1]

    def _sent_in(self, round_: Round) -> "_SentRound":
        if round_.number <= len(self._sent):
            sent = self._sent[round_.number - 1]
            if sent.round.published != round_.published:
                raise ConflictError("there is one choice a round, and another one was answered already")
            return sent
        self._check_next(round_)
        messages = [
            round_.plain_form.pack(place, *codes, token_bytes(SALT_BYTES))
            for place, codes in enumerate(self._codes_by_group(round_))
        ]
        upload = Upload(self._token, b"".join(sealed(message, round_.layers) for message in messages)).encoded
        self._sent.append(_SentRound(round_, tuple(messages), upload))
        return self._sent[-1]

    def _check_next(self, round_: Round) -> None:
        """Raise unless this is the round after those that were answered."""
        if round_.choice is None:
            return
        last = self._sent[-1].round
        if last.to_analyst:
            raise ConflictError("the analyst's round is the last one, and was answered already")
        if round_.number != last.number + 1:
            raise ConflictError(f"round {last.number + 1} is next, and this choice is of round {round_.number}")
        if round_.choice.before != last.published:
            raise RefusedTaskError("this choice comes after others than those that were published to you")

    def _codes_by_group(self, round_: Round) -> list[list[int]]:
        """Return the codes to send for each group: those sent before, or that they are redacted."""
        codes = list(self._codes)
        for rule in () if round_.choice is None else round_.choice.rules:
            if codes[rule.place] in rule.codes or SystemRandom().random() < rule.decoys:
                codes[rule.place] = len(round_.labels[rule.place]) - 1
        return [[codes[place] for place in group] for group in round_.groups]

    @property
    def state(self) -> bytes:
        """What to keep between the rounds, the answers among it."""
        return encoded({
            "task": self.task.encoded, "token": self._token, "codes": list(self._codes),
            "sent": [
                {
                    "choice": None if sent.round.choice is None else sent.round.choice.encoded,
                    "messages": list(sent.messages), "upload": sent.upload,
                }
                for sent in self._sent
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
            whole = client.state == state and client._could_tell()
        except (TypeError, KeyError, AttributeError):
            whole, client = False, None
        if client is None or not whole:
            raise MalformedError("this is not the state of a client")
        return client

    def _remember(self, sent: "_SentRound") -> None:
        if (sent.round.choice is None) != (not self._sent):
            raise MalformedError("the first round alone has no choice")
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
        )


@dataclass(frozen=True)
class _SentRound:
    """The messages of a round, inside the seals and out."""

    round: Round
    messages: tuple[bytes, ...]
    upload: bytes

    @property
    def is_whole(self) -> bool:
        """Whether it is as long as what everybody sends."""
        return (
            len(self.messages) == self.round.messages
            and all(type(message) is bytes and len(message) == self.round.plain_form.size for message in self.messages)
            and type(self.upload) is bytes
            and len(self.upload) == upload_bytes(self.round)
        )


def _codes_of(task: Task, answers: Mapping[str, str | None]) -> list[int]:
    """Return the code to send for each answer, randomized where the task has a randomizer."""
    names = {feature.name for feature in task.features}
    if unknown := [name for name in answers if name not in names]:
        raise MalformedError(f"the task does not ask for {unknown[0]!r}; it asks for {', '.join(sorted(names))}"[:300])
    codes = [feature.code_of(answers.get(feature.name)) for feature in task.features]
    if all(feature.randomizer is None for feature in task.features):
        return codes
    from discretion.collection.randomizers import randomizer_of  # noqa: PLC0415 - the measures, which a client can do without

    return [
        code if feature.randomizer is None else int(randomizer_of(feature).sample([code])[0])
        for feature, code in zip(task.features, codes, strict=True)
    ]
