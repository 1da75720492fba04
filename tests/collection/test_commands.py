"""What each command of a collection says before there is anybody to talk to, and what it leaves behind."""

import socket
import stat
from pathlib import Path

import pytest

from discretion.cli.collect import SUBCOMMANDS
from support.cli_runner import run
from support.collection.certificates import Certified, certified
from support.collection.homes import housed
from support.collection.parties import LOOPBACK, refused, said

TASK = """
purpose = "to know"
smallest_batch = 20
opens = 2027-01-01T00:00:00Z
closes = 2099-01-02T00:00:00Z
features = [{ name = "sex", values = ["f", "m"] }]
shufflers = [{ url = "http://127.0.0.1:1" }, { url = "http://127.0.0.1:2" }]
analyst = { url = "http://127.0.0.1:3" }
curator = { url = "http://127.0.0.1:4" }
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return housed(tmp_path / "parties").homes["shuffler-0"].folder


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> Certified:
    return certified(tmp_path_factory.mktemp("tls") / "ours")


@pytest.mark.parametrize("command", SUBCOMMANDS)
def test_a_command_s_help_is_80_columns_wide_and_tells_every_option(
    command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    code, out, err = run("collect", command, "--help")
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    assert SUBCOMMANDS[command][1].split(".")[0].split(",")[0] in " ".join(out.split())
    named = [line for line in out.splitlines() if line.startswith(("│ *  --", "│    --", "│ --", "│ *  HOME"))]
    assert named
    assert [line for line in named if len(line.strip("│ ").split("  ")) < 2] == []


def test_an_init_makes_a_task_and_homes_for_those_without_keys(tmp_path: Path) -> None:
    (tmp_path / "task.toml").write_text(TASK)
    made = said("collect", "init", tmp_path / "task.toml", "--out", tmp_path / "new" / "out", "--days", "99999")
    out = tmp_path / "new" / "out"
    assert sorted(path.name for path in out.iterdir()) == ["analyst", "curator", "shuffler-1", "shuffler-2", "task"]
    assert {Path(each).name for each in made["homes"]} == {path.name for path in out.iterdir()} - {"task"}
    for path in out.rglob("*"):
        private = path.parent != out or path.is_dir()
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0 or not private or path.name == "task", path
    assert "not empty" in refused("collect", "init", tmp_path / "task.toml", "--out", out)


@pytest.mark.parametrize(
    ("old", "new", "days", "sentence"),
    [
        ("k", "k", "30", "expires before the task closes; make a key with more --days"),
        ("smallest_batch = 20", "smallest_batch = 0", "99999", "smallest_batch must be"),
        ('"f"', "1", "99999", "feature 1: "),
        ("2099", "2026", "99999", "closes must be"),
        ("k", "k", "0", "--days must be a whole number of at least 1, got 0"),
    ],
)
def test_a_task_that_is_refused_leaves_nothing_behind(
    old: str, new: str, days: str, sentence: str, tmp_path: Path
) -> None:
    (tmp_path / "task.toml").write_text(TASK.replace(old, new))
    told = refused("collect", "init", tmp_path / "task.toml", "--out", tmp_path / "out", "--days", days)
    assert sentence in told
    assert [path.name for path in tmp_path.iterdir()] == ["task.toml"]


def test_keys_are_printed_as_the_description_takes_them(tmp_path: Path) -> None:
    code, out, err = run("collect", "keys", str(tmp_path / "home"), "--role", "curator")
    assert (code, err) == (0, "")
    assert [line.split(" = ")[0] for line in out.splitlines()] == ["key", "signer"]
    told = said("collect", "keys", tmp_path / "home", "--role", "curator")
    assert {f'{name} = "{value}"' for name, value in told.items()}.isdisjoint(out.splitlines())
    assert "home of the curator, not of the analyst" in refused(
        "collect", "keys", tmp_path / "home", "--role", "analyst"
    )
    assert "--role" in refused("collect", "keys", tmp_path / "home", "--role", "clerk")


def test_a_service_says_why_it_cannot_start(home: Path, tls: Certified, tmp_path: Path) -> None:
    (tmp_path / "none").write_text("no certificate")
    with socket.create_server((LOOPBACK, 0)) as taken:
        wrong = {
            ("--port", str(taken.getsockname()[1])): "address already in use; name another --host or --port",
            ("--port", "70000"): "--port must be from 1 to 65,535, got 70000",
            ("--port", "0"): "--port must be from 1 to 65,535, got 0",
            ("--host", "no such host"): "cannot listen at no such host",
            ("--cores", "0"): "--cores must be a whole number of at least 1",
            ("--rate", "nan"): "--rate must be a number",
            ("--rate", "0"): "--rate must be above 0",
            ("--people", "0"): "--people must be a whole number of at least 1",
            (
                "--people",
                "1",
            ): "--people must be at least the task's smallest_batch, 2: the answers of fewer people are",
            ("--task", "/none"): "cannot read a task from '/none'",
            ("--task", str(tmp_path / "none")): "a task",
            ("--store", "mysql://ada:secret@host/db"): "postgresql+psycopg://…, got 'mysql://ada@host/db'",
            ("--store", "sqlite:///"): "the store must be sqlite:///FILE",
            ("--store", "sqlite:////none/store"): "cannot store now",
            (
                "--store",
                "postgresql+psycopg://ada:secret@x:y/db",
            ): "'postgresql+psycopg://ada@x:y/db' is not an address",
            ("--certificate-key", str(tls.key)): "set it by --certificate",
            ("--certificate", "/none"): "/none: this must be a certificate and its key, in PEM",
            ("--certificate", str(tmp_path / "none")): "must be a certificate and its key",
            ("--certificate", str(tls.certificate)): "must be a certificate and its key",
            ("--certificate", str(tls.certificate), "--certificate-key", str(tls.locked_key)): "without a password",
        }
        for options, sentence in wrong.items():
            told = refused("collect", "shuffler", home, *options)
            assert sentence in told, options
            assert "secret" not in told
        assert "home of the shuffler, not of the curator" in refused("collect", "curator", home)
        assert "not the home of a party" in refused("collect", "curator", tmp_path / "nowhere")
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("role", ["shuffler-1", "curator", "analyst"])
def test_a_party_at_https_speaks_no_plain_http_beyond_its_machine(role: str, tls: Certified, tmp_path: Path) -> None:
    (tmp_path / "task.toml").write_text(TASK.replace("http:", "HTTPS:"))
    said("collect", "init", tmp_path / "task.toml", "--out", tmp_path / "out", "--days", "99999")
    home = tmp_path / "out" / role
    for host in ("0.0.0.0", "::", "8.8.8.8"):
        told = refused("collect", role.removesuffix("-1"), home, "--host", host)
        assert "set --certificate and --certificate-key, or --host 127.0.0.1" in " ".join(told.split())
    with socket.create_server((LOOPBACK, 0)) as taken:  # what may be done gets as far as to a port that is taken
        port = ("--port", taken.getsockname()[1])
        certificate = ("--certificate", tls.certificate, "--certificate-key", tls.key)
        for options in ((), ("--host", "localhost"), ("--behind-proxy",), certificate):
            told = refused("collect", role.removesuffix("-1"), home, *port, *options)
            assert "address already in use" in told


def test_who_is_not_there_is_named(home: Path, tmp_path: Path) -> None:
    for command in (["status"], ["close"], ["admit", "--count", "9", "--out", str(tmp_path / "tokens")]):
        told = refused("collect", command[0], home, *command[1:])
        assert "http://127.0.0.1:1 does not answer (ConnectError); try again once its service runs" in told
        assert "not the home of a party" in refused("collect", command[0], tmp_path / "nowhere", *command[1:])
    assert not (tmp_path / "tokens").exists()
    told = refused("collect", "admit", home, "--count", "0", "--out", tmp_path / "tokens")
    assert "--count must be a whole number of at least 1" in told
    assert "cannot write" in refused("collect", "admit", home, "--count", "1", "--out", "/none/tokens")


@pytest.mark.parametrize("url", ["first.example", "ftp://first.example", "http://first.example:port", ""])
def test_what_is_no_address_is_named(url: str, tmp_path: Path) -> None:
    for name, content in (("token", "00" * 32), ("answers", "{}")):
        (tmp_path / name).write_text(content)
    given = [word for name in ("state", "token", "answers") for word in (f"--{name}", tmp_path / name)]
    assert "is no web address; write one as https://shuffler.example" in refused("collect", "submit", url, *given)
