"""A party's home: a folder with its role, its task, its keys and its data."""

import fcntl
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from shutil import rmtree
from typing import Literal, cast, get_args

from discretion.collection.errors import ConflictError, MalformedError, RefusedTaskError, UnknownError
from discretion.collection.parts.at_rest import AtRest, destroy_files
from discretion.collection.parts.durable import write_whole
from discretion.collection.services.credentials import board_pass, neighbour_credential, new_operator
from discretion.collection.services.keys import Key, Kind, destroy_expired, held_keys, key_for, new_key
from discretion.collection.wire.task import Party, Task

Role = Literal["shuffler", "curator", "analyst", "admitter"]


@dataclass(frozen=True)
class Home:
    """The home of a party, which nobody else may read.

    Parameters
    ----------
    folder
        The folder of the home.
    now
        A function that returns the time in seconds since 1970.
    """

    folder: Path
    now: Callable[[], float] = time.time

    def furnish(self, role: Role, days: int) -> dict[Kind, Key]:
        """Make the keys of a role, valid for this number of days, and an operator's credential if there is none.

        Raises
        ------
        RefusedTaskError
            If this is the home of another role.
        """
        if not (self.folder / "role").exists():
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_whole(self.folder / "role", role.encode())
            new_operator(self.folder)
        self.check_role(role)
        if not self.has_task:  # a task may have ended, and still need its keys to be counted
            destroy_expired(self._keys, self.now())
        kinds: tuple[Kind, ...] = ("seal", "sign") if role == "curator" else ("seal",)
        return {kind: new_key(self._keys, kind, days) for kind in kinds}

    def furnish_admission(self, widths: Sequence[int], days: int) -> tuple[tuple[bytes, ...], ...]:
        """Make an admitter's keys for tokens, as many for each round as ``widths`` lists, and return their moduli."""
        self.check_role("admitter")
        return tuple(tuple(new_key(self._keys, "admission", days).public for _ in range(width)) for width in widths)

    def check_role(self, role: Role) -> None:
        """Raise an error if this is the home of another role."""
        if self.role != role:
            raise RefusedTaskError(f"{self.folder} is the home of the {self.role}, not of the {role}")

    @contextmanager
    def alone(self) -> Generator[None]:
        """Lock the home against other services, until the end of the block or of the process.

        Raises
        ------
        ConflictError
            If another service has locked it.
        """
        if not self.folder.is_dir():
            raise UnknownError(f"{self.folder} is not the home of a party; discretion collect keys or init makes one")
        with (self.folder / "lock").open("wb") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise ConflictError(f"a service of {self.folder} is already running; end that one first") from None
            yield

    def take(self, task: Task) -> None:
        """Set the task of the home; a home has one task.

        Raises
        ------
        RefusedTaskError
            If the home has another task, or its keys were destroyed.
        UnknownError
            If the home has no key of the task. It stays without a task then, so that it can take the right one.
        """
        path = self.folder / "task"
        if path.exists() and path.read_bytes() != task.encoded:
            raise RefusedTaskError(f"{self.folder} is the home of another task; use another folder")
        if not any(self._holds(party.key) for party in self._parties_of_role(task)):
            self._check_keys()
            raise UnknownError(
                f"no key in {self.folder} belongs to the {self.role} of this task; name the task that was made with "
                "its keys"
            )
        write_whole(path, task.encoded)

    def _parties_of_role(self, task: Task) -> list[Party]:
        return [party for name, party in task.parties.items() if name.partition(" ")[0] == self.role]

    def _holds(self, public: bytes) -> bool:
        try:
            key_for(self._keys, public, self.now())
        except UnknownError:
            return False
        return True

    @cached_property
    def role(self) -> Role:
        """The role of the party."""
        path = self.folder / "role"
        try:
            role = path.read_bytes()[:100].decode(errors="replace")
        except OSError:
            raise UnknownError(
                f"{self.folder} is not the home of a party; discretion collect keys or init makes one"
            ) from None
        if role not in get_args(Role):
            raise MalformedError(
                f"{path} is damaged: its content must be the word {', '.join(get_args(Role)[:-1])} or "
                f"{get_args(Role)[-1]}; write that word into it"
            )
        return cast("Role", role)

    @property
    def has_task(self) -> bool:
        """Whether the home has a task."""
        return (self.folder / "task").exists()

    @property
    def was_destroyed(self) -> bool:
        """Whether the keys of the home were destroyed."""
        return self._keys.is_dir() and not any(self._keys.iterdir())

    @cached_property
    def task(self) -> Task:
        """The task of the home."""
        path = self.folder / "task"
        try:
            return Task.decoded(path.read_bytes())
        except OSError:
            raise UnknownError(f"the {self.role} in {self.folder} has no task; name one with --task") from None
        except MalformedError as error:
            raise MalformedError(f"{path} is damaged ({error}); remove it, and name the task with --task") from None

    @cached_property
    def place(self) -> int:
        """The place of this shuffler in the task, from 0, by its keys."""
        for place, shuffler in enumerate(self.task.shufflers):
            if self._holds(shuffler.key):
                return place
        self._check_keys()
        raise UnknownError(f"no key in {self.folder} belongs to a shuffler of the task")

    def _check_keys(self) -> None:
        """Raise a `RefusedTaskError` if the keys were destroyed."""
        if self.was_destroyed:
            raise RefusedTaskError(
                f"the keys in {self.folder} were destroyed; to destroy what is left, run discretion collect destroy "
                f"{self.folder}"
            )

    @property
    def party(self) -> Party:
        """The entry of this party in the task: its address and key."""
        parties = {"analyst": self.task.analyst, "curator": self.task.curator, "admitter": self.task.admitter}
        party = self.task.shufflers[self.place] if self.role == "shuffler" else parties[self.role]
        if party is None:
            raise UnknownError(f"the task has no {self.role}")
        return party

    @property
    def before(self) -> Party | None:
        """The party that passes batches to this one; None for the first shuffler and for the admitter."""
        if self.role == "admitter":
            return None
        if self.role != "shuffler":
            return self.task.shufflers[-1]
        return self.task.shufflers[self.place - 1] if self.place else None

    def key(self, public: bytes) -> Key:
        """Return the private key for a public key of this party in the task.

        Raises
        ------
        UnknownError
            If the home does not have it.
        RefusedTaskError
            If it has expired, or expires before the task closes.
        """
        try:
            key = key_for(self._keys, public, self.now())
        except UnknownError:
            self._check_keys()
            raise
        if key.expires is not None and key.expires <= self.task.closes:
            raise RefusedTaskError(
                f"the key {key.id} expires before the task closes; make a key with more --days, and a task with it"
            )
        return key

    def offered_keys(self) -> list[Key]:
        """Return the keys that are offered for a new task, those that last longest first."""
        return held_keys(self._keys, self.now())

    def is_of(self, task: Task) -> bool:
        """Return whether a task has one of the keys in this home for its party."""
        named = {party.key for party in self._parties_of_role(task)}
        return any(key.public in named for key in self.offered_keys())

    def keys_of_task(self) -> list[Key]:
        """Return the keys of this party in the task: the one that seals messages, and the one that signs."""
        signer = self.task.signer if self.role == "curator" else None
        return [self.key(public) for public in (self.party.key, signer) if public is not None]

    def credential(self, neighbour: Party) -> str:
        """Return the credential that this party and a neighbor in the task share."""
        return neighbour_credential(self.task, self.key(self.party.key).private, neighbour.key)

    @property
    def board_pass(self) -> str:
        """The pass with which participants read the boards, as the first and the last shuffler compute it."""
        shufflers = self.task.shufflers
        other = shufflers[-1] if self.place == 0 else shufflers[0]
        return board_pass(self.task, self.key(self.party.key).private, other.key)

    def destroy_keys(self) -> None:
        """Destroy the keys; all messages that were sealed or stored with them are then lost."""
        destroy_files(self._keys)
        destroy_files(self._at_rest)

    def destroy(self) -> None:
        """Destroy the keys, then all data of a task whose service does not run; call it again if interrupted."""
        self.destroy_keys()
        for path in self.folder.iterdir():
            if path.name not in ("role", "task", "lock", "operator", "keys"):
                rmtree(path) if path.is_dir() else path.unlink()

    @property
    def at_rest(self) -> AtRest:
        """The keys with which a first shuffler encrypts stored uploads."""
        return AtRest(self._at_rest, self.task.most_rounds)

    @property
    def _at_rest(self) -> Path:
        return self.folder / "at-rest"

    @property
    def _keys(self) -> Path:
        return self.folder / "keys"
