"""The audit as Markdown, for a data protection impact assessment: the sections that a terminal shows, in full."""

from discretion.jobs.audit.result import Audit
from discretion.jobs.audit.text import introduction, sections
from discretion.presenting.views.document import Document, Section
from discretion.presenting.views.from_rich import as_blocks
from discretion.presenting.views.markdown import to_markdown as as_markdown
from discretion.presenting.views.results import document


@document.register
def document_of(found: Audit) -> Document:
    """Return the audit as a document, which a notebook shows with all sections but the first folded."""
    title, terms = introduction(found)
    parts = (Section(heading, as_blocks(content)) for heading, content in sections(found))
    return Document(title, (terms,), tuple(parts))


def to_markdown(found: Audit) -> str:
    """Return the audit as Markdown: headings, sentences and pipe tables, whose names and values are escaped.

    Parameters
    ----------
    found
        What `discretion.audit` returned.

    Returns
    -------
    str
        The document, the same for the same audit.

    Examples
    --------
    >>> import discretion as dc
    >>> print(to_markdown(dc.audit("example:adult", columns=["sex", "race"])))  # doctest: +ELLIPSIS
    # example:adult: 32,561 people, 2 columns
    <BLANKLINE>
    Exposed means fewer than 10 people alike...
    """
    return as_markdown(document_of(found))
