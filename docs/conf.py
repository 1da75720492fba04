"""How the site is made of these pages: `sphinx-build -W -b html docs site`, without a network."""

from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx

project = "Discretion"
extensions = ["myst_nb", "sphinx_copybutton"]
html_theme = "furo"
html_title = "Discretion"
html_show_copyright = False
exclude_patterns = ["_build"]
myst_heading_anchors = 3
# A tutorial is run when the site is built, and ends it if a cell fails.
nb_execution_mode = "cache"
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_execution_in_temp = True
copybutton_prompt_text = r">>> |\.\.\. "
copybutton_prompt_is_regexp = True

# Pages that stand in the repository's own folder, each included by a page here.
_OUTSIDE = ("SECURITY", "CONTRIBUTING", "CHANGELOG")


def _linked(_: Sphinx, name: str, source: list[str]) -> None:
    """Let a link to a page outside of this folder lead to the page that includes it."""
    for outside in _OUTSIDE:
        source[0] = source[0].replace(f"](../{outside}.md", f"]({outside.lower()}.md")


def setup(app: Sphinx) -> None:
    """Connect what rewrites links; drawings stay text, since what draws them comes from a network."""
    app.connect("source-read", _linked)
    app.add_lexer("mermaid", TextLexer)
