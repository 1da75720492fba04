"""Figures as files, drawn without a network."""

from typing import Any

import altair as alt

# What a figure that fills its container is drawn at.
_WIDTH = 640
_PIXELS_PER_POINT = 2


def to_svg(chart: alt.TopLevelMixin) -> str:
    """Return the figure as SVG text."""
    import vl_convert  # noqa: PLC0415 - its engine takes a while to start

    return vl_convert.vegalite_to_svg(_specification(chart))


def to_png(chart: alt.TopLevelMixin) -> bytes:
    """Return the figure as a PNG image, twice as large as on a page."""
    import vl_convert  # noqa: PLC0415

    return vl_convert.vegalite_to_png(_specification(chart), scale=_PIXELS_PER_POINT)


def to_pdf(chart: alt.TopLevelMixin) -> bytes:
    """Return the figure as a PDF page."""
    import vl_convert  # noqa: PLC0415

    return vl_convert.vegalite_to_pdf(_specification(chart))


def _specification(chart: alt.TopLevelMixin) -> dict[str, Any]:
    specification = chart.to_dict()
    if specification.get("width") == "container":
        specification["width"] = _WIDTH
    return specification
