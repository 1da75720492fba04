"""Figures in a page that draws them itself, at the width that it has, and loads nothing for that."""

import json
from functools import cache
from typing import Any

from discretion.charts.rendering import chart_library


@cache
def library() -> str:
    """Return what draws figures, fit to stand in a page."""
    return chart_library().replace("</script", "<\\/script")


def specification(chart: Any) -> str:
    """Return a chart as JSON that can stand in a script element whatever it holds."""
    written = chart.to_dict(validate=False)
    del written["$schema"]  # an address that nothing needs
    text = json.dumps(written, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
