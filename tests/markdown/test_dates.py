"""The date of a note: from its properties, else from its name."""

import pytest

from zkmem.markdown import frontmatter
from zkmem.markdown.dates import KEYS, Dated, dated


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("a.md", "date: 2026-11-20\n", Dated("2026-11-20", "property")),
        ("a.md", "date: 2026-11-20T09:30:00+01:00\n", Dated("2026-11-20", "property")),
        ("a.md", 'Created: "2026-11-20 09:30"\n', Dated("2026-11-20", "property")),
        ("a.md", "updated: 2026-11-22\ncreated: 2026-11-20\n", Dated("2026-11-20", "property")),
        ("a.md", "date: yesterday\nmodified: 2026-11-22\n", Dated("2026-11-22", "property")),
        ("2026-11-21.md", "date: 2026-11-20\n", Dated("2026-11-20", "property")),
        ("2026-11-21.md", "date: {{date}}\n", Dated("2026-11-21", "name")),
        ("2026-11-21.md", "date: 2026-02-30\n", Dated("2026-11-21", "name")),
        ("2026-11-21.md", "date: [2026-11-20]\n", Dated("2026-11-21", "name")),
        ("2026-11-21.md", "- a list\n", Dated("2026-11-21", "name")),
        ("2026-11-21.md", "a: [\n", Dated("2026-11-21", "name")),
        ("daily/2026-11-21 Saturday.md", "", Dated("2026-11-21", "name")),
        ("Trip 2026_11_21.md", "", Dated("2026-11-21", "name")),
        ("202611210930 An idea.md", "", Dated("2026-11-21", "name")),
        ("20261121093059.md", "", Dated("2026-11-21", "name")),
        ("2026-11-20/notes.md", "", Dated()),
        ("2026-13-40 and 2026-11-21.md", "", Dated("2026-11-21", "name")),
        ("Order 99991231.md", "", Dated()),
        ("Call 12026-11-21.md", "", Dated()),
        ("2026-11_21.md", "", Dated()),
        ("a.md", "date: 12026-11-20\n", Dated()),
        ("a.md", "date: 20.11.2026\n", Dated()),
    ],
)
def test_the_date_of_a_note(path: str, source: str, expected: Dated) -> None:
    assert dated(path, frontmatter.read(f"---\n{source}---\n") or {}) == expected


@pytest.mark.parametrize("key", KEYS)
def test_each_key_has_a_date(key: str) -> None:
    assert dated("a.md", frontmatter.read(f"---\n{key}: 2026-11-20\n---\n") or {}) == Dated("2026-11-20", "property")
