"""Options on the command line: a dataclass field by field, and the reader for each type of value."""

from collections.abc import Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from types import FunctionType
from typing import Annotated, Any, TypeVar, get_type_hints

from cyclopts import Parameter, Token

from discretion.jobs.options import (
    Header,
    Lines,
    LinkedColumns,
    Names,
    as_header_option,
    as_linked,
    as_names,
    option_name,
)

Command = TypeVar("Command", bound=FunctionType)

Table = Annotated[
    str,
    Parameter(
        help="A CSV, TSV, Parquet, JSON or Excel file, a folder of Parquet files, a DuckDB or SQLite file, a "
        "database's address (postgres://user@host/db?table=NAME), - for CSV on standard input, or example:adult."
    ),
]
File = Annotated[str, Parameter(metavar="FILE")]


@dataclass(frozen=True, kw_only=True)
class TimeOption:
    """The time limit of a command.

    Parameters
    ----------
    time
        The time limit, in seconds or as 2m or 1h; no limit by default.
    """

    time: str | None = None


@dataclass(frozen=True, kw_only=True)
class LimitOptions(TimeOption):
    """The time limit and the memory limit of a command.

    Parameters
    ----------
    memory
        The memory to use in addition to about 500 MB of libraries, such as 2GB; by default half of what is available.
    """

    memory: str | None = None


@dataclass(frozen=True, kw_only=True)
class OutputOptions:
    """The outputs of a command.

    Parameters
    ----------
    fail_over
        Exit with 1 if a measure is above or below a limit, as "exposure>0.01"; give the option once for each. Exit with
        3 if the result does not decide a limit.
    html
        Write the result as a self-contained page to this file.
    markdown
        Write the result as Markdown to this file.
    full
        Print every section instead of only the first ones.
    json
        Print one JSON object.
    """

    fail_over: tuple[str, ...] = ()
    html: File | None = None
    markdown: File | None = None
    full: bool = False
    json: bool = False


@dataclass(frozen=True, kw_only=True)
class ChartOptions(OutputOptions):
    """The outputs of a command whose result has a figure.

    Parameters
    ----------
    chart
        Write the figure to this file, in the format of its suffix: .svg, .png, .pdf or .html.
    """

    chart: File | None = None

    @property
    def has_figure(self) -> bool:
        """Whether a figure is written, by itself or in a page."""
        return bool(self.chart or self.html)


def _whole(_: object, tokens: Sequence[Token]) -> int:
    """Return a whole number, which cyclopts would round."""
    return int(tokens[0].value)


def _names(_: object, tokens: Sequence[Token]) -> list[str]:
    """Return the names of all lists, where the option is given more than once."""
    return [name for token in tokens for name in as_names(token.value) or []]


def _header(_: object, tokens: Sequence[Token]) -> bool | list[str] | None:
    return as_header_option(tokens[0].value)


def _parties(_: object, tokens: Sequence[Token]) -> tuple[list[str], list[str]]:
    return as_linked(tokens[0].value)


Whole = Annotated[int, Parameter(converter=_whole)]
# Given once for each gate.
FailOver = Annotated[tuple[str, ...], Parameter(negative="")]

# The type of a field → its reader on the command line.
_READ: dict[Any, Any] = {
    int: Whole,
    int | None: Annotated[int | None, Parameter(converter=_whole)],
    Names: Annotated[Any, Parameter(converter=_names, n_tokens=1, metavar="A,B,…")],
    Names | None: Annotated[Any, Parameter(converter=_names, n_tokens=1, metavar="A,B,…")],
    Header: Annotated[Any, Parameter(converter=_header, n_tokens=1, metavar="yes|no|A,B,…")],
    LinkedColumns | None: Annotated[Any, Parameter(converter=_parties, n_tokens=1, metavar="A,B|C,D")],
}


def command(function: Command) -> Command:
    """Make every field of the dataclasses among a function's parameters an option of the command line."""
    defaults: dict[str, Any] = {}
    for name, hint in function.__annotations__.items():
        if is_dataclass(hint) and isinstance(hint, type):
            function.__annotations__[name] = Annotated[_as_read(hint), Parameter(name="*")]
            if all(field.default is not MISSING for field in fields(hint)):
                defaults[name] = hint()
    function.__kwdefaults__ = {**(function.__kwdefaults__ or {}), **defaults}
    return function


def _as_read(options: type) -> type:
    """Return a dataclass with the fields of another one and their readers on the command line."""
    hints = get_type_hints(options, include_extras=True)
    read = {field.name: _READ.get(hints[field.name], hints[field.name]) for field in fields(options)}
    for field in fields(options):
        if field.type == Lines:
            name = option_name(field)
            read[field.name] = Annotated[Lines, Parameter(name=name, negative="", metavar=name[2:].upper())]
    body: dict[str, Any] = {"__annotations__": read, "__module__": options.__module__, "__doc__": options.__doc__}

    def new(_: type, **values: Any) -> Any:  # an instance is of the original type
        return options(**values)

    def unchecked(
        *_: Any,
    ) -> dict[str, str]:  # where pydantic is loaded it would refuse these
        return {"type": "any"}

    body |= {"__new__": new, "__get_pydantic_core_schema__": classmethod(unchecked)}
    return dataclass(frozen=True, kw_only=True)(type(options.__name__, (options,), body))


def as_seed(seed: int | None) -> int:
    """Return the seed, at least 0; without one, draw one here, so that the result can show it."""
    from discretion.numerics.draws import fresh_seed  # noqa: PLC0415 - few commands draw
    from discretion.validation import as_count  # noqa: PLC0415

    return fresh_seed() if seed is None else as_count(seed, "--seed", at_least=0)
