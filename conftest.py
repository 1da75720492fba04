"""What a bare installation cannot import, pytest does not collect."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("cryptography") else ["src/tacit/collection/*", "tests/collection/*"]
