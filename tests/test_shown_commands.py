"""Every command that a page of the documentation shows runs, and prints what the page shows."""

import random
import re
import subprocess
from pathlib import Path

import pytest

from support.arx_projects import arx_project
from support.cli_runner import environment
from support.prose import PAGES
from support.shown_commands import ShownCommand, ShownFile, agrees, shown

ROOT = Path(__file__).parent.parent
TEXTS = {
    str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
    for path in PAGES
    if path.name not in ("SECURITY.md", "CONTRIBUTING.md")
}
# What is not run here, and why.
ELSEWHERE = {
    r"(docker|systemctl|systemd-run|git|pre-commit|pip|conda|uv|R|dbt|snow|openssl) ": "not ours",
    r".*\bpip install uv && ": ".ci/run runs the two commands of the README",
    r"discretion serve": "a server: tests/web",
    r"discretion collect (?!plan|init|simulate)": "services: tests/collection/test_by_commands.py",
    r"discretion reproduce .* --out": "tests/reproduce",
    r".*--engine spark|.*postgresql": "servers: -m 'spark or postgres'",
}
# The exit code of a command that a page shows without it.
CODES = {"discretion check people.csv --policy discretion.toml": 1}


def people(count: int, seed: int) -> str:
    """A table of people, as pages call it people.csv."""
    draw = random.Random(seed)
    rows = [
        (
            number, draw.randrange(20, 80), draw.choice("fm"), draw.choice(("Arica", "Lima", "Tacna")),
            draw.choice(("flu", "asthma", "none")), round(draw.uniform(50, 200), 1), number // 3,
        )
        for number in range(count)
    ]  # fmt: skip
    return "\n".join(["id,age,sex,town,diagnosis,hhwt,household", *(",".join(map(str, row)) for row in rows)]) + "\n"


def samples(secrets: list[str]) -> str:
    draw = random.Random(1)
    chosen = [draw.choice(secrets) for _ in range(400)]
    rows = [f"{secret},{draw.choice(('fast', 'slow') if secret == secrets[0] else ('slow',))}" for secret in chosen]
    return "\n".join(["secret,seen", *rows]) + "\n"


def visits(people: int) -> str:
    """A table of visits: a person has one to three of them."""
    draw = random.Random(3)
    rows = []
    for number in range(people):
        sex = draw.choice("fm")
        rows += [
            (f"P{number:03}", sex, draw.choice("ABC"), draw.choice(("flu", "asthma", "none")))
            for _ in range(draw.randint(1, 3))
        ]
    return "\n".join(["patient,sex,ward,reason", *map(",".join, rows)]) + "\n"


def patients(count: int) -> str:
    """A table with a name, dates, ZIP codes and a note in free text."""
    draw = random.Random(4)
    notes = (
        "was seen after a fall on the stairs at home",
        "has had headaches since the accident",
        "called again today",
    )
    rows = [
        (
            f"{draw.choice(('Ada', 'Ben', 'Cem', 'Dee'))} No-{number}",
            f"{draw.randint(1, 28):02}/{draw.randint(1, 12):02}/{draw.randint(1940, 2005)}",
            draw.choice(("02139", "02139", "02140", "02141", "03060", "03061", "03062")), draw.choice("fm"),
            f"2024-{draw.randint(1, 6):02}-{draw.randint(1, 28):02}", f"{draw.choice(notes)} {draw.randrange(1000)}",
        )
        for number in range(count)
    ]  # fmt: skip
    return "\n".join(["name,born,zip,sex,visited,note", *map(",".join, rows)]) + "\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the files that pages speak of without showing them."""
    files = {
        "people.csv": people(600, 1), "synthetic.csv": people(600, 2), "held-out.csv": people(600, 3),
        "visits.csv": visits(200), "patients.csv": patients(600),
        "samples.csv": samples(["alice", "bob"]), "outputs.csv": samples(["0", "1"]),
    }  # fmt: skip
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    arx_project(tmp_path / "project.deid", {"town": "Arica;Chile;*\nLima;Peru;*\nTacna;Peru;*\n"})
    for name in ("discretion.toml", "collect.toml"):
        (tmp_path / name).write_text((ROOT / "docs" / name).read_text())
    return tmp_path


def asked(command: ShownCommand) -> bool:
    return not any(re.match(pattern, command.run) for pattern in ELSEWHERE)


@pytest.mark.long
@pytest.mark.parametrize(
    "page", [name for name, text in TEXTS.items() if any(isinstance(each, ShownCommand) for each in shown(text))]
)
def test_every_command_of_a_page_runs_and_prints_what_the_page_shows(page: str, folder: Path) -> None:
    shell = environment(folder, COLUMNS="80")
    for each in shown(TEXTS[page]):
        if isinstance(each, ShownFile):
            (folder / each.name).parent.mkdir(parents=True, exist_ok=True)
            (folder / each.name).write_text(each.content)
        elif asked(each):
            done = subprocess.run(
                ["bash", "-c", each.run], cwd=folder, env=shell, capture_output=True, text=True, check=False
            )
            printed = done.stdout + done.stderr
            assert done.returncode == CODES.get(each.run, each.code), f"{each.run}\n{printed}"
            assert each.output is None or agrees(each.output, printed), f"{each.run}\n{printed}"
