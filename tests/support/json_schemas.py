"""The published JSON Schemas, and the faults of a value by one of them."""

import json
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "reference" / "schemas"
SCHEMAS = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.json"))}


def validator(schema: Any) -> Any:
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed: the group dev")
    return jsonschema.Draft202012Validator(schema)


def faults(name: str, value: Any) -> list[str]:
    """Return where and how a value is not as the schema in this file has it."""
    return [f"{error.json_path}: {error.message:.300}" for error in validator(SCHEMAS[name]).iter_errors(value)]


def faults_of_answer(printed: str) -> list[str]:
    """Return the same of what a command printed, by the schema of this command."""
    answer = json.loads(printed)
    return faults(f"{answer['command'].replace(' ', '-')}-1.json", answer)
