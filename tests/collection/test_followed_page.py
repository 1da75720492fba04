"""docs/how-to/collecting.md followed from keys to destroyed: its commands, with this machine in place of five."""

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from discretion.collection.simulation.parties import free_ports
from support.cli_runner import run
from support.collection.parties import LOOPBACK, eventually, process

pytestmark = pytest.mark.long
DOCS = Path(__file__).parents[2] / "docs"
PEOPLE = 24
ROLES = ("shuffler", "second", "curator", "analyst", "admitter")


class Followed:
    """The page's commands, each in a folder, with the files, ports and numbers of a small trial."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ports = dict(zip(ROLES, free_ports(len(ROLES)), strict=True))
        text = (DOCS / "how-to" / "collecting.md").read_text(encoding="utf-8")
        blocks = re.findall(r"^```[^\n]*\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
        self.commands = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]

    def command(self, start: str, **changed: str) -> list[str]:
        """Return the words of the only command of the page that starts so, with what stands for the five machines."""
        (line,) = {each for each in self.commands if each.startswith(start)}
        for old, new in {
            "/var/lib/discretion-": f"{self.folder}/", "0.0.0.0": LOOPBACK, "DNS:first.example": f"IP:{LOOPBACK}",
            "--count 5000": f"--count {PEOPLE}", **changed,
        }.items():  # fmt: skip
            line = line.replace(old, new)
        return shlex.split(line)

    def does(self, start: str, **changed: str) -> Any:
        """Run a command here, which goes well, and return what it shows."""
        words = self.command(start, **changed)
        if words[0] == "openssl":
            subprocess.run(words, cwd=self.folder, check=True, capture_output=True)
            return None
        code, out, err = run(*self._placed(words[1:]))
        assert (code, err) == (0, ""), (words, err)
        return out

    def serve(self, role: str, start: str) -> subprocess.Popen[str]:
        """Start a service of the page at a port of its own."""
        words = self.command(start, **{"8443": str(self.ports[role]), "discretion-shuffler": role})
        if role == "second":
            words[3] = str(self.folder / "second")
        return process(*self._placed(words[1:]))

    def _placed(self, words: list[str]) -> list[str]:
        """Return words with the files that they name in this folder."""
        names = {"c.pem", "k.pem", "authority.pem", "task", "collect.toml", "invited", "uploads", "mine.txt", "mine",
                 "answers.json", "lines", "answers.html", "answers.parquet", "collection"}  # fmt: skip
        return [str(self.folder / word) if word in names else word for word in words]


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Followed]:
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    yield Followed(tmp_path)


def described(page: Followed, keys: dict[str, str]) -> str:
    """Return the example with the keys that the parties printed, this machine's addresses, and fewer people."""
    text = (DOCS / "collect.toml").read_text(encoding="utf-8")
    text = re.sub(r"^(key|signer) = .*\n", "", text, flags=re.MULTILINE)
    text = text.replace("# [admitter]", "[admitter]").replace("# url", "url")
    text = text.replace("smallest_batch = 1000", "smallest_batch = 20").replace("invited = 5000", f"invited = {PEOPLE}")
    for role, host in zip(ROLES, ("first", "second", "curator", "analyst", "admitter"), strict=True):
        lines = f'url = "https://{LOOPBACK}:{page.ports[role]}"\n{keys[role]}'
        text = text.replace(f'url = "https://{host}.example"', lines)
    return text


def test_the_page_leads_from_keys_to_a_result_and_to_nothing(page: Followed) -> None:
    folder = page.folder
    page.does("openssl req -x509")
    page.does("openssl req -new")
    page.does("openssl x509")
    keys = {
        role: page.does(
            "discretion collect keys /var/lib/discretion-curator",
            **{"curator": role, "--role second": "--role shuffler", "--days 90": "--days 90 " + more},
        )
        for role in ROLES
        for more in ["--questions 3" if role == "admitter" else ""]
    }
    (folder / "collect.toml").write_text(described(page, keys))
    assert "SHA-256" in page.does("discretion collect init")
    shutil.copy(folder / "collection" / "task", folder / "task")
    with ExitStack() as stack:
        for role in ROLES:
            kind = "shuffler" if role == "second" else role
            service = page.serve(role, f"discretion collect {kind} /var/lib/discretion-{kind} --task")
            stack.callback(service.communicate)
            stack.callback(service.kill)
        status = ["collect", "status", str(folder / "shuffler"), "--authority", str(folder / "authority.pem")]
        for role in ROLES:
            eventually(lambda role=role: run(*status[:2], str(folder / role), *status[3:])[0] == 0)
        page.does("discretion collect admit /var/lib/discretion-admitter")
        shutil.copy(folder / "invited" / "uploads", folder / "uploads")
        page.does("discretion collect admit /var/lib/discretion-shuffler")
        assert str(PEOPLE) in page.does("discretion collect status /var/lib/discretion-shuffler --invitations")
        links = [
            link for path in sorted((folder / "invited").glob("invitations*")) for link in path.read_text().split()
        ]
        (folder / "answers.json").write_text(json.dumps({"age": "30 to 59", "town": "Lima", "service": "doctor"}))

        def submit() -> None:
            for place, link in enumerate(links):
                (folder / "mine.txt").write_text(link)
                page.does(
                    "discretion collect submit --invitation", **{"--state mine": f"--state {folder}/mine-{place}"}
                )

        submit()
        assert len((folder / "lines").read_text().split()) == PEOPLE
        page.does("discretion collect close")
        eventually(lambda: "round 2" in run(*status)[1])
        for place in range(PEOPLE):
            again = ["collect", "submit", f"https://{LOOPBACK}:{page.ports['shuffler']}", "--state",
                     str(folder / f"mine-{place}"), "--authority", str(folder / "authority.pem")]  # fmt: skip
            code, _, err = run(*again)
            assert (code, err) == (0, "")
        eventually(lambda: run("collect", "result", str(folder / "analyst"))[0] == 0)
        page.does("discretion collect result")
        assert "30 to 59" in (folder / "answers.html").read_text(encoding="utf-8")
        for role in ROLES:
            page.does("discretion collect destroy", **{"/analyst": f"/{role}"})
            assert not [*(folder / role / "keys").iterdir()]
