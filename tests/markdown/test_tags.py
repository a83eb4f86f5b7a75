"""The tags of a note, and its properties with types."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zkmem.markdown import frontmatter
from zkmem.markdown.properties import typed
from zkmem.markdown.tags import inline_tags, listed_tags


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("#tea and #green-tea, #a/b.", ["tea", "green-tea", "a/b"]),
        ("# Heading #one\n## #two\n", ["one", "two"]),
        ("- [ ] #task\n\t- #nested\n> #quoted\n", ["task", "nested", "quoted"]),
        ("#1984 #y1984 #19/84", ["y1984", "19/84"]),
        ("#é #标签 #тег #🍵", ["é", "标签", "тег", "🍵"]),
        ("#Tea #tea #Tea", ["Tea", "tea"]),
        ("#a/ #/b #/", ["a", "b"]),
        ("##no a#no (#no) \\#no # no", []),
        ("`#no` and\n\n```\n#no\n```\n\n    #no\n\n#yes", ["yes"]),
        ("$a #no$ and <b title=' #no '> #yes </b>", ["yes"]),
        ("<!-- #no -->\n\n%%\n#yes\n%%", ["yes"]),
        ("[[#no]] [[a|b #no]] [see #no](b.md) ![ #no](c.png) #yes", ["yes"]),
        ("**#bold** *#em*#no | #cell |", ["bold", "em", "cell"]),
        ("a\n#b\r\n#c", ["b", "c"]),
        ("#tag`code` #x<b>", ["tag", "x"]),
        ("あ\u3000#タグ\n", ["タグ"]),
        ("a\u00a0#x é#no `b`\u3000#y", ["x", "y"]),
    ],
)
def test_the_tags_of_a_text(body: str, expected: list[str]) -> None:
    assert inline_tags(body.encode()) == expected


@given(
    words=st.lists(
        st.sampled_from(["#a", "#b/c", "x", "#1", "##", "a#b", "#", "\n", "# h", "é", "#é,", "\u3000#z"]), max_size=12
    )
)
def test_the_shortcut_for_plain_texts_finds_the_tags_that_the_parser_finds(words: list[str]) -> None:
    body = " ".join(words)
    assert inline_tags(body.encode()) == inline_tags(f"{body}\n\n`code`".encode())


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (["a", "#b", "c/d/", "", None, 7, "two words"], ["a", "b", "c/d", "two words"]),
        ("a, #b c", ["a", "b", "c"]),
        ("", []),
        (None, []),
        ({"a": "b"}, []),
    ],
)
def test_the_tags_of_a_property(value: object, expected: list[str]) -> None:
    assert listed_tags(value) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("5", 5),
        ("-0.5", -0.5),
        ("1e3", 1000.0),
        ("'5'", "5"),
        ("true", True),
        ("yes", "yes"),
        ("", None),
        ("~", None),
        ("''", ""),
        ("2026-11-20", "2026-11-20"),
        ("[a, 2, [b], {c: 3}]", ["a", 2, ["b"], {"c": 3}]),
        ("9" * 41, "9" * 41),
        ("1e999", "1e999"),
        (".inf", ".inf"),
        ("0x1F", "0x1F"),
        ("1_000", "1_000"),
        ("12:30:00", "12:30:00"),
    ],
)
def test_a_property_has_the_type_that_obsidian_gives_it(source: str, expected: object) -> None:
    yaml = f"key: {source}\n"
    assert typed(frontmatter.read(f"---\n{yaml}---\n"), len(yaml)) == {"key": expected}


def test_aliases_in_yaml_do_not_multiply_values() -> None:
    yaml = "a: &a [x, x, x]\n" + "".join(
        f"{name}: &{name} [*{before}, *{before}]\n"
        for before, name in zip("abcdefghijklmnop", "bcdefghijklmnopq", strict=True)
    )
    assert len(str(typed(frontmatter.read(f"---\n{yaml}---\n"), len(yaml)))) < 10 * len(yaml)
