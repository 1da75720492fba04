"""Projects of ARX (.deid): a zip archive whose XML maps each attribute to a CSV file of its hierarchy."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import BinaryIO
from xml.etree import ElementTree
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from discretion import limits
from discretion.errors import DiscretionError, InvalidTableError, TooLargeError
from discretion.memory import said_size

# Bytes that are unpacked of a project's XML, each of which takes up to fifty as a tree, and of its hierarchies.
MAX_BYTES_OF_DEFINITIONS = 1 << 22
MAX_BYTES_OF_HIERARCHIES = 1 << 26

_INPUT = "input/"  # the settings as they are edited; output/ has those of the last run


class ArxProject:
    """An open project. It unpacks only the entries that are needed, into memory and never to a file.

    Parameters
    ----------
    file
        The project file, open for reading.

    Raises
    ------
    InvalidTableError
        If it is not a project as ARX writes it.
    TooLargeError
        If it holds more than the limits allow.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._name = file.name
        self._most = self._room = limits.current().numbers(MAX_BYTES_OF_DEFINITIONS)
        with self._explained():
            self._packed = ZipFile(file)
            definition = self._parsed(_INPUT + "definition.xml")
            #: The name of each attribute, and the entry of its hierarchy or None.
            self.attributes = {
                each.findtext("name", "").strip(): each.findtext("ref") for each in definition.findall("assigment")
            }
            #: The character between the values of every hierarchy.
            self.delimiter = self._parsed("project.xml").findtext("separator", "")
            if len(self.delimiter) != 1 or self.delimiter in '"\r\n':
                raise ValueError("no such separator")
        self._most = self._room = limits.current().numbers(MAX_BYTES_OF_HIERARCHIES)

    def hierarchy(self, attribute: str) -> str:
        """Return the CSV text of an attribute's hierarchy, empty if the attribute has no hierarchy."""
        ref = self.attributes[attribute]
        # ARX stores every hierarchy, but refers only to those of quasi-identifiers.
        entry = _INPUT + (ref or f"hierarchies/{attribute}.csv")
        if entry not in self._packed.namelist():
            if ref is None:
                return ""
            fault = "is not stored as CSV, and its builder (.ahs) cannot be read"
        else:
            with self._explained():
                content = self._unpacked(entry)
            try:
                return content.decode()
            except UnicodeDecodeError:
                fault = "is not text in UTF-8"
        raise InvalidTableError(
            f"the hierarchy of {attribute!r:.60} in {self._name} {fault}; export the hierarchies from ARX as CSV in "
            "UTF-8, each named after its column, and name their folder"
        )

    def _parsed(self, entry: str) -> ElementTree.Element:
        text = self._unpacked(entry).decode()
        if "<!DOCTYPE" in text:
            raise InvalidTableError(
                f"{self._name} holds an XML document type, as ARX does not write; save the project in ARX again"
            )
        return ElementTree.fromstring(text)  # without a document type there are no entities

    def _unpacked(self, entry: str) -> bytes:
        info = self._packed.getinfo(entry)
        self._room -= info.file_size
        if self._room < 0:
            raise TooLargeError(
                f"{self._name} unpacks to more than {said_size(self._most)}, the most that is read, with {entry!r:.80}"
                "; export the hierarchies of the columns that matter from ARX as CSV, and name their folder"
            )
        if info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):  # others are unpacked without a bound
            raise ValueError("no such compression")
        with self._packed.open(info) as content:
            return content.read(info.file_size)  # without a size, all is unpacked before its size is checked

    @contextmanager
    def _explained(self) -> Generator[None]:
        try:
            yield
        except (DiscretionError, MemoryError):
            raise
        except Exception:  # zipfile and the XML parser raise many kinds
            raise InvalidTableError(
                f"{self._name} is not an ARX project (.deid) that can be read: it is of another kind, or damaged; save "
                "it in ARX again, or export its hierarchies as CSV and name their folder"
            ) from None
