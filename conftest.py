"""What a bare installation cannot import, pytest does not collect."""

from importlib.util import find_spec

_OF_A_COLLECTION = [
    "src/discretion/collection/*",
    "tests/collection/*",
    "tests/hostile/bodies.py",
    *(f"tests/oracles/{name}.py" for name in ("bare_collection", "coalitions", "collecting", "dummies", "rfc9180")),
    "tests/support/collection/*",
    "docs/explanation/scale.md",
]
_OF_THE_PAGE = ["src/discretion/web/*", "tests/web/*"]
# The last two are run by Sphinx and by an interpreter of its own.
collect_ignore_glob = [
    *([] if find_spec("cryptography") else _OF_A_COLLECTION),
    *([] if find_spec("starlette") else _OF_THE_PAGE),
    "docs/conf.py",
    "tests/support/peers_on_files.py",
]
