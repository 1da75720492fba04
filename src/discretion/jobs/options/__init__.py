"""The options of a job as one value, with their spellings in JSON and as arguments of a command."""

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import Field, dataclass, fields
from typing import Any, Literal, Self, cast, get_args, get_origin, get_type_hints

from discretion.errors import InvalidValueError, one_of

Names = Sequence[str]
# Lines of text, each set by an option of its own.
Lines = tuple[str, ...]
# The first line of a file, as `discretion.Population` takes it.
Header = bool | Names | None
# The columns that each of two parties knows about a person.
LinkedColumns = tuple[Names, Names]


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of a job: everything except its tables or mechanisms.

    Names may be given as any iterable, or as a single text if the default is no names; the field is a tuple.

    Examples
    --------
    >>> @dataclass(frozen=True, kw_only=True)
    ... class Counting(Options):
    ...     columns: Names = ()
    ...     k: int = 10
    ...     header: bool | None = None
    ...     show_rare: bool = False
    >>> options = Counting(columns=["age", "a, b"], header=False, show_rare=True)
    >>> options.arguments()
    ['--columns=age,"a, b"', '--header=no', '--show-rare']
    >>> options.inputs()
    {'columns': ['age', 'a, b'], 'k': 10, 'header': False, 'show_rare': True}
    >>> options.texts()
    {'columns': ['age,"a, b"'], 'header': ['no'], 'show_rare': ['yes']}
    >>> Counting.of_texts(options.texts()) == options
    True
    """

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.default == () and (value is None or isinstance(value, str)):
                value = () if value is None else (value,)
            object.__setattr__(self, field.name, _frozen(value))

    @classmethod
    def of_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        """Return the options among the parameters of a function, by their names."""
        return cls(**{field.name: parameters[field.name] for field in fields(cls) if field.name in parameters})

    @classmethod
    def of_texts(cls, texts: Mapping[str, Sequence[str]]) -> Self:
        """Return the options from their texts by name: one text for each option, or one for each line.

        Raises
        ------
        InvalidValueError
            If there is no such option, or a text is no value of it.
        """
        hints = get_type_hints(cls)
        values: dict[str, Any] = {}
        for name, given in texts.items():
            hint = hints[one_of(name, hints, "option")]
            if hint == Lines:
                values[name] = tuple(given)
            elif len(given) == 1:
                values[name] = _read(name, given[0], hint)
            else:
                raise InvalidValueError(f"{name} is given {len(given)} times; give it once")
        return cls(**values)

    def inputs(self) -> dict[str, Any]:
        """Return the options by name, for JSON."""
        return {field.name: _plain(getattr(self, field.name)) for field in fields(self)}

    def arguments(self) -> list[str]:
        """Return the arguments of a command that differ from its defaults."""
        by_name = {field.name: field for field in fields(self)}
        return [
            option_name(by_name[name]) if by_name[name].default is False else f"{option_name(by_name[name])}={text}"
            for name, texts in self.texts().items()
            for text in texts
        ]

    def texts(self) -> dict[str, list[str]]:
        """Return the options that differ from the defaults, as texts by name; `of_texts` reads them again."""
        return {
            field.name: [_spelled(each) for each in (value if field.type == Lines else [value])]
            for field in fields(self)
            if (value := getattr(self, field.name)) != field.default
        }


def option_name(field: Field[Any]) -> str:
    """Return the option of a command that sets a field; an option that sets one of several lines is in the singular."""
    name = field.name.removesuffix("s") if field.type == Lines else field.name
    return f"--{name.replace('_', '-')}"


def as_names(text: str | None) -> list[str] | None:
    """Return the names in a comma-separated list; a name with a comma must be in double quotes."""
    if text is None:
        return None
    try:
        (names,) = csv.reader(io.StringIO(text, newline=""), skipinitialspace=True, strict=True)
    except (csv.Error, ValueError):
        raise InvalidValueError(
            f"names must be separated by commas, in double quotes if they have a comma, got {text!r}"
        ) from None
    return names


def as_header_option(text: str | None) -> bool | list[str] | None:
    """Return the value of the option header: ``yes`` if the first line has names, ``no`` if not, or the names."""
    return {"yes": True, "no": False}[text] if text in ("yes", "no") else as_names(text)


def as_linked(text: str) -> tuple[list[str], list[str]]:
    """Return the two sets of columns of ``a,b|c,d``."""
    parties = re.split(r'\|(?=(?:[^"]*"[^"]*")*[^"]*$)', text)  # not within quotes
    if len(parties) != 2:
        raise InvalidValueError(f'--linked must be two sets of columns, such as "a,b|c,d", got {text!r}')
    return as_names(parties[0]) or [], as_names(parties[1]) or []


def _read(name: str, text: str, hint: Any) -> Any:
    """Return the value of a text for an option of this type."""
    if hint in _LISTS:
        return _LISTS[hint](text)
    (kind,) = [each for each in get_args(hint) if each is not type(None)] if type(None) in get_args(hint) else [hint]
    if get_origin(kind) is Literal:
        return one_of(text, get_args(kind), f"choice of {name},")
    if kind is bool:
        return one_of(text, ("yes", "no"), f"choice of {name},") == "yes"
    try:
        return kind(text)
    except ValueError:
        what = "a whole number" if kind is int else "a number"
        raise InvalidValueError(f"{name} must be {what}, got {text[:40]!r}") from None


# The types that are spelled as lists, with their readers.
_LISTS: Mapping[Any, Callable[[str], Any]] = {
    Names: as_names,
    Names | None: as_names,
    Header: as_header_option,
    LinkedColumns | None: as_linked,
}


def _spelled(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        parts = cast(tuple[Any, ...], value)
        nested = any(isinstance(part, tuple) for part in parts)
        return "|".join(map(_spelled, parts)) if nested else ",".join(map(_quoted, parts))
    return str(value)


def _quoted(name: str) -> str:
    """Return a name as it is spelled in a list of names."""
    plain = name == name.strip() and name not in ("", "yes", "no") and set(name).isdisjoint(',"|\r\n')
    return name if plain else '"' + name.replace('"', '""') + '"'


def _frozen(value: Any) -> Any:
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return tuple(map(_frozen, cast(Iterable[Any], value)))
    return value


def _plain(value: Any) -> Any:
    return [_plain(each) for each in cast(tuple[Any, ...], value)] if isinstance(value, tuple) else value
