"""Files that commands write: whole or not at all, on the disk before they have their name."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from discretion.errors import InvalidValueError
from discretion.presenting.files import folder_written_whole, written_whole


def test_nothing_has_a_name_before_it_is_whole(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    with written_whole(str(page)) as contents:
        contents += ["text ", b"and bytes"]
        assert list(tmp_path.iterdir()) == []
    assert list(tmp_path.iterdir()) == [page]
    assert page.read_bytes() == b"text and bytes"


def test_a_folder_is_made_when_its_files_are_whole(tmp_path: Path) -> None:
    with folder_written_whole(str(tmp_path / "a" / "b"), ["c", "d"]) as contents:
        contents["c"].append("1")
        contents["d"].append("2")
        assert list(tmp_path.iterdir()) == []
    assert {file.name: file.read_text() for file in (tmp_path / "a" / "b").iterdir()} == {"c": "1", "d": "2"}


def test_where_one_file_cannot_be_written_none_is(tmp_path: Path) -> None:
    (tmp_path / "c").write_text("old")
    with pytest.raises(UnicodeEncodeError), folder_written_whole(str(tmp_path), ["c", "d"]) as contents:
        contents["c"].append("new")
        contents["d"].append("\ud800")
    assert {file.name: file.read_text() for file in tmp_path.iterdir()} == {"c": "old"}


def test_a_new_file_is_as_open_as_others_and_a_replaced_one_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    (tmp_path / "private").touch(0o600)
    (tmp_path / "link").symlink_to("private")
    for name in ("new", "link"):
        with written_whole(str(tmp_path / name)) as contents:
            contents.append("whole")
    modes = {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir()}
    assert modes["new"] == modes["usual"]
    assert modes["link"] == 0o600
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "private").read_text() == "whole"


@pytest.mark.parametrize("name", ["no\0name", "x" * 300, "", "taken/in", "folder", "pipe"])
def test_a_place_that_takes_no_file_is_refused_before_any_work(name: str, tmp_path: Path) -> None:
    (tmp_path / "taken").touch()
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    before = set(tmp_path.iterdir())
    with pytest.raises(InvalidValueError, match="cannot write"), written_whole(f"{tmp_path}/{name}"):
        raise AssertionError("there was work")
    assert set(tmp_path.iterdir()) == before


def test_a_folder_whose_name_holds_a_nul_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidValueError, match="NUL"), folder_written_whole(f"{tmp_path}/a\0b", ["c"]):
        raise AssertionError("there was work")


PUT_A_PAIR = """
import os, sys
import subprocess
import sys
from pathlib import Path
from discretion.presenting.files import put_checked
folder, step, how = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
renamed, count = Path.replace, [0]
def replace(self, target):
    count[0] += 1
    if count[0] == step:
        if how == "killed":
            os._exit(9)
        raise {"full": OSError(28, "No space left on device"), "interrupted": KeyboardInterrupt()}[how]
    return renamed(self, target)
Path.replace = replace
put_checked(folder / "data", ["new"], lambda file: {folder / "beside": ["new"]})
"""


@pytest.mark.one_in(4)
@pytest.mark.parametrize("how", ["killed", "full", "interrupted"])
@pytest.mark.parametrize("old", [True, False])
def test_a_file_never_stands_without_the_one_that_belongs_to_it(how: str, old: bool, tmp_path: Path) -> None:
    def pair() -> list[str | None]:
        places = (tmp_path / "data", tmp_path / "beside")
        return [place.read_text() if place.exists() else None for place in places]

    before = ["old", "old"] if old else [None, None]
    for step in (1, 2, 3):
        for name, content in zip(("data", "beside"), before, strict=True):
            (tmp_path / name).write_text(content) if content else (tmp_path / name).unlink(missing_ok=True)
        command = [sys.executable, "-c", PUT_A_PAIR, str(tmp_path), str(step), how]
        ended = subprocess.run(command, check=False, capture_output=True)
        data, beside = pair()
        assert (ended.returncode == 0) == (step == 3), ended.stderr
        assert data == ("new" if step == 3 else before[0])
        assert data != "new" or beside == "new"
        assert how == "killed" or step == 3 or [data, beside] == before
