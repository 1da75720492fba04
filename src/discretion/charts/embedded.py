"""Figures in a page that draws them itself, at the width that it has, and loads nothing for that."""

import base64
import hashlib
import json
from functools import cache
from importlib.resources import files
from typing import Any

from discretion.charts.rendering import chart_library


@cache
def scripts() -> tuple[str, str]:
    """Return what draws figures, fit to stand in a page, and what has it draw those of the page."""
    drawing = files("discretion.charts").joinpath("page.js").read_text(encoding="utf-8")
    return chart_library().replace("</script", "<\\/script"), drawing


def digest(script: str) -> str:
    """Return what a page's policy calls a script by: no other script runs."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def specification(chart: Any) -> str:
    """Return a chart as JSON that can stand in a script element whatever it holds."""
    written = chart.to_dict(validate=False)
    del written["$schema"]  # an address that nothing needs
    text = json.dumps(written, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
