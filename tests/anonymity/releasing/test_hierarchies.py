"""A hierarchy in a file tells of values as somebody spells them who looks at the table."""

import tracemalloc
import zipfile
from datetime import datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from discretion.anonymity.people.hierarchies import read_hierarchies
from discretion.anonymity.releasing.generalizations import identity_generalization
from discretion.anonymity.releasing.hierarchies import generalizations_by
from discretion.errors import DiscretionError, InvalidTableError, InvalidValueError, TooLargeError
from discretion.limits import Limits, within
from discretion.numerics.equivalence_classes import Column
from support.arx_projects import arx_project

SPELLED: dict[str, tuple[list[Any], list[str]]] = {
    "whole numbers beside a null": ([1.0, 2.0, 30.0, None], ["1", "2", "30"]),
    "halves": ([1.0, 1.5, 30.0, None], ["1.0", "1.5", "30.0"]),
    "days at midnight": (
        [datetime(2020, 1, 5), datetime(2020, 1, 6), datetime(2021, 1, 5)], ["2020-01-05", "2020-01-06", "2021-01-05"]
    ),
    "flags": ([True, "True", False], ["true", "True", "false"]),
    "spaces about a text": ([" a", "b ", "c"], ["a", "b", "c"]),
}  # fmt: skip


@pytest.mark.parametrize("case", SPELLED)
def test_values_are_told_as_somebody_spells_them(tmp_path: Path, case: str) -> None:
    values, lines = SPELLED[case]
    (tmp_path / "x.csv").write_text("".join(f"{line};{group}\n" for line, group in zip(lines, "aab", strict=True)))
    finest = identity_generalization(Column(np.arange(len(values), dtype=np.int32), len(values)), values)
    _, coarser = generalizations_by(read_hierarchies(tmp_path, ["x"])["x"], "x", finest)
    assert [coarser.labels[code] for code in coarser.column.codes] == [*"aab", None][: len(values)]


ARX_COLUMNS = (
    "age", "education", "marital-status", "native-country", "occupation", "race", "salary-class", "sex", "workclass"
)  # fmt: skip


@pytest.mark.parametrize("between", "-_. ")
def test_files_of_an_arx_project_are_found_by_column(tmp_path: Path, between: str) -> None:
    for name in ARX_COLUMNS:
        (tmp_path / f"adult_hierarchy_{name}.csv").write_text(f"{name};*\n")
    (tmp_path / "adult.csv").write_text(";".join(ARX_COLUMNS) + "\n")
    columns = [name.replace("-", between).title() for name in ARX_COLUMNS]
    found = read_hierarchies(tmp_path, columns)
    assert [[*hierarchy] for hierarchy in map(found.__getitem__, columns)] == [[name] for name in ARX_COLUMNS]


SEX = "Male;*\nFemale;*\n"
READ_SEX = {"Male": ("*",), "Female": ("*",)}

#: What a project holds, the columns of a table, and their hierarchies.
PROJECTS: dict[str, tuple[dict[str, Any], list[str], dict[str, Any]]] = {
    "columns of the attributes' names": (
        {"csv": {"sex": SEX, "age": "1;[1, 5];*\n2;[1, 5];*\n"}}, ["age", "sex"],
        {"age": {"1": ("[1, 5]", "*"), "2": ("[1, 5]", "*")}, "sex": READ_SEX},
    ),
    "columns spelled otherwise": (
        {"csv": {"marital-status": "Widowed;*\n"}}, ["Marital Status"], {"Marital Status": {"Widowed": ("*",)}}
    ),
    "an attribute whose name ends with a column's": ({"csv": {"sex": SEX, "partner-sex": "?;*\n"}}, ["sex"],
                                                     {"sex": READ_SEX}),
    "a table with fewer and other columns": ({"csv": {"sex": SEX, "age": "1;*\n"}}, ["sex", "job"], {"sex": READ_SEX}),
    "values with the separator, quotes and a mark of a comment": (
        {"csv": {"job": '"a;b";"of ""a""";*\n"#1";o"clock;*\n'}}, ["job"],
        {"job": {"a;b": ('of "a"', "*"), "#1": ('o"clock', "*")}},
    ),
    "commas between values with semicolons": (
        {"csv": {"age": "1,[1;5[,*\n"}, "separator": ","}, ["age"], {"age": {"1": ("[1;5[", "*")}}
    ),
    "tabs between values": ({"csv": {"age": "1\t1, 2; 3\n"}, "separator": "\t"}, ["age"], {"age": {"1": ("1, 2; 3",)}}),
    "names and values beyond ASCII, and with marks of XML": (
        {"csv": {"año <R&D>": "Zoë;*\n"}}, ["año <R&D>"], {"año <R&D>": {"Zoë": ("*",)}}
    ),
    "a slash in a name": ({"csv": {"a/b": "x;*\n"}}, ["a/b"], {"a/b": {"x": ("*",)}}),
    "a hierarchy of an attribute that is no quasi-identifier": (
        {"csv": {"sex": SEX}, "refs": {"sex": None}}, ["sex"], {"sex": READ_SEX}
    ),
    "an attribute without a hierarchy": (
        {"csv": {"sex": SEX}, "refs": {"sex": "hierarchies/sex.csv", "age": None}}, ["age", "sex"], {"sex": READ_SEX}
    ),
    "hierarchies that change nothing": (
        {"csv": {"sex": SEX, "age": "1\n2\n", "job": ""}}, ["age", "job", "sex"], {"sex": READ_SEX}
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", PROJECTS)
def test_a_column_has_the_hierarchy_of_its_attribute_in_an_arx_project(tmp_path: Path, case: str) -> None:
    project, columns, hierarchies = PROJECTS[case]
    assert read_hierarchies(arx_project(tmp_path / "people.DEID", **project), columns) == hierarchies


DOCTYPE = b'<!DOCTYPE d [<!ENTITY a "sex">]>\n<definition><assigment><name>&a;</name></assigment></definition>'

#: What is wrong with a project, and what the error states.
PROJECT_FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "no column of its attributes": ({"csv": {"age": "1;*\n"}}, "no hierarchy of a column .*'age'.*the name"),
    "no hierarchy at all": ({"csv": {}, "refs": {"sex": None}}, "no hierarchy of a column of the table"),
    "a hierarchy that is only a builder's": (
        {"csv": {}, "refs": {"sex": "hierarchies/sex.csv"}}, "'sex' in .*not stored as CSV.*export the hierarchies"
    ),
    "a ragged hierarchy": ({"csv": {"sex": "Male;x;y\nFemale;x\n"}}, "'sex' in .*each line needs"),
    "another encoding": (
        {"csv": {"sex": ""}, "entries": {"input/hierarchies/sex.csv": "männlich;*\n".encode("latin-1")}},
        "'sex' in .*not text in UTF-8.*export the hierarchies",
    ),
    "no definition": ({"csv": {"sex": SEX}, "entries": {"input/definition.xml": None}}, "not an ARX project"),
    "half a definition": (
        {"csv": {"sex": SEX}, "entries": {"input/definition.xml": b"<definition><assig"}}, "not an ARX project"
    ),
    "no attributes": (
        {"csv": {"sex": SEX}, "entries": {"input/definition.xml": b"<definition/>"}}, "first attributes are none"
    ),
    "no separator": ({"csv": {"sex": SEX}, "entries": {"project.xml": b"<project/>"}}, "not an ARX project"),
    "a quote as the separator": ({"csv": {"sex": SEX}, "separator": '"'}, "not an ARX project"),
    "a definition of megabytes": (
        {"csv": {"sex": SEX}, "entries": {"input/definition.xml": b"<a/>" * (1 << 21)}}, "more than 4.19 MB"
    ),
    "an XML document type": (
        {"csv": {"sex": SEX}, "entries": {"input/definition.xml": DOCTYPE}}, "XML document type"
    ),
    "an XML document type in wide letters": (
        {"csv": {"sex": SEX}, "entries": {"input/definition.xml": DOCTYPE.decode().encode("utf-16")}},
        "not an ARX project",
    ),
    "a compression that ARX does not use": (
        {"csv": {"sex": SEX}, "compression": zipfile.ZIP_LZMA}, "not an ARX project"
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", PROJECT_FAULTS)
def test_an_arx_project_without_readable_hierarchies_is_refused(tmp_path: Path, case: str) -> None:
    project, message = PROJECT_FAULTS[case]
    with pytest.raises(InvalidValueError, match=message):
        read_hierarchies(arx_project(tmp_path / "people.deid", **project), ["sex"])


@pytest.mark.parametrize("content", [b"", b"sex;*\n", b"PK\x03\x04", b"PK\x05\x06" + bytes(18)])
def test_a_file_that_is_no_archive_is_no_arx_project(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "people.deid").write_bytes(content)
    with pytest.raises(InvalidTableError, match="not an ARX project"):
        read_hierarchies(tmp_path / "people.deid", ["sex"])


def test_an_arx_project_unpacks_to_no_more_than_the_limits_allow(tmp_path: Path) -> None:
    """A zip bomb: a small archive, whose hierarchy has the size that it states or a far larger one."""
    honest = arx_project(tmp_path / "honest.deid", {"sex": "Male;*\n" * 5_000_000})
    assert zipfile.ZipFile(honest).getinfo("input/hierarchies/sex.csv").file_size > 300 * honest.stat().st_size
    content = honest.read_bytes()
    lying = tmp_path / "lying.deid"
    lying.write_bytes(content.replace((35_000_000).to_bytes(4, "little"), (7_000).to_bytes(4, "little")))
    for bomb, error in ((honest, TooLargeError), (lying, InvalidTableError)):
        tracemalloc.start()
        with within(Limits(bytes=8_000_000)), pytest.raises(error):
            read_hierarchies(bomb, ["sex"])
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 3_000_000


@pytest.mark.long
def test_many_hierarchies_share_one_limit(tmp_path: Path) -> None:
    columns = [f"c{number}" for number in range(20)]
    lines = "".join(f"{number};*\n" for number in range(10_000))
    project = arx_project(tmp_path / "people.deid", dict.fromkeys(columns, lines))
    assert [*read_hierarchies(project, columns)] == columns
    with within(Limits(bytes=8_000_000)), pytest.raises(TooLargeError, match=r"more than 1 MB.*export the hierarchies"):
        read_hierarchies(project, columns)


def test_entities_of_an_arx_project_are_not_expanded(tmp_path: Path) -> None:
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 6))
    attack = (
        f'<!DOCTYPE d [<!ENTITY e0 "a">{entities}]><definition><assigment><name>&e5;</name></assigment></definition>'
    )
    assert len(ElementTree.fromstring(attack).findtext("assigment/name") or "") == 100_000
    project = arx_project(tmp_path / "people.deid", {"sex": SEX}, entries={"input/definition.xml": attack.encode()})
    with pytest.raises(InvalidTableError, match="XML document type"):
        read_hierarchies(project, ["sex"])


@pytest.mark.parametrize("ref", ["../../sex.csv", "../sex.csv", "hierarchies/../../../sex.csv"])
def test_an_arx_project_leads_to_no_file_beside_it(tmp_path: Path, ref: str) -> None:
    (tmp_path / "folder" / "input").mkdir(parents=True)
    for folder in (tmp_path, tmp_path / "folder"):
        (folder / "sex.csv").write_text(SEX)
    assert (tmp_path / "folder" / "input" / ref).resolve().read_text() == SEX
    before = sorted(tmp_path.rglob("*"))
    project = arx_project(tmp_path / "folder" / "people.deid", {}, refs={"sex": ref})
    with pytest.raises(DiscretionError, match="not stored as CSV"):
        read_hierarchies(project, ["sex"])
    packed = arx_project(project, {}, refs={"sex": ref}, entries={f"input/{ref}": b"Male;packed\n"})
    assert read_hierarchies(packed, ["sex"]) == {"sex": {"Male": ("packed",)}}
    assert sorted(tmp_path.rglob("*")) == sorted([*before, project])
