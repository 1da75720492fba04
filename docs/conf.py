"""How the site is made of these pages: `sphinx-build -W -b html docs site`, without a network."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module, metadata
from pathlib import Path

from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx

from discretion.cli.collect import SUBCOMMANDS
from discretion.cli.commands import COMMANDS

sys.path.insert(0, str(Path(__file__).parent))
import gallery

project = "Discretion"
version = release = metadata.version("discretion")
extensions = ["myst_nb", "sphinx_copybutton", "sphinx.ext.autodoc", "numpydoc"]
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["print.css"]
templates_path = ["_templates"]
# The sites of all versions lie side by side, each in a folder by its number; one version shows no list of them.
html_context = {"versions": os.environ.get("DISCRETION_DOCS_VERSIONS", "").split()}
_SIDEBAR = ("brand", "search", "scroll-start", "navigation", "versions", "scroll-end")
html_sidebars = {"**": [f"sidebar/{part}.html" for part in _SIDEBAR]}
html_title = f"Discretion {version}"
html_show_copyright = False
html_extra_path = ["llms.txt"]
exclude_patterns = ["_build"]
myst_heading_anchors = 3
# A tutorial is run when the site is built, and ends it if a cell fails.
nb_execution_mode = "cache"
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_execution_in_temp = True
copybutton_prompt_text = r">>> |\.\.\. "
copybutton_prompt_is_regexp = True
numpydoc_show_class_members = False
# Docstrings are NumPy style; what stands in single backticks is code.
default_role = "literal"
autodoc_typehints = "none"

_HERE = Path(__file__).parent
# Folders of the reference whose files are published as they are.
_FILES = ("schemas", "vectors")
# Pages that stand in the repository's own folder, each included by a page here.
_OUTSIDE = {"SECURITY": "explanation", "CONTRIBUTING": "reference", "CHANGELOG": "reference"}


def _linked(_: Sphinx, name: str, source: list[str]) -> None:
    """Let a link to a page outside of this folder lead to the page that includes it, one to a JSON file to the file."""
    source[0] = re.sub(
        rf"\[([^\]]+)\]\(((?:\.\./reference/)?(?:{'|'.join(_FILES)})/[\w.-]+\.json)\)",
        r'<a href="\2">\1</a>',
        source[0],
    )
    for page, folder in _OUTSIDE.items():
        source[0] = re.sub(rf"\]\((\.\./)+{page}\.md", f"](/{folder}/{page.lower()}.md", source[0])


def _write_reference(_: Sphinx) -> None:
    """Write the pages of the reference: the names of each room by their docstrings, and the commands by their help."""
    folder = _HERE / "reference" / "generated"
    folder.mkdir(parents=True, exist_ok=True)
    pages = {"commands": "".join(_commands()), **{room: "".join(_names(room, names)) for room, names in _rooms()}}
    for page, text in pages.items():
        (folder / f"{page}.md").write_text(text, encoding="utf-8")


def _write_gallery(_: Sphinx) -> None:
    gallery.write(_HERE / "gallery" / "generated")


def _publish_files(app: Sphinx, error: Exception | None) -> None:
    """Put the JSON Schemas and the test vectors where their addresses stay the same."""
    for folder in _FILES if error is None and app.builder.format == "html" else ():
        shutil.copytree(_HERE / "reference" / folder, app.outdir / "reference" / folder, dirs_exist_ok=True)


def _rooms() -> Iterator[tuple[str, list[str]]]:
    """Yield each room with its public names, as `names.md` lists them; the first is the package itself."""
    text = (_HERE / "reference" / "names.md").read_text(encoding="utf-8")
    top, _, others = text.partition("\n## In the rooms\n")
    yield "discretion", re.findall(r"`(\w+)`", top.partition("|---|---|")[2])
    for room, names in re.findall(r"^\| `dc\.(\w+)` \| (.*) \|$", others, re.MULTILINE):
        yield f"discretion.{room}", re.findall(r"`(\w+)`", names)


def _names(room: str, names: Sequence[str]) -> Iterator[str]:
    module = import_module(room)
    yield f"# `{room}`\n\n"
    for name in names:
        value = getattr(module, name)
        kind = "autoclass" if isinstance(value, type) else "autofunction" if callable(value) else "autodata"
        members = "   :members:\n" if kind == "autoclass" else ""
        yield f"```{{eval-rst}}\n.. {kind}:: {room}.{name}\n{members}```\n\n"


def _commands() -> Iterator[str]:
    yield "# Commands and their options\n\n"
    for command in (*([each] for each in COMMANDS), *(["collect", each] for each in SUBCOMMANDS)):
        asked = [sys.executable, "-m", "discretion", *command, "--help"]
        shown = subprocess.run(asked, env={**os.environ, "COLUMNS": "80"}, capture_output=True, text=True, check=True)
        yield f"## discretion {' '.join(command)}\n\n```text\n{shown.stdout}```\n\n"


def setup(app: Sphinx) -> None:
    """Connect what writes the reference and rewrites links; drawings stay text, for what draws them needs a network."""
    app.connect("builder-inited", _write_reference)
    app.connect("builder-inited", _write_gallery)
    app.connect("source-read", _linked)
    app.connect("build-finished", _publish_files)
    app.add_lexer("mermaid", TextLexer)
