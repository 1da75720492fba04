"""The constants of algorithms, lowered for a block: with so few histograms, the next algorithm answers."""

from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import discretion
from discretion.errors import MissingExtraError


@cache
def sources() -> dict[Path, str]:
    """The files of the package, and what they say."""
    root = Path(discretion.__file__).parent
    return {path.relative_to(root): path.read_text(encoding="utf-8") for path in sorted(root.rglob("*.py"))}


@cache
def modules_with(name: str) -> tuple[ModuleType, ...]:
    """The modules that read a constant: its home, and those that import it."""
    modules: list[ModuleType] = []
    for path, text in sources().items():
        if name in text:
            with suppress(MissingExtraError):  # nothing of it runs here
                modules.append(import_module(".".join(["discretion", *path.with_suffix("").parts])))
    return tuple(module for module in modules if hasattr(module, name))


@contextmanager
def lowered(**constants: int) -> Generator[None]:
    """Lower constants such as MAX_HISTOGRAMS, wherever they are read."""
    with ExitStack() as stack:
        for name, most in constants.items():
            modules = modules_with(name)
            assert modules, name
            assert 1 <= most <= getattr(modules[0], name)
            for module in modules:
                stack.enter_context(patch.object(module, name, most))
        yield
