"""Keys have names, owners and an end; a home is one party's, of one task."""

import json
import stat
from pathlib import Path

import pytest

from discretion.collection.errors import ConflictError, MalformedError, RefusedTaskError, StrangerError, UnknownError
from discretion.collection.services import credentials, keys
from discretion.collection.services.analyst import AnalystService
from discretion.collection.services.home import Home
from discretion.collection.services.keys import key_for, new_key
from support.collection.homes import NOW, housed


def test_only_its_owner_reads_a_key(tmp_path: Path) -> None:
    key = new_key(tmp_path / "keys", "seal", 1)
    (path,) = (tmp_path / "keys").iterdir()
    assert path.name == key.id
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert key_for(tmp_path / "keys", key.public, NOW) == key
    path.chmod(0o640)
    with pytest.raises(RefusedTaskError, match="chmod 600"):
        key_for(tmp_path / "keys", key.public, NOW)


def test_a_new_key_leaves_the_older_ones_to_their_tasks(tmp_path: Path) -> None:
    old, new = new_key(tmp_path, "seal", 1), new_key(tmp_path, "seal", 1)
    assert key_for(tmp_path, old.public, NOW) == old
    assert key_for(tmp_path, new.public, NOW) == new


def test_a_key_that_is_over_opens_nothing(tmp_path: Path) -> None:
    key = new_key(tmp_path, "sign", 1)
    assert key.expires is not None
    key_for(tmp_path, key.public, key.expires - 1)
    with pytest.raises(RefusedTaskError, match=f"key {key.id} has expired"):
        key_for(tmp_path, key.public, key.expires)


def test_keys_may_be_in_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seal, sign = new_key(tmp_path / "one", "seal", 1), new_key(tmp_path / "one", "sign", 1)
    monkeypatch.setenv(keys.VARIABLE, f"{seal.private.hex()}, {sign.private.hex()}")
    for key in (seal, sign):
        assert key_for(tmp_path / "other", key.public, NOW).private == key.private
    monkeypatch.setenv(keys.VARIABLE, "secret")
    with pytest.raises(MalformedError) as refused:
        key_for(tmp_path / "other", seal.public, NOW)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"kind": "seal", "private": "00", "expires": 1}', "\xff"])
def test_what_is_no_key_is_named_and_not_quoted(content: str, tmp_path: Path) -> None:
    key = new_key(tmp_path, "seal", 1)
    (tmp_path / key.id).write_text(content, encoding="latin-1")
    with pytest.raises(MalformedError, match=f"{key.id} is not a key that discretion made"):
        key_for(tmp_path, key.public, NOW)


def test_a_home_is_one_party_s_and_of_one_task(tmp_path: Path) -> None:
    of = housed(tmp_path / "one")
    with pytest.raises(RefusedTaskError, match="home of the curator, not of the analyst"):
        of.homes["curator"].furnish("analyst", 1)
    with pytest.raises(RefusedTaskError, match="home of another task"):
        of.homes["curator"].take(housed(tmp_path / "other").task)
    with pytest.raises(UnknownError, match="not the home of a party"):
        Home(tmp_path / "nowhere").check_role("curator")
    with pytest.raises(UnknownError, match="not the home of a party"):
        _ = Home(tmp_path / "nowhere").task
    (tmp_path / "stranger").mkdir()
    stranger = Home(tmp_path / "stranger")
    stranger.furnish("shuffler", 1)
    with pytest.raises(UnknownError, match="belongs to the shuffler of this task"):
        stranger.take(of.task)
    assert not stranger.has_task  # it can still take its own


def test_a_home_is_furnished_for_one_role_alone(tmp_path: Path) -> None:
    home = housed(tmp_path).homes["curator"]
    before = sorted((home.folder / "keys").iterdir())
    with pytest.raises(RefusedTaskError, match="home of the curator"):
        home.furnish("analyst", 1)
    assert sorted((home.folder / "keys").iterdir()) == before
    assert stat.S_IMODE(home.folder.stat().st_mode) == 0o700


def test_one_service_is_in_a_home_at_a_time(tmp_path: Path) -> None:
    home = housed(tmp_path).homes["curator"]
    with home.alone(), pytest.raises(ConflictError, match="already running"), Home(home.folder).alone():
        pass
    with home.alone():
        pass
    with pytest.raises(UnknownError, match="not the home of a party"), Home(tmp_path / "nowhere").alone():
        pass


def test_a_key_that_is_over_before_its_task_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(RefusedTaskError, match="expires before the task closes"):
        AnalystService(housed(tmp_path, closes=1 << 39).homes["analyst"])


def test_neighbours_share_a_credential_that_nobody_else_has(tmp_path: Path) -> None:
    of = housed(tmp_path, shufflers=2)
    first, second, curator, analyst = (of.homes[name] for name in ("shuffler-0", "shuffler-1", "curator", "analyst"))
    shared = first.credential(second.party)
    assert shared == second.credential(first.party)
    assert second.credential(curator.party) == curator.credential(second.party) != shared
    assert len({shared, analyst.credential(second.party), curator.credential(second.party)}) == 3
    again = housed(tmp_path / "again", shufflers=2)
    assert again.homes["shuffler-0"].credential(again.homes["shuffler-1"].party) != shared


def test_an_operator_s_credential_may_be_in_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(StrangerError, match=credentials.VARIABLE):
        credentials.operator_credential(tmp_path)
    monkeypatch.setenv(credentials.VARIABLE, "told")
    assert credentials.operator_credential(tmp_path) == "told"


@pytest.mark.parametrize("content", [b"", b"\n", b"\xff"])
def test_an_empty_credential_opens_nothing(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "operator").write_bytes(content)
    with pytest.raises(StrangerError, match="there is no operator's credential"):
        credentials.operator_credential(tmp_path)
    for shown in ("Bearer", "Bearer ", "bearer", None):
        with pytest.raises(StrangerError):
            credentials.check_credential(shown, "")


def test_a_public_key_is_not_a_private_one(tmp_path: Path) -> None:
    key = new_key(tmp_path, "seal", 1)
    held = json.loads((tmp_path / key.id).read_text())
    assert bytes.fromhex(held["private"]) == key.private != key.public
