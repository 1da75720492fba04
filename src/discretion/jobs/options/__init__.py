"""The options of a job as one value, and how each is spelled in JSON and as an argument of a command."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import Field, dataclass, fields
from typing import Any, Self, cast

Names = Sequence[str]
# Lines of text, each given by an option of its own.
Lines = tuple[str, ...]
# What a file's first line is, as `discretion.Population` takes it.
Header = bool | Names | None
# What each of two parties knows of a person.
LinkedColumns = tuple[Names, Names]


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of a job: everything but the tables or mechanisms that it is about.

    Names may be given as any iterable, and where none is the default, a single one by itself; the value has a tuple.

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

    def inputs(self) -> dict[str, Any]:
        """Return the options by name, as JSON has them."""
        return {field.name: _plain(getattr(self, field.name)) for field in fields(self)}

    def arguments(self) -> list[str]:
        """Return the arguments of a command that differ from its defaults."""
        return [
            option_name(field) if field.default is False else f"{option_name(field)}={_spelled(each)}"
            for field in fields(self)
            if (value := getattr(self, field.name)) != field.default
            for each in (value if field.type == Lines else [value])
        ]


def option_name(field: Field[Any]) -> str:
    """Return the option of a command that sets a field; one that sets a line of several is named in the singular."""
    name = field.name.removesuffix("s") if field.type == Lines else field.name
    return f"--{name.replace('_', '-')}"


def _spelled(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        parts = cast(tuple[Any, ...], value)
        nested = any(isinstance(part, tuple) for part in parts)
        return "|".join(map(_spelled, parts)) if nested else ",".join(map(_quoted, parts))
    return str(value)


def _quoted(name: str) -> str:
    """Return a name as a list of names has it."""
    plain = name == name.strip() and name not in ("", "yes", "no") and set(name).isdisjoint(',"|\r\n')
    return name if plain else '"' + name.replace('"', '""') + '"'


def _frozen(value: Any) -> Any:
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return tuple(map(_frozen, cast(Iterable[Any], value)))
    return value


def _plain(value: Any) -> Any:
    return [_plain(each) for each in cast(tuple[Any, ...], value)] if isinstance(value, tuple) else value
