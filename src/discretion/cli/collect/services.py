"""The services, each a process that answers until it is stopped."""

from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from discretion.cli.options import Whole
from discretion.errors import InvalidValueError
from discretion.validation import as_count, as_real

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

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
        The task's file, the first time.
    host
        The address to listen at.
    port
        The port to listen at; by default that of the task's address for this party.
    cores
        The number of processes that open messages.
    certificate
        A file with a TLS certificate; without it a service whose address is https listens on this machine alone.
    certificate_key
        A file with its key.
    authority
        A file of certificates to trust, beside those that the system trusts.
    private_addresses
        Call the task's addresses in private networks and on this machine too, where this party's own is in none.
    behind_proxy
        Requests come through a proxy with TLS, which limits each sender: listen without a certificate at any --host,
        and accept any number of connections from one address.
    rate
        The requests a second to accept from one address; by default 100, and any number with --behind-proxy.
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
        The party's folder, made by discretion collect keys or init; one for each task in which it takes part.
    store
        The database for uploads: postgresql+psycopg://… or sqlite:///FILE; by default SQLite in the folder.
    people
        Close the first round when so many people have sent their answers, at least smallest_batch; by default when its
        time is over.
    engine
        Where messages are opened and put into random order: on this machine, or on the Spark cluster that Spark's own
        settings describe, which must encrypt what it sends and stores.
    uploads_only
        Take uploads beside the first shuffler's whole service, for the same --store: at a --port of its own, or on
        another machine with a copy of the home. A proxy in front spreads the uploads.
    """
    from discretion.collection.services.shuffler import ShufflerService, UploadsService  # noqa: PLC0415 - the extra collect

    if len(homes) > 1 and not (store is None and people is None and not uploads_only):
        raise InvalidValueError("--store, --people and --uploads-only are of one task; start a process for it alone")
    if uploads_only:
        if people is not None or engine != "local":
            raise InvalidValueError(
                "--uploads-only takes uploads alone: name --people and --engine at the whole service"
            )
        with _homes(homes, "shuffler", listening, alone=False) as (home,):
            if home.place:
                raise InvalidValueError(
                    f"{home.folder} is the home of shuffler {home.place + 1}; people send to the first"
                )
            return _serve([UploadsService(home, store=store, **_common(listening))], listening)
    expected = None if people is None else as_count(people, "--people", at_least=1)
    with _homes(homes, "shuffler", listening) as found:
        smallest = found[0].task.smallest_batch
        if expected is not None and expected < smallest:
            raise InvalidValueError(
                f"--people must be at least the task's smallest_batch, {smallest:,}: the answers of fewer people are "
                f"destroyed; got {expected:,}"
            )
        services = [
            ShufflerService(
                home, store=store, people=expected, shuffle=_shuffle(engine), log=_log(home, found),
                **_common(listening),
            )
            for home in found
        ]  # fmt: skip
        return _serve(services, listening)


def curator(*homes: str, listening: Annotated[Listening, Parameter(name="*")] = _AS_IT_IS) -> int:
    """Run the curator, which counts single answers and chooses what is certified to go out together.

    Parameters
    ----------
    homes
        The party's folder, made by discretion collect keys or init; one for each task in which it takes part.
    """
    from discretion.collection.services.curator import CuratorService  # noqa: PLC0415 - the extra collect

    with _homes(homes, "curator", listening) as found:
        return _serve([CuratorService(home, log=_log(home, found), **_common(listening)) for home in found], listening)


def analyst(*homes: str, listening: Annotated[Listening, Parameter(name="*")] = _AS_IT_IS) -> int:
    """Run the analyst, which gets the joint answers that were chosen, and nothing else.

    Parameters
    ----------
    homes
        The party's folder, made by discretion collect keys or init; one for each task in which it takes part.
    """
    from discretion.collection.services.analyst import AnalystService  # noqa: PLC0415 - the extra collect

    with _homes(homes, "analyst", listening) as found:
        return _serve([AnalystService(home, log=_log(home, found), **_common(listening)) for home in found], listening)


def admitter(*homes: str, listening: Annotated[Listening, Parameter(name="*")] = _AS_IT_IS) -> int:
    """Run the admitter, which knows who is eligible, signs blinded tokens, and sees no message.

    Parameters
    ----------
    homes
        The party's folder, made by discretion collect keys or init; one for each task in which it takes part.
    """
    from discretion.collection.services.admitter import AdmitterService  # noqa: PLC0415 - the extra collect

    with _homes(homes, "admitter", listening) as found:
        return _serve(
            [AdmitterService(home, log=_log(home, found), authority=listening.authority) for home in found], listening
        )


@contextmanager
def _homes(
    folders: tuple[str, ...], role: "Role", listening: Listening, *, alone: bool = True
) -> "Generator[Sequence[Home]]":
    """Give a party's homes, each with its task, for one service alone, or beside another one."""
    from discretion.collection.services.home import Home  # noqa: PLC0415 - the extra collect
    from discretion.collection.wire.task import Task  # noqa: PLC0415
    from discretion.input_files import opened  # noqa: PLC0415

    if not folders:
        raise InvalidValueError("name the party's folder, made by discretion collect keys or init")
    if len(folders) > 1 and listening.task is not None:
        raise InvalidValueError("--task is the first time's, of one folder; start each folder once by itself")
    homes = [Home(Path(folder)) for folder in folders]
    with ExitStack() as held:
        for home in homes:
            home.check_role(role)
            held.enter_context(home.alone() if alone else nullcontext())
            if listening.task is not None:
                with opened(listening.task, "a task", InvalidValueError) as file:
                    home.take(Task.decoded(file.read()))
        yield homes


def _log(home: "Home", homes: "Sequence[Home]") -> "Log | None":
    """Return where a service's events go: of several tasks each names its own."""
    from discretion.collection.services.monitoring import Log  # noqa: PLC0415 - the extra collect

    return Log(task=home.task.digest.hex()[:16]) if len(homes) > 1 else None


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


def _serve(services: "Sequence[Service]", listening: Listening) -> int:
    from discretion.collection.services.operations import RequestBounds  # noqa: PLC0415
    from discretion.collection.services.serving import certificate_end, serve  # noqa: PLC0415
    from discretion.collection.services.several_tasks import application_of, common_address  # noqa: PLC0415

    bounds = RequestBounds(rate=None, connections=None) if listening.behind_proxy else RequestBounds()
    if listening.rate is not None:
        rate = as_real(listening.rate, "--rate")
        if not rate > 0:
            raise InvalidValueError(f"--rate must be above 0 requests a second, got {listening.rate}")
        bounds = replace(bounds, rate=rate)
    address = common_address(services)
    port = address.port if listening.port is None else listening.port
    if not 0 < port < 1 << 16:
        raise InvalidValueError(f"--port must be from 1 to 65,535, got {port}")
    expires = certificate_end(listening.certificate, listening.certificate_key)
    serve(
        application_of(services, bounds, expires),
        listening.host,
        port,
        certificate=listening.certificate,
        certificate_key=listening.certificate_key,
        plain=listening.behind_proxy or address.scheme == "http",
        bounds=bounds,
        refusals=services[0].refusals,
    )
    return 0
