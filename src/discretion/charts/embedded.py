"""Figures in a page that draws them itself, at its own width, and loads nothing for this."""

import json
from functools import cache
from typing import Any

from discretion.charts.rendering import chart_library


@cache
def library() -> str:
    """Return the script that draws figures, escaped for a page."""
    return chart_library().replace("</script", "<\\/script")


def specification(chart: Any) -> str:
    """Return a chart as JSON, escaped for a script element."""
    written = chart.to_dict(validate=False)
    del written["$schema"]  # an address that nothing needs
    text = json.dumps(written, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
