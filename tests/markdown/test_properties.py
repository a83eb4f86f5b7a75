"""The properties of a note: python-frontmatter reads them, in one place, and no value is constructed."""

import ast
import pathlib
from collections.abc import Iterator
from typing import Any

import frontmatter as python_frontmatter
import pytest

import zkmem
from zkmem.markdown.frontmatter import aliases, head_of, read
from zkmem.markdown.note import Text
from zkmem.markdown.properties import parts, typed_properties
from zkmem.search.entry import entry_of


def imports(tree: ast.AST) -> Iterator[str]:
    """Yield the names of the modules that a program imports, or that it names to import them later."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "LazyModule":
            yield from (str(one.value) for one in node.args if isinstance(one, ast.Constant))


def test_one_module_reads_properties_and_it_does_so_with_python_frontmatter(monkeypatch: pytest.MonkeyPatch) -> None:
    root = pathlib.Path(zkmem.__file__).parent
    naming = {path: text for path in root.rglob("*.py") if "frontmatter" in (text := path.read_text("utf-8"))}
    using = [
        path.relative_to(root).as_posix() for path, text in naming.items() if "frontmatter" in imports(ast.parse(text))
    ]
    assert using == ["markdown/frontmatter.py"]
    read_by_it, parse = list[str](), python_frontmatter.parse

    def counted(text: str, **arguments: Any) -> Any:
        read_by_it.append(text)
        return parse(text, **arguments)

    monkeypatch.setattr("zkmem.markdown.frontmatter.python_frontmatter.parse", counted)
    note = b"---\ntitle: T\naliases: [A]\n---\nText.\n"
    typed_properties(note)
    aliases(note)
    entry_of("n.md", note, "")
    assert parts(Text("---\nseen: never before\n---\n")).properties == {"seen": "never before"}
    assert read_by_it == ["---\ntitle: T\naliases: [A]\n---\n"] * 3 + ["---\nseen: never before\n---\n"]


@pytest.mark.parametrize(
    ("note", "expected"),
    [
        ("text", {}),
        ("\n---\na: 1\n---\n", {}),  # the first line is blank
        ("--- \na: 1\n---\n", {}),
        ("---\na: 1\n--- \n", {}),  # no line `---` closes it
        ("---\n---\n", {}),
        ("---\n# only a comment\n---\n", {}),
        ("\ufeff---\na: 1\n---\ntext", {"a": 1}),
        ("---\r\na: 1\r\nb: |\r\n  x\r\n  y\r\n---\r\ntext\r\n---\r\n", {"a": 1, "b": "x\ny\n"}),
        ("---\n  a: 1\n  b: 2\n---\n", {"a": 1, "b": 2}),
        ("---\ndate: {{date}}\ncontent: c\nhandler: h\n2024: y\n---", {"content": "c", "handler": "h", "2024": "y"}),
        ("---\na: 1\na: 2\n---\n", {"a": 2}),
        ("---\n- a\n---\n", None),
        ("---\na: b: c\n---\n", None),
    ],
)
def test_values_are_read_as_obsidian_reads_them(note: str, expected: dict[str, object] | None) -> None:
    data = note.encode()
    assert (read(head_of(data)) is None) == (expected is None)
    known = typed_properties(data)
    known.pop("date", None)
    assert known == (expected or {})
