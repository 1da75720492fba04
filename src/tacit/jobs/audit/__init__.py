"""The main job: a whole table of people audited, as data, text, a document and a self-contained page."""

from tacit.jobs.audit.html import to_html
from tacit.jobs.audit.job import audit
from tacit.jobs.audit.markdown import to_markdown
from tacit.jobs.audit.result import Audit
from tacit.jobs.audit.text import to_text

__all__ = ["Audit", "audit", "to_html", "to_markdown", "to_text"]
