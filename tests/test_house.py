"""What the house promises of the code in it."""

import ast
import functools
import inspect
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import discretion.mechanisms
from discretion.cli import main
from discretion.errors import UnsupportedError
from discretion.tables.counting import grouping

SOURCE = Path(discretion.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))
MECHANISMS = {
    kind.__name__
    for room in [*sys.modules.values()]
    if room.__name__.startswith("discretion.mechanisms")
    for kind in vars(room).values()
    if isinstance(kind, type) and kind.__module__.startswith("discretion.mechanisms") and hasattr(kind, "channel")
}


@functools.cache
def facts(file):
    """Return the names of the classes whose instances a file looks for, and of the modules that it imports anywhere."""
    nodes = [*ast.walk(ast.parse(file.read_text()))]
    return {*asked_for(nodes)}, {*imported(nodes)}


def asked_for(nodes):
    for node in nodes:
        kinds = []
        if isinstance(node, ast.Call) and getattr(node.func, "id", None) in ("isinstance", "issubclass"):
            kinds = [node.args[1]]
        elif isinstance(node, ast.MatchClass):
            kinds = [node.cls]
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Is | ast.IsNot | ast.Eq | ast.NotEq):
            kinds = [node.left, *node.comparators]
        for part in (part for kind in kinds for part in ast.walk(kind)):
            if isinstance(part, ast.Name | ast.Attribute):
                yield part.id if isinstance(part, ast.Name) else part.attr


def test_only_mechanisms_ask_which_mechanism_it_is():
    assert {"RandomizedResponse", "Exponential", "SubsampledGaussian", "PureProtocol", "Mechanism"} <= MECHANISMS
    others = [file for file in FILES if SOURCE / "mechanisms" not in file.parents]
    assert {str(file.relative_to(SOURCE)): found for file in others if (found := MECHANISMS & facts(file)[0])} == {}


def imported(nodes):
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            of_it = {f"{node.module}.{alias.name}" for alias in node.names}
            yield from of_it & MODULES.keys() or {node.module}


def module_of(file):
    return ".".join(file.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__")


MODULES = {module_of(file): file for file in FILES}
# `C >> D` and `C & D`, when they are called.
EXPLAINED = {("discretion.channels.channel", "discretion.channels.composition.products")}


def test_no_module_imports_itself_by_way_of_others():
    """Packages are modules here that import what their own file does; the import rules look at their parts together."""
    graph = {
        name: {other for other in facts(file)[1] if other in MODULES and (name, other) not in EXPLAINED}
        for name, file in MODULES.items()
    }
    assert len(graph["discretion.jobs.measure"]) > 5
    TopologicalSorter(graph).prepare()


# Folders of tests that are about the whole house, or about several rooms.
SHARED = {"support", "oracles", "sweep", "hostile", "collection/faults"}


def test_a_folder_of_tests_is_a_room_of_the_source():
    tests = SOURCE.parents[1] / "tests"
    folders = {str(file.parent.relative_to(tests)) for file in tests.rglob("*.py")}
    assert [name for name in folders if not (SOURCE / name).is_dir() and not {name, name.split("/")[0]} & SHARED] == []
    assert len(folders - SHARED) > 50


def test_a_test_stands_where_its_module_does():
    """In the folder of the module that its name names, if that room of the source has one."""
    tests = SOURCE.parents[1] / "tests"
    misplaced = {}
    for file in tests.rglob("test_*.py"):
        folder, name = file.parent.relative_to(tests), file.stem.removeprefix("test_")
        if folder.parts and folder.parts[0] not in SHARED and folder.name != name:
            room = SOURCE / folder.parts[0]
            homes = {module.parent.relative_to(SOURCE) for module in room.rglob(f"{name}.py")}
            if homes and folder not in homes:
                misplaced[str(file.relative_to(tests))] = sorted(map(str, homes))
    assert misplaced == {}


def test_an_audit_counts_a_few_files_after_its_command(monkeypatch):
    walked = []

    def counted(*arguments):
        walked.extend(dict.fromkeys(frame.filename for frame in inspect.stack() if str(SOURCE) in frame.filename))
        raise UnsupportedError("counted")

    monkeypatch.setattr(grouping, "count_rows", counted)
    assert main(["audit", "example:adult"]) == 2
    assert 4 <= len(walked) <= 8


def test_no_file_has_the_name_that_the_product_had():
    """Another library has it on the package index; what installs it would install that one."""
    former = "ta" + "cit"
    root = SOURCE.parents[1]
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True).stdout
    files = [root / name for name in listed.split("\0") if name and name != "CHANGELOG.md"]
    assert len(files) > 500
    assert [name for name in files if former in str(name.relative_to(root)).lower()] == []
    assert [name for name in files if name.exists() and former.encode() in name.read_bytes().lower()] == []
