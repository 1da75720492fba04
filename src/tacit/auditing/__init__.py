"""The main job: a whole table of people audited, as data, text and a self-contained page."""

from tacit.auditing.html import to_html
from tacit.auditing.job import audit
from tacit.auditing.result import Audit
from tacit.auditing.text import to_text

__all__ = ["Audit", "audit", "to_html", "to_text"]
