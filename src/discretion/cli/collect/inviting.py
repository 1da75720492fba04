"""Invitations: one for each person who may take part."""

from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from secrets import token_bytes
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from discretion.cli.collect.operating import AT_ONCE, invitation_hashes, service_of
from discretion.cli.options import Whole
from discretion.cli.output import print_json
from discretion.cli.terminal import say, say_folded
from discretion.errors import InvalidValueError
from discretion.validation import as_count

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from discretion.collection.services.calls import Neighbour

Json = Annotated[bool, Parameter(negative="")]


def admit(
    home: str,
    /,
    *,
    count: Whole | None = None,
    out: str | None = None,
    split: Whole | None = None,
    qr: Annotated[bool, Parameter(negative="")] = False,
    hashes: str | None = None,
    authority: str | None = None,
    json: Json = False,
) -> int:
    """Make an invitation for each person who may take part, and register them at a running service.

    The service is the admitter, or the first shuffler in a task without an admitter. An admitter also writes the file
    uploads, which the first shuffler's operator registers with --hashes.

    Parameters
    ----------
    home
        The party's folder; its service must be running.
    count
        The number of people to invite.
    out
        A new folder for the invitations, one on each line, which only its owner can read: give each person one, then
        destroy the folder.
    split
        Write files of at most this number of invitations each.
    qr
        Write each invitation as a QR code, too, in SVG.
    hashes
        A file that the admitter wrote: register the uploads of the people whom it has invited.
    authority
        A file of certificates to trust, in addition to those that the system trusts.
    json
        Print one JSON object.
    """
    if (count is None) == (hashes is None) or (count is None) != (out is None):
        raise InvalidValueError("use --count and --out to make invitations, or --hashes to register an admitter's")
    if hashes is not None:
        lines = invitation_hashes(hashes)
        with service_of(home, authority) as service:
            _register(service, "/tokens", lines)
        results = {"registered": len(lines)}
        sentence = f"{len(lines):,} people may send answers"
    else:
        people = as_count(count, "--count", at_least=1)
        each = people if split is None else as_count(split, "--split", at_least=1)
        results = _invite(home, people, Path(out or ""), each, authority)
        if qr:
            _draw_codes(Path(out or ""))
        sentence = f"{count:,} invitations in {out}"
    if json:
        inputs = {"home": home, "count": count, "out": out, "split": split, "qr": qr, "hashes": hashes}
        print_json("collect admit", inputs, results)
    else:
        say(sentence)
        if "uploads" in results:
            say_folded(
                f"Send {results['uploads']} to the operator of the first shuffler: discretion collect admit HOME "
                "--hashes uploads"
            )
    return 0


def _invite(home: str, count: int, folder: Path, each: int, authority: str | None) -> dict[str, str | int]:
    from discretion.collection.parts.durable import write_whole  # noqa: PLC0415 - the extra collect
    from discretion.collection.services.home import Home  # noqa: PLC0415
    from discretion.collection.wire.invitations import admission_credential, link_of, upload_token  # noqa: PLC0415

    party_home = Home(Path(home))
    task, role = party_home.task, party_home.role
    if role != ("shuffler" if task.admitter is None else "admitter"):
        who = "the first shuffler" if task.admitter is None else "the admitter"
        raise InvalidValueError(f"{home} is the home of the {role}; in this task {who} makes the invitations")
    secrets = [token_bytes(32) for _ in range(count)]
    uploads = [sha256(upload_token(task, secret)).digest() for secret in secrets]
    with _new_folder(folder), service_of(home, authority) as service:
        if task.admitter is None:
            _register(service, "/tokens", uploads)
        else:
            _register(service, "/invitations", [sha256(admission_credential(secret)).digest() for secret in secrets])
    links = [link_of(task, secret) for secret in secrets]
    for number, start in enumerate(range(0, count, each), 1):
        name = "invitations" if each >= count else f"invitations-{number:04d}"
        write_whole(folder / name, "".join(f"{link}\n" for link in links[start : start + each]).encode())
    results: dict[str, str | int] = {"invitations": count, "out": str(folder)}
    if task.admitter is not None:
        write_whole(folder / "uploads", "".join(f"{each.hex()}\n" for each in uploads).encode())
        results["uploads"] = str(folder / "uploads")
    return results


@contextmanager
def _new_folder(folder: Path) -> "Generator[None]":
    """Make a folder that only its owner can read, and remove it after an error."""
    try:
        folder.mkdir(mode=0o700)
    except OSError as error:
        raise InvalidValueError(f"cannot write {folder}: {(error.strerror or '').lower()}; name a new folder") from None
    try:
        yield
    except BaseException:
        folder.rmdir()
        raise


def _draw_codes(folder: Path) -> None:
    """Write each invitation in a folder as a QR code, numbered through all files."""
    import segno  # noqa: PLC0415 - only few ask for it

    links = [link for path in sorted(folder.glob("invitations*")) for link in path.read_text().split()]
    for number, link in enumerate(links, 1):
        segno.make(link, error="m").save(str(folder / f"invitation-{number:06d}.svg"), scale=4)


def _register(service: "Neighbour", path: str, hashes: "Sequence[bytes]") -> None:
    for start in range(0, len(hashes), AT_ONCE):
        service.ask("POST", path, content=b"".join(hashes[start : start + AT_ONCE]))
