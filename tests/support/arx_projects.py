"""Projects as ARX writes them, for the tests that read hierarchies from one."""

import zipfile
from collections.abc import Mapping
from pathlib import Path
from xml.sax.saxutils import escape


def arx_project(
    path: Path, csv: Mapping[str, str], *, refs: Mapping[str, str | None] | None = None, separator: str = ";",
    compression: int = zipfile.ZIP_DEFLATED, entries: Mapping[str, bytes | None] | None = None,
) -> Path:  # fmt: skip
    """Write a project as ARX lays it out: attributes and their hierarchies; `entries` replace or leave out others."""
    assignments = "".join(
        f"\t<assigment>\n\t\t<name>{escape(name)}</name>\n\t\t<type>QUASI_IDENTIFYING_ATTRIBUTE</type>\n"
        "\t\t<datatype>String</datatype>\n"
        + (f"\t\t<ref>{escape(ref)}</ref>\n\t\t<min>All</min>\n\t\t<max>All</max>\n" if ref else "")
        + "\t</assigment>\n"
        for name, ref in (refs or {name: f"hierarchies/{name}.csv" for name in csv}).items()
    )
    definition = f"<definition>\n{assignments}</definition>\n".encode("ascii", "xmlcharrefreplace")
    content: dict[str, bytes | None] = {
        "metadata.xml": b"<metadata>\n\t<version>3.7.0</version>\n\t<vocabulary>2.0</vocabulary>\n</metadata>\n",
        "project.dat": b"\xac\xed\x00\x05sr",
        "project.xml": (
            f"<project>\n\t<name>Example</name>\n\t<separator>{escape(separator)}</separator>\n"
            "\t<escape>&quot;</escape>\n\t<quote>&quot;</quote>\n\t<linebreak>UNIX</linebreak>\n</project>\n"
        ).encode(),
        "data/input.csv": separator.join(csv).encode() + b"\n",
        "input/config.dat": b"\xac\xed\x00\x05sr",
        "input/config.xml": b"<config>\n</config>\n",
        "input/definition.xml": definition,
        **{f"input/hierarchies/{name}.csv": text.encode() for name, text in csv.items()},
        "output/config.dat": b"\xac\xed\x00\x05sr",
        "output/config.xml": b"<config>\n</config>\n",
        "output/definition.xml": definition,
        **{f"output/hierarchies/{name}.csv": b"of an earlier output;*\n" for name in csv},
        "lattice.xml": b"<!-- ARX XML Vocabulary Version 2.0 -->\n<lattice>\n</lattice>\n",
    }
    with zipfile.ZipFile(path, "w", compression) as packed:
        for name, data in (content | dict(entries or {})).items():
            if data is not None:
                packed.writestr(name, data)
    return path
