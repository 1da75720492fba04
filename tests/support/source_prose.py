"""The prose of the package's source: every docstring, and every sentence that is printed or raised, without code."""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from support.prose import CODE, ROOT, Block

SOURCE = ROOT / "src" / "discretion"
MODULES = {str(path.relative_to(ROOT)): path for path in sorted(SOURCE.rglob("*.py"))}
WITH_DOCSTRING = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
LEAST_WORDS = 3  # shorter strings are names, values and labels
A_WORD = re.compile(r"(?<![\w.])[A-Za-z]{2,}(?![\w.(=])")


def source_prose(path: Path) -> Iterator[Block]:
    """Yield a block for each docstring and each string with a sentence in it, by the number of its first line."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, WITH_DOCSTRING) and node.body and isinstance(node.body[0], ast.Expr)
    }
    parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if id(node) in docstrings and isinstance(node, ast.Constant):
            for line, paragraph in docstring_prose(str(node.value)):
                yield Block(str(node.lineno + line), node.lineno + line, paragraph)
        elif (text := string_text(node)) and id(node) not in parts and len(A_WORD.findall(text)) >= LEAST_WORDS:
            yield Block(str(node.lineno), node.lineno, code_replaced(text))


def string_text(node: ast.AST) -> str:
    """Return the text of a string, with code in place of what an f-string inserts."""
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else CODE for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def docstring_prose(text: str) -> Iterator[tuple[int, str]]:
    """Yield the paragraphs of a docstring by their first lines, without examples and heads of sections."""
    before = 0
    for paragraph in re.split(r"(\n\s*\n)", text):
        lines = paragraph.split("\n")
        if not any(line.lstrip().startswith(">>>") for line in lines):
            heads = {i + d for i, line in enumerate(lines) if re.fullmatch(r"\s*---+", line) for d in (-1, 0)}
            heads |= {i for i, (line, below) in enumerate(pairwise(lines)) if is_head(line, below)}
            prose = ["" if i in heads else line for i, line in enumerate(lines)]
            if "".join(prose).strip():
                yield before, code_replaced("\n".join(prose))
        before += len(lines) - 1


def is_head(line: str, below: str) -> bool:
    """Return whether a line names parameters, by the line below it, which is further in."""
    depth, deeper = (len(each) - len(each.lstrip()) for each in (line, below))
    return deeper > depth and re.fullmatch(r"\s*[\w*]+(?:, [\w*]+)*(?: : .*)?", line) is not None


def code_replaced(text: str) -> str:
    """Return a text with code in place of what stands between backquotes or double quotes."""
    return re.sub(r"``[^`]*``|`[^`]*`|\"[^\"\n]*\"|\bnearest-neighbours\b", CODE, text)
