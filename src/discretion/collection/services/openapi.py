"""The description of a service that tools read (OpenAPI 3.1), made of its operations."""

import re
from collections.abc import Sequence
from typing import Any

from discretion.collection.services.operations import Operation

_BYTES = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
_REASON = {
    "description": "Why it is refused.",
    "content": {"application/json": {"schema": {"type": "object", "properties": {"error": {"type": "string"}}}}},
}


def described(role: str, operations: Sequence[Operation]) -> dict[str, Any]:
    """Return the document that lists the operations of a party."""
    paths: dict[str, Any] = {}
    for each in operations:
        told: dict[str, Any] = {
            "summary": each.summary,
            "operationId": re.sub(r"\W+", "_", f"{each.method.lower()}{each.path}").rstrip("_"),
            "parameters": [
                {
                    "name": name, "in": "path", "required": True,
                    "schema": {"type": "integer", "minimum": 0} if kind else {"type": "string"},
                }
                for name, kind in re.findall(r"{(\w+)(:int)?}", each.path)
            ],
            "responses": {"2XX": {"description": "It is done, or what was asked for."}, "4XX": _REASON, "5XX": _REASON},
        }  # fmt: skip
        if each.most is not None:
            told["requestBody"] = {"required": True, "content": _BYTES}
        if each.who != "anybody":
            told["security"] = [{each.who: []}]
        paths.setdefault(re.sub(r":int}", "}", each.path), {})[each.method.lower()] = told
    schemes = {who: {"type": "http", "scheme": "bearer"} for who in ("operator", "sender")}
    return {
        "openapi": "3.1.0",
        "info": {"title": f"Discretion: the {role} of a collection", "version": "1"},
        "paths": paths,
        "components": {"securitySchemes": schemes},
    }
