"""Results that a notebook displays, and that become HTML, Markdown, a table or a figure.

Packages above those of the results register the form of each result.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair as alt

# Loaded by name when first needed, since these packages are above those of the results.
_WORDS, _FIGURES = "discretion.presenting.views.result_views", "discretion.charts.result_charts"


class Displayable:
    """A result that a notebook shows by itself."""

    __slots__ = ()

    def to_html(self) -> str:
        """Return the result as HTML that loads nothing: for most results an element, for an audit a whole page.

        Text from a table, such as the name of a column, is escaped.

        Examples
        --------
        >>> from discretion import Estimate
        >>> "certified in [0, 0.11]" in Estimate(0.11, 0.0, 0.11, None, "counting").to_html()
        True
        """
        return _load(_WORDS).page(self)

    def to_markdown(self) -> str:
        r"""Return the result as Markdown: headings, sentences and pipe tables.

        Text from a table, such as the name of a column, is escaped.

        Examples
        --------
        >>> from discretion import Estimate
        >>> print(Estimate(0.11, 0.0, 0.11, None, "counting").to_markdown())
        | value | kind | method |
        |---:|---|---|
        | at most 0.11 | certified in \[0, 0.11\] | counting |
        <BLANKLINE>
        """
        return _load(_WORDS).markdown(self)

    def _repr_html_(self) -> str:
        return _load(_WORDS).fragment(self)


class Tabular(Displayable):
    """A result that is a table."""

    __slots__ = ()

    def to_frame(self) -> Any:
        """Return the rows of the result as a `pyarrow.Table`; ``to_pandas()`` and ``polars.from_arrow`` convert it.

        Discretion needs Arrow anyway to count; pandas need not be installed.

        Examples
        --------
        >>> from discretion.anonymity import ClassSizes
        >>> ClassSizes([1, 3], [2, 1]).to_frame().to_pydict()
        {'size': [1, 3], 'classes': [2, 1], 'people': [2, 3]}
        """
        return _load(_WORDS).frame(self)


class Chartable(Displayable):
    """A result that has figures."""

    __slots__ = ()

    def chart(self, name: str | None = None) -> "alt.TopLevelMixin":
        """Return a figure as an Altair chart.

        Parameters
        ----------
        name
            The name of the figure if the result has several; None is the main figure.

        Raises
        ------
        InvalidValueError
            If the result has no figure of that name; the message lists the figures that it has.

        Examples
        --------
        >>> from discretion.anonymity import ClassSizes
        >>> ClassSizes([1, 3], [2, 1]).curve().chart().to_dict()["description"]
        'The share of exposed people at every threshold, for 5 people; 40 % are unique.'
        """
        return _load(_FIGURES).chart(self, name)


def _load(name: str) -> Any:
    return import_module(name)
