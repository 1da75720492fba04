"""What installs Discretion elsewhere asks for what its metadata asks for."""

import re
import shlex
import tomllib
from pathlib import Path

import pytest

import discretion
from discretion.cli.run import _app

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DOCKERFILE = (ROOT / "deploy" / "audit.Dockerfile").read_text(encoding="utf-8")
RECIPE = (ROOT / "deploy" / "conda" / "recipe.yaml").read_text(encoding="utf-8")
# What conda-forge calls otherwise.
NAMES = {"ibis-framework[duckdb]": "ibis-duckdb", "duckdb": "python-duckdb"}


def as_in_conda(requirement: str) -> str:
    name, versions = re.fullmatch(r"([\w\[\]-]+)(.*)", requirement).groups()
    return f"{NAMES.get(name, name)} {versions}"


def test_the_recipe_needs_what_the_metadata_needs_in_these_versions() -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed: the group servers")
    recipe = yaml.safe_load(RECIPE)
    assert recipe["package"] == {"name": "discretion", "version": discretion.__version__}
    expected = [f"python {PROJECT['requires-python']}", *map(as_in_conda, PROJECT["dependencies"])]
    assert recipe["requirements"]["run"] == expected
    (entry,) = recipe["build"]["python"]["entry_points"]
    assert entry == f"discretion = {PROJECT['scripts']['discretion']}"
    for command in recipe["tests"][1]["script"]:
        arguments = shlex.split(command)[1:]
        _app(arguments).parse_args(arguments, exit_on_error=False, print_error=False)
    assert all((ROOT / each).exists() for each in recipe["about"]["license_file"])


def test_the_image_for_tables_runs_a_command_as_nobody_much_and_without_a_network() -> None:
    assert [*re.findall(r"^ENTRYPOINT (.*)$", DOCKERFILE, re.MULTILINE)] == ['["/opt/discretion/bin/discretion"]']
    assert re.findall(r"^USER (\d+):\d+$", DOCKERFILE, re.MULTILINE)[-1] != "0"
    other = (ROOT / "deploy" / "Dockerfile").read_text(encoding="utf-8")
    assert {*re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)} == {*re.findall(r"^FROM (\S+)", other, re.MULTILINE)}
    for line in re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, re.MULTILINE):
        assert [name for name in line.split() if not (ROOT / name).exists()] == []
    (command,) = re.findall(r"^#   docker run (.*)$", DOCKERFILE, re.MULTILINE)
    given, _, arguments = command.partition(" discretion-audit ")
    assert "--network none" in given
    _app(shlex.split(arguments)).parse_args(shlex.split(arguments), exit_on_error=False, print_error=False)
    assert f"\ndocker run {command}\n" in (ROOT / "docs" / "start.md").read_text(encoding="utf-8")
