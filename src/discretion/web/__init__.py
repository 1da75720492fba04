"""The page: one person's own server on this machine, whose pages run the same jobs as the commands.

A door is a page with a form. The fields of the form are the options of a job, and the address of the page spells them
as on the command line. The answer is the document of the job. This package contains no mathematics.
"""

from discretion.errors import MissingExtraError

try:
    import h11 as _h11  # noqa: F401 # pyright: ignore[reportUnusedImport]
    import starlette as _starlette  # noqa: F401 # pyright: ignore[reportUnusedImport]
    import uvicorn as _uvicorn  # noqa: F401 # pyright: ignore[reportUnusedImport]
except ModuleNotFoundError as _missing:
    raise MissingExtraError(f"the page needs {_missing.name}: install discretion[web]") from None
