"""What `deploy/` starts is what there is: commands, ports, files, paths; and none of it may do more than it must."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from discretion.cli.run import _app
from discretion.collection.errors import UnavailableError
from discretion.collection.parts.at_rest import AtRest
from discretion.collection.parts.store import Store
from discretion.collection.services.analyst import AnalystService
from support.collection.homes import housed
from support.servers import LOOPBACK, PASSWORD, Server

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed: the group servers")
DEPLOY = Path(__file__).parents[2] / "deploy"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
PARTIES = [name for name in SERVICES if name != "postgres"]
UNIT = DEPLOY / "systemd" / "discretion-collect@.service"
ROLES = ("shuffler", "curator", "analyst")
HOME = "/var/lib/discretion"


def parsed(command: list[str]) -> Any:
    """The arguments that the command line makes of a command, home first."""
    arguments = ["collect", *command]
    _, bound, _ = _app(arguments).parse_args(arguments, exit_on_error=False, print_error=False)
    return bound.arguments


def setting(name: str) -> list[str]:
    text = UNIT.read_text(encoding="utf-8").replace("\\\n", " ")
    return re.findall(rf"^{name}=(.*)$", text, re.MULTILINE)


def test_there_is_a_service_for_each_party_and_a_database() -> None:
    assert [SERVICES[name]["command"][0] for name in PARTIES] == [
        "shuffler", "shuffler", "curator", "analyst", "admitter",
    ]  # fmt: skip
    assert [name for name in SERVICES if "depends_on" in SERVICES[name]] == PARTIES[:1]
    assert parsed(SERVICES["first-shuffler"]["command"])["store"].startswith(
        "postgresql+psycopg://discretion@postgres/"
    )


@pytest.mark.parametrize("name", PARTIES)
def test_a_party_listens_where_it_is_reached_and_asked_whether_it_is_ready(name: str, tmp_path: Path) -> None:
    held = SERVICES[name]
    arguments = parsed(held["command"])
    port = arguments["listening"].port
    assert held["ports"] == [f"{port}:{port}"]
    address = held["healthcheck"]["test"][-1]
    assert address == f"https://127.0.0.1:{port}/ready"
    compile(held["healthcheck"]["test"][-2], name, "exec")
    assert arguments["listening"].certificate is not None
    application = AnalystService(housed(tmp_path).homes["analyst"]).application()
    assert "/ready" in {route.path for route in application.routes}  # pyright: ignore[reportAttributeAccessIssue]
    assert len({port for each in PARTIES for port in SERVICES[each]["ports"]}) == len(PARTIES)


@pytest.mark.postgres
def test_a_database_s_password_may_be_in_a_file(postgres: Server, tmp_path: Path) -> None:
    held = tmp_path / "pgpass"
    held.write_text(f"{LOOPBACK}:{postgres.port}:clinic:ada:{PASSWORD}\n")
    url = f"{postgres.address().replace('postgres:', 'postgresql+psycopg:')}?passfile={held}"
    held.chmod(0o644)  # which libpq does not read
    with pytest.raises(UnavailableError) as refused:
        Store(url, AtRest(tmp_path / "at-rest", 2))
    assert PASSWORD not in str(refused.value)
    held.chmod(0o600)
    Store(url, AtRest(tmp_path / "at-rest", 2)).close()


@pytest.mark.parametrize("name", PARTIES)
def test_the_files_that_a_party_reads_are_given_to_it(name: str) -> None:
    held = SERVICES[name]
    arguments = parsed(held["command"])
    listening = arguments["listening"]
    assert held["volumes"] == [f"{name}:{arguments['homes'][0]}"] == [f"{name}:{HOME}"]
    assert f"VOLUME {HOME}\n" in DOCKERFILE
    assert {f"/run/secrets/{secret}" for secret in held["secrets"]} == {
        listening.task, listening.certificate, listening.certificate_key, listening.authority,
        *re.findall("passfile=(.*)", arguments.get("store") or ""),
    }  # fmt: skip


def test_all_that_is_named_is_declared() -> None:
    for kind in ("networks", "secrets"):
        used = {name for held in SERVICES.values() for name in held.get(kind, [])}
        assert used == {*COMPOSE[kind]}
    assert {volume.split(":")[0] for held in SERVICES.values() for volume in held["volumes"]} == {*COMPOSE["volumes"]}


@pytest.mark.parametrize("name", SERVICES)
def test_a_container_may_do_no_more_than_it_must(name: str) -> None:
    held = SERVICES[name]
    assert held["read_only"] is True
    assert held["cap_drop"] == ["ALL"]
    assert "cap_add" not in held
    assert held["security_opt"] == ["no-new-privileges:true"]
    assert all("nosuid" in place for place in held["tmpfs"])
    assert held["healthcheck"]["retries"] > 0
    assert not {"privileged", "network_mode", "pid", "devices"} & {*held}
    assert not [word for word in held.get("environment", {}) if "PASSWORD" in word and not word.endswith("_FILE")]


def test_images_are_named_plainly_and_run_as_nobody_much() -> None:
    images = [*re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE), SERVICES["postgres"]["image"]]
    assert all(re.fullmatch(r"[a-z]+:\d[\w.-]*", image) for image in images)
    assert len(set(images)) == 2
    (user,) = re.findall(r"^USER (\d+):\d+$", DOCKERFILE, re.MULTILINE)
    assert int(user) > 0
    assert f"--uid {user} " in DOCKERFILE
    assert f"--owner {user} " in DOCKERFILE
    assert SERVICES["postgres"]["user"] == "postgres"
    for path in [path for path in DEPLOY.rglob("*") if path.is_file()]:
        assert not re.search(r"index-url|https?://(?!127\.0\.0\.1)", path.read_text(encoding="utf-8")), path


def test_what_an_image_is_made_of_is_there() -> None:
    for line in re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, re.MULTILINE):
        assert [name for name in line.split() if not (DEPLOY.parent / name).exists()] == []
    (entry,) = re.findall(r"^ENTRYPOINT (\[.*\])$", DOCKERFILE, re.MULTILINE)
    assert entry == '["/opt/discretion/bin/discretion", "collect"]'


@pytest.mark.parametrize("role", ROLES)
def test_a_unit_s_command_is_one(role: str) -> None:
    (line,) = setting("ExecStart")
    given = {"%i": role, "%S": "/var/lib", "%d": "/run/credentials", "$OPTIONS": ""}
    words = shlex.split(re.sub("|".join(map(re.escape, given)), lambda word: given[word[0]], line))
    assert words[:3] == ["/opt/discretion/bin/discretion", "collect", role]
    arguments = parsed(words[2:])
    assert arguments["homes"][0] == f"/var/lib/{setting('StateDirectory')[0].replace('%i', role)}"
    listening = arguments["listening"]
    held = {f"/run/credentials/{credential.split(':')[0]}" for credential in setting("LoadCredential")}
    assert {listening.task, listening.certificate, listening.certificate_key} == held
    assert listening.port == 8443  # which takes no privilege


def test_a_unit_is_hardened(tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd is not installed")
    unit = tmp_path / "discretion-collect@curator.service"
    unit.write_text(re.sub("^ExecStart=[^ ]+", "ExecStart=/bin/true", UNIT.read_text(encoding="utf-8"), flags=re.M))
    for check in (["verify"], ["security", "--offline=yes", "--threshold=15"]):
        done = subprocess.run([analyze, *check, str(unit)], capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == 0, done.stdout + done.stderr
        assert check != ["verify"] or done.stderr == ""
