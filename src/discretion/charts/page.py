"""A figure as a page that loads and runs nothing, or in another format of a file."""

from html import escape

import altair as alt

from discretion.charts.rendering import to_pdf, to_png, to_svg
from discretion.escaping import printable


def to_html(chart: alt.TopLevelMixin, title: str) -> str:
    """Return the figure as an HTML page that is no wider than the screen.

    Parameters
    ----------
    chart
        The figure; its description in words is for screen readers.
    title
        The title of the page.

    Returns
    -------
    str
        The page.
    """
    description = escape(printable(str(chart.to_dict().get("description", title))))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(printable(title))}</title>\n"
        "<style>body { margin: 0 } svg { max-width: 100%; height: auto }</style>\n"
        f'</head>\n<body>\n<main role="img" aria-label="{description}">\n{to_svg(chart)}\n</main>\n</body>\n</html>\n'
    )


def to_format(chart: alt.TopLevelMixin, suffix: str, title: str) -> str | bytes:
    """Return the contents of a figure's file: svg, png, pdf or html."""
    if suffix == "html":
        return to_html(chart, title)
    return {"svg": to_svg, "png": to_png, "pdf": to_pdf}[suffix](chart)
