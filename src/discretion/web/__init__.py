"""The page to work on: one person's own server on this machine, whose pages ask for the jobs that commands ask for.

A page is a door with a form, whose fields are the options of a job, spelled in the page's address as on the command
line; its answer is the job's document. No mathematics stands here.
"""

from discretion.errors import MissingExtraError

try:
    import h11 as _h11  # noqa: F401 # pyright: ignore[reportUnusedImport]
    import starlette as _starlette  # noqa: F401 # pyright: ignore[reportUnusedImport]
    import uvicorn as _uvicorn  # noqa: F401 # pyright: ignore[reportUnusedImport]
except ModuleNotFoundError as _missing:
    raise MissingExtraError(f"the page needs {_missing.name}: install discretion[web]") from None
