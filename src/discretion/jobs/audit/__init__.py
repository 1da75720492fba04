"""The main job: a whole table of people audited, as data, text, a document and a self-contained page."""

from discretion.jobs.audit.html import to_html
from discretion.jobs.audit.job import audit
from discretion.jobs.audit.markdown import to_markdown
from discretion.jobs.audit.result import Audit
from discretion.jobs.audit.text import to_text

__all__ = ["Audit", "audit", "to_html", "to_markdown", "to_text"]
