"""The services of a collection, each a process that runs until it is stopped."""

from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from discretion.cli.options import Whole
from discretion.cli.terminal import say_aside
from discretion.errors import InvalidValueError
from discretion.validation import as_count, as_real

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from discretion.collection.parts.shuffler import Shuffling
    from discretion.collection.services.home import Home, Role
    from discretion.collection.services.monitoring import Log
    from discretion.collection.services.service import Service


@Parameter(name="*")
@dataclass(frozen=True)
class Listening:
    """The address of a service, and what it accepts.

    Parameters
    ----------
    task
        The task's file, needed the first time: of several folders, the one with a key of the task gets it.
    host
        The address to listen on.
    port
        The port to listen on; by default that of the task's address for this party. A folder without a task needs one.
    cores
        The number of processes that open messages.
    certificate
        A file with a TLS certificate; without it a service whose address is https listens on this machine alone.
    certificate_key
        A file with the private key of the certificate.
    authority
        A file of certificates to trust, in addition to those that the system trusts.
    private_addresses
        Also call the task's addresses in private networks and on this machine. By default they are called only if this
        party's own address is in the same networks.
    behind_proxy
        Expect requests through a proxy with TLS, which limits each sender: listen without a certificate at any --host,
        and accept any number of connections from one address.
    rate
        The number of requests a second to accept from one address; by default 100, and any number with --behind-proxy.
    """

    task: str | None = None
    host: str = "127.0.0.1"
    port: Whole | None = None
    cores: Whole = 1
    certificate: str | None = None
    certificate_key: str | None = None
    authority: str | None = None
    private_addresses: Annotated[bool, Parameter(negative="")] = False
    behind_proxy: Annotated[bool, Parameter(negative="")] = False
    rate: float | None = None


_AS_IT_IS = Listening()


def shuffler(
    *homes: str,
    store: str | None = None,
    people: Whole | None = None,
    engine: Literal["local", "spark"] = "local",
    uploads_only: Annotated[bool, Parameter(negative="")] = False,
    listening: Annotated[Listening, Parameter(name="*")] = _AS_IT_IS,
) -> int:
    """Run a shuffler, which sees senders and never answers.

    Parameters
    ----------
    homes
        The party's folder, made by discretion collect keys or init; one for each task in which it takes part, and one
        whose keys are offered at /keys for a task to come.
    store
        The database for uploads: postgresql+psycopg://… or sqlite:///FILE; by default SQLite in the folder.
    people
        Close the first round when this number of people have sent their answers, at least smallest_batch; by default
        when its time is over.
    engine
        The engine that opens messages and puts them into random order: local, on this machine; or spark, on the cluster
        that Spark's own settings describe, which must encrypt what it sends and stores.
    uploads_only
        Take uploads for a first shuffler that runs as a whole service with the same --store: at a --port of its own, or
        on another machine with a copy of the home. A proxy in front spreads the uploads.
    """
    from discretion.collection.services.shuffler import ShufflerService, UploadsService  # noqa: PLC0415 - the extra collect

    if len(homes) > 1 and not (store is None and people is None and not uploads_only):
        raise InvalidValueError("--store, --people and --uploads-only need a single task; start a process for it alone")
    if uploads_only:
        if people is not None or engine != "local":
            raise InvalidValueError("--uploads-only excludes --people and --engine: set these at the whole service")
        with _homes(homes, "shuffler", listening, alone=False) as (home,):
            if home.place:
                raise InvalidValueError(
                    f"{home.folder} is the home of shuffler {home.place + 1}; people send their reports to the first "
                    "shuffler"
                )
            return _serve(
                [home], lambda home, log: UploadsService(home, store=store, log=log, **_common(listening)), listening
            )
    expected = None if people is None else as_count(people, "--people", at_least=1)
    with _homes(homes, "shuffler", listening) as found:
        smallest = max((home.task.smallest_batch for home in found if home.has_task), default=0)
        if expected is not None and expected < smallest:
            raise InvalidValueError(
                f"--people must be at least the task's smallest_batch, {smallest:,}: the answers of fewer people are "
                f"destroyed; got {expected:,}"
            )

        def service(home: "Home", log: "Log | None") -> "Service":
            shuffle = _shuffle(engine)
            return ShufflerService(home, store=store, people=expected, shuffle=shuffle, log=log, **_common(listening))

        return _serve(found, service, listening)


def curator(*homes: str, listening: Annotated[Listening, Parameter(name="*")] = _AS_IT_IS) -> int:
    """Run the curator, which counts single answers and chooses the questions that are certified to go out together.

    Parameters
    ----------
    homes
        The party's folder, made by discretion collect keys or init; one for each task in which it takes part.
    """
    from discretion.collection.services.curator import CuratorService  # noqa: PLC0415 - the extra collect

    with _homes(homes, "curator", listening) as found:
        return _serve(found, lambda home, log: CuratorService(home, log=log, **_common(listening)), listening)


def analyst(*homes: str, listening: Annotated[Listening, Parameter(name="*")] = _AS_IT_IS) -> int:
    """Run the analyst, which gets the joint answers to the chosen questions, and nothing else.

    Parameters
    ----------
    homes
        The party's folder, made by discretion collect keys or init; one for each task in which it takes part.
    """
    from discretion.collection.services.analyst import AnalystService  # noqa: PLC0415 - the extra collect

    with _homes(homes, "analyst", listening) as found:
        return _serve(found, lambda home, log: AnalystService(home, log=log, **_common(listening)), listening)


def admitter(*homes: str, listening: Annotated[Listening, Parameter(name="*")] = _AS_IT_IS) -> int:
    """Run the admitter, which knows who is eligible, signs blinded tokens, and sees no message.

    Parameters
    ----------
    homes
        The party's folder, made by discretion collect keys or init; one for each task in which it takes part.
    """
    from discretion.collection.services.admitter import AdmitterService  # noqa: PLC0415 - the extra collect

    with _homes(homes, "admitter", listening) as found:
        return _serve(found, lambda home, log: AdmitterService(home, log=log, authority=listening.authority), listening)


@contextmanager
def _homes(
    folders: tuple[str, ...], role: "Role", listening: Listening, *, alone: bool = True
) -> "Generator[Sequence[Home]]":
    """Yield a party's homes that are not destroyed, for one service alone, or together with another one."""
    from discretion.collection.services.home import Home  # noqa: PLC0415 - the extra collect
    from discretion.collection.wire.task import Task  # noqa: PLC0415
    from discretion.input_files import opened  # noqa: PLC0415

    if not folders:
        raise InvalidValueError("name the party's folder, made by discretion collect keys or init")
    homes = [Home(Path(folder)) for folder in folders]
    with ExitStack() as held:
        for home in homes:
            home.check_role(role)
            held.enter_context(home.alone() if alone else nullcontext())
        if listening.task is not None:
            with opened(listening.task, "a task", InvalidValueError) as file:
                task = Task.decoded(file.read())
            fitting = homes if len(homes) == 1 else [home for home in homes if home.is_of(task)]
            if not fitting:
                raise InvalidValueError(
                    f"none of these folders has a key of the task in {listening.task}; it was made with other keys, or "
                    "these have expired"
                )
            fitting[0].take(task)
        if len(homes) > 1:
            for home in homes:
                if home.was_destroyed:
                    say_aside(f"{home.folder} is left out: its keys were destroyed, and its task is over")
            homes = [home for home in homes if not home.was_destroyed] or homes[:1]
        yield homes


def _shuffle(engine: str) -> "Shuffling":
    if engine == "spark":
        from discretion.collection.parts.spark_shuffling import shuffled_on_spark  # noqa: PLC0415 - the extra spark

        return shuffled_on_spark
    from discretion.collection.parts.shuffling import shuffle_messages  # noqa: PLC0415

    return shuffle_messages


def _common(listening: Listening) -> dict[str, Any]:
    return {
        "cores": as_count(listening.cores, "--cores", at_least=1), "authority": listening.authority,
        "private_addresses": listening.private_addresses,
    }  # fmt: skip


def _serve(homes: "Sequence[Home]", service: "Callable[[Home, Log | None], Service]", listening: Listening) -> int:
    from discretion.collection.services.monitoring import Log  # noqa: PLC0415 - the extra collect
    from discretion.collection.services.operations import RequestBounds  # noqa: PLC0415
    from discretion.collection.services.public_keys import offering  # noqa: PLC0415
    from discretion.collection.services.serving import certificate_end, serve  # noqa: PLC0415
    from discretion.collection.services.several_tasks import application_of, common_address  # noqa: PLC0415

    bounds = RequestBounds(rate=None, connections=None) if listening.behind_proxy else RequestBounds()
    if listening.rate is not None:
        rate = as_real(listening.rate, "--rate")
        if not rate > 0:
            raise InvalidValueError(f"--rate must be above 0 requests a second, got {listening.rate}")
        bounds = replace(bounds, rate=rate)
    with_task = [home for home in homes if home.has_task]
    without = [home for home in homes if not home.has_task]
    if not with_task and listening.port is None:
        raise InvalidValueError(
            f"the {without[0].role} in {without[0].folder} has no task: name one with --task, or a --port at which its "
            "keys are offered for a task to come"
        )
    # With several tasks, each names its own in the log.
    services = [service(home, Log(task=home.task.digest.hex()[:16]) if len(homes) > 1 else None) for home in with_task]
    address = common_address(services) if services else None
    if address is not None and without and any(not each.home.party.address.path for each in services):
        raise InvalidValueError(
            f"the task in {with_task[0].folder} has an address without a path, where keys are offered for other tasks; "
            "start it by itself"
        )
    port = address.port if address is not None and listening.port is None else listening.port or 0
    if not 0 < port < 1 << 16:
        raise InvalidValueError(f"--port must be from 1 to 65,535, got {port}")
    expires = certificate_end(listening.certificate, listening.certificate_key)
    serve(
        application_of(services, bounds, expires, offering(without, bounds) if without else None),
        listening.host,
        port,
        certificate=listening.certificate,
        certificate_key=listening.certificate_key,
        plain=listening.behind_proxy or (address is not None and address.scheme == "http"),
        bounds=bounds,
        refusals=services[0].refusals if services else None,
    )
    return 0
