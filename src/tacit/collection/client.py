"""One person's side: accept a task or refuse it, seal the answers, and have each round's bytes ready to be sent."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from secrets import token_bytes

from tacit.collection.errors import ConflictError, MalformedError, RefusedTaskError
from tacit.collection.wire.records import decoded, encoded
from tacit.collection.wire.rounds import SALT_BYTES, Round
from tacit.collection.wire.sealing import sealed
from tacit.collection.wire.selection import Choice
from tacit.collection.wire.task import Task
from tacit.collection.wire.uploads import TOKEN_BYTES, Upload

_LONGEST_STATE = 64 << 20


@dataclass(frozen=True)
class Terms:
    """What a person asks of a task before she takes part.

    Parameters
    ----------
    smallest_batch
        She is one of at least so many, or her answers are not opened.
    largest_budget
        At most such a share of the people may stand out.
    fewest_shufflers
        So many have to work together to tell who sent what.
    digest
        The task that she was told of; None trusts where she got it.
    """

    smallest_batch: int = 2
    largest_budget: float = 1.0
    fewest_shufflers: int = 1
    digest: bytes | None = None

    def check(self, task: Task, now: float) -> None:
        """Raise a `RefusedTaskError` that says which of the terms a task does not meet, if any."""
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


class Client:
    """One person who takes part in a task.

    What she tells is drawn and sealed once: both rounds tell the same, and the same bytes are sent again if an answer
    to them was lost. Keep `state` in a safe place between the rounds; it holds her answers.

    Parameters
    ----------
    task
        The task, or its bytes.
    token
        The one-time token that she was given, of 32 bytes.
    answers
        Her answer to each feature by its name; one that is not there, or None, is missing.
    terms
        What she asks of the task.
    now
        The time in seconds since 1970; the machine's by default.

    Raises
    ------
    RefusedTaskError
        If the task does not meet her terms.
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
        if len(bytes(token)) != TOKEN_BYTES:
            raise MalformedError(f"a token has {TOKEN_BYTES} bytes, got {len(token)}")
        self._token = token
        self._codes = tuple(_told(self.task, answers))
        self._salts = tuple(token_bytes(SALT_BYTES) for _ in self.task.features)
        self._uploads: dict[int, bytes] = {}
        self._chosen: tuple[int, ...] | None = None

    def first_upload(self) -> bytes:
        """Return what she sends in the first round: a sealed message for each feature."""
        self._terms.check(self.task, self._now())
        if 1 not in self._uploads:
            self._uploads[1] = self._sealed(Round(self.task), self.first_messages())
        return self._uploads[1]

    def first_messages(self) -> list[bytes]:
        """Return what is inside the seals of the first round; nobody but she can know all of it."""
        form = Round(self.task).plain_form
        return [form.pack(*each) for each in zip(range(len(self._codes)), self._codes, self._salts, strict=True)]

    def second_upload(self, choice: Choice | bytes) -> bytes:
        """Return what she sends in the second round: one sealed message of the answers that were chosen.

        Raises
        ------
        RefusedTaskError
            If the choice is not the curator's, over the task's budget, or of fewer people than a batch has.
        ConflictError
            If she has told another choice already.
        """
        self._terms.check(self.task, self._now())
        choice = Choice.decoded(choice if isinstance(choice, bytes) else choice.encoded, self.task)
        if not 0 <= Decimal(repr(choice.exposure)) <= Decimal(self.task.budget):
            raise RefusedTaskError("the choice lets more people stand out than the task's budget")
        if choice.people < self.task.smallest_batch:
            raise RefusedTaskError("the choice was made from the answers of fewer people than a batch is to have")
        if self._chosen not in (None, choice.chosen):
            raise ConflictError("there is one choice a task, and another one was answered already")
        if 2 not in self._uploads:
            of, codes = choice.round_of(self.task), [self._codes[place] for place in choice.chosen]
            self._chosen = choice.chosen
            self._uploads[2] = self._sealed(of, [of.plain_form.pack(*codes, token_bytes(SALT_BYTES))])
        return self._uploads[2]

    def _sealed(self, of: Round, plain: list[bytes]) -> bytes:
        return Upload(self._token, b"".join(sealed(message, of.layers) for message in plain)).encoded

    @property
    def state(self) -> bytes:
        """What she has to remember between the rounds, her answers among it."""
        return encoded({
            "task": self.task.encoded, "token": self._token, "codes": list(self._codes), "salts": list(self._salts),
            "uploads": [self._uploads.get(number) for number in (1, 2)],
            "chosen": None if self._chosen is None else list(self._chosen),
        })  # fmt: skip

    @classmethod
    def restored(cls, state: bytes, *, terms: Terms | None = None, now: Callable[[], float] = time.time) -> "Client":
        """Return the person who has this state."""
        held = decoded(state, "the state of a client", at_most=_LONGEST_STATE)
        try:
            client = cls(held["task"], held["token"], {}, terms=terms, now=now)
            client._codes, client._salts = tuple(held["codes"]), tuple(held["salts"])
            client._uploads = {number: sent for number, sent in enumerate(held["uploads"], 1) if sent is not None}
            client._chosen = None if held["chosen"] is None else tuple(held["chosen"])
            whole = client.state == state and client._could_tell()
        except (TypeError, KeyError, AttributeError):
            whole, client = False, None
        if client is None or not whole:
            raise MalformedError("this is not the state of a client")
        return client

    def _could_tell(self) -> bool:
        codes, salts, features = self._codes, self._salts, self.task.features
        return len(codes) == len(salts) == len(features) and all(
            type(code) is int and 0 <= code < feature.codes and type(salt) is bytes and len(salt) == SALT_BYTES
            for code, salt, feature in zip(codes, salts, features, strict=True)
        )


def _told(task: Task, answers: Mapping[str, str | None]) -> list[int]:
    """Return the code that is told of each answer, randomized where the task says so."""
    names = {feature.name for feature in task.features}
    if unknown := [name for name in answers if name not in names]:
        raise MalformedError(f"the task does not ask for {unknown[0]!r}; it asks for {', '.join(sorted(names))}"[:300])
    codes = [feature.code_of(answers.get(feature.name)) for feature in task.features]
    if all(feature.randomizer is None for feature in task.features):
        return codes
    from tacit.collection.randomizers import randomizer_of  # noqa: PLC0415 - the measures, which a client can do without

    return [
        code if feature.randomizer is None else int(randomizer_of(feature).sample([code])[0])
        for feature, code in zip(task.features, codes, strict=True)
    ]
