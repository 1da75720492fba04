"""Figures as files and in notebooks, drawn without a network."""

import json
import os
import subprocess
import sys
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

import altair as alt

from discretion.errors import TooLargeError
from discretion.memory import process_limit

# The width of a figure that fills its container.
_WIDTH = 640
_PIXELS_PER_POINT = 2

# With this much of each the drawing engine starts for sure; with less it may abort, and its process with it.
_ENOUGH = {
    "RLIMIT_AS": 1 << 37,
    "RLIMIT_DATA": 1 << 32,
    "RLIMIT_STACK": 1 << 20,
    "RLIMIT_NOFILE": 64,
    "RLIMIT_NPROC": 1 << 10,
}
# If it aborts, nothing of a table is left behind.
_CHILD = """
import json, sys
try:
    import resource
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
except ImportError:
    pass
asked = json.load(sys.stdin.buffer)
sys.path[:] = asked["path"]
import vl_convert
drawn = getattr(vl_convert, asked["function"])(*asked["arguments"])
sys.stdout.buffer.write(drawn if isinstance(drawn, bytes) else drawn.encode())
sys.stdout.buffer.flush()
"""


class _Drawn(alt.TopLevelMixin):
    """A chart that a notebook shows as SVG; Altair's own default loads scripts from an address."""

    def _repr_mimebundle_(self, *args: Any, **options: Any) -> Any:
        if alt.renderers.active != "default":  # what the user has enabled
            return super()._repr_mimebundle_(*args, **options)
        return {"image/svg+xml": to_svg(self), "text/plain": self.to_dict()["description"]}


class DrawnLayers(_Drawn, alt.LayerChart):
    """Layers that a notebook shows as SVG."""


class DrawnPanels(_Drawn, alt.VConcatChart):
    """Panels, one below the other, that a notebook shows as SVG."""


def to_svg(chart: alt.TopLevelMixin) -> str:
    """Return the figure as SVG text."""
    return _drawn("vegalite_to_svg", _specification(chart)).decode()


def to_png(chart: alt.TopLevelMixin) -> bytes:
    """Return the figure as a PNG image, twice as large as on a page."""
    return _drawn("vegalite_to_png", _specification(chart), None, _PIXELS_PER_POINT)


def to_pdf(chart: alt.TopLevelMixin) -> bytes:
    """Return the figure as a PDF page."""
    return _drawn("vegalite_to_pdf", _specification(chart))


def chart_library() -> str:
    """Return Vega-Embed and its dependencies, which draw figures on a page, as one script.

    To put it together takes a second. It is kept next to the bytecode of this module, where Python may write that.
    """
    kept = Path(__file__).with_name("__pycache__") / f"vega-embed-{version('vl-convert-python')}.js"
    with suppress(OSError, UnicodeDecodeError):
        return kept.read_bytes().decode()
    script = _drawn("javascript_bundle")
    if not sys.dont_write_bytecode:
        with suppress(OSError):
            part = kept.with_suffix(f".{os.getpid()}")
            part.write_bytes(script)
            part.replace(kept)
    return script.decode()


def _drawn(function: str, *arguments: Any) -> bytes:
    """Return the result of a function of the engine, called in a process of its own if a limit might abort it."""
    if any(0 <= (process_limit(name) or enough) < enough for name, enough in _ENOUGH.items()) and _is_python():
        return _drawn_apart(function, *arguments)
    import vl_convert  # noqa: PLC0415 - its engine takes a while to start

    drawn: str | bytes = getattr(vl_convert, function)(*arguments)
    return drawn if isinstance(drawn, bytes) else drawn.encode()


def _is_python() -> bool:
    """Return whether this program is a Python interpreter, and not another program that embeds Python."""
    return bool(sys.executable) and not getattr(sys, "frozen", False) and "python" in Path(sys.executable).name.lower()


def _drawn_apart(function: str, *arguments: Any) -> bytes:
    asked = json.dumps({"path": sys.path, "function": function, "arguments": arguments})
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _CHILD], input=asked.encode(), capture_output=True, check=False
        )
    except (OSError, MemoryError):
        done = None
    if done is None or done.returncode:
        raise TooLargeError(
            "the engine that draws charts does not start under the limits of this process: it needs tens of GB of "
            "addresses (ulimit -v), though little memory; raise this limit, or leave out charts and pages"
        )
    return done.stdout


def _specification(chart: alt.TopLevelMixin) -> dict[str, Any]:
    specification = chart.to_dict()
    if specification.get("width") == "container":
        specification["width"] = _WIDTH
    return specification
