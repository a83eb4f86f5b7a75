"""The changes between two texts as HTML."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zkmem.markdown.html import Renderer
from zkmem.markdown.marked import Budget, blocks, changes_in, marked, reverted, with_change_reverted

WORDS = st.lists(
    st.sampled_from(["one", "two", "*three*", "`four`", "<b>five</b>", "&", "six."]), min_size=1, max_size=8
)


def rendered(block: bytes) -> str:
    renderer = Renderer()
    return renderer.finished(renderer.part(block, []))


def changes(before: str, after: str) -> str:
    """Return the changes without the attributes that say where a text comes from, and its direction."""
    html = marked(before.encode(), after.encode(), rendered, Budget()).html
    return re.sub(r' (?:dir|data-\w+)="[^"]*"| class="marked"', "", html)


def texts(html: str) -> list[str]:
    return re.sub(r"<[^>]*>", " ", html).split()


@pytest.mark.parametrize(
    ("before", "after", "html"),
    [
        ("Steep it at 80 °C.", "Steep it at 75 °C.", "<p>Steep it at <del>80</del> <ins>75</ins> °C.</p>\n"),
        ("- one\n", "- one\n- two\n", '<p class="gap">⋯</p><div class="added"><ul>\n<li>two</li>\n</ul>\n</div>'),
        ("- one a\n- two\n", "- one b\n- two\n", "<ul>\n<li>one <del>a</del> <ins>b</ins></li>\n</ul>\n"),
        ("> a b\n", "> a b\n>\n> c\n", "<blockquote>\n<p>a b</p>\n<p><ins>c</ins></p>\n</blockquote>\n"),
        ("> a b\n>\n> c\n", "> a b\n", "<blockquote>\n<p>a b</p>\n<p><del>c</del></p>\n</blockquote>\n"),
        ("# A\n\nSame.\n", "# A\n\nSame.\n\nNew.\n", '<p class="gap">⋯</p><div class="added"><p>New.</p>\n</div>'),
        ("Gone.\n\nSame.\n", "Same.\n", '<div class="removed"><p>Gone.</p>\n</div>'),
        ("Same.\n", "Same.\n\n\n", ""),
        ("It costs 80 and 90.", "It costs 81 and 91.",
         "<p>It costs <del>80</del> <ins>81</ins> and <del>90</del> <ins>91</ins>.</p>\n"),
        ("Ann repaired the old key. It is late, cold.", "All waits until the sun is up. It is late, cold.",
         "<p><del>Ann repaired the old key</del> <ins>All waits until the sun is up</ins>. It is late, cold.</p>\n"),
        ("a b c d", "d c b a",
         '<div class="removed"><p>a b c d</p>\n</div><div class="added"><p>d c b a</p>\n</div>'),
        ("One two.", "Three four.",
         '<div class="removed"><p>One two.</p>\n</div><div class="added"><p>Three four.</p>\n</div>'),
        ("## The end\n", "## The very end\n", "<h2>The <ins>very </ins>end</h2>\n"),
    ],
)  # fmt: skip
def test_the_changed_words_are_marked(before: str, after: str, html: str) -> None:
    assert changes(before, after) == html


def test_words_are_counted_and_blocks_are_limited() -> None:
    text = "\n\n".join(f"block {number}" for number in range(100))
    result = marked(b"", text.encode(), rendered, Budget())
    assert (result.added, result.removed, result.left) == (200, 0, 40)
    assert result.html.count('<div class="added">') == 60


@pytest.mark.parametrize(
    ("before", "after", "passages"),
    [
        ("One.\n\n# A\n\na\n\n# B\n\nb\n", "One.\n", 2),  # removed sections
        ("One.\n", "One.\n\n# A\n\n## B\n\nb\n\nc\n", 2),
        ("# A\n\nSame.\n", "# B\n\nSame.\n", 1),
        ("# A\n\nSame.\n", "New.\n\nSame.\n", 2),  # the new text is not below the old heading
        ("# A one\n\na b c\n", "# A two\n\na b d\n", 1),
    ],
)
def test_a_heading_belongs_to_the_passage_below_it(before: str, after: str, passages: int) -> None:
    old, new = before.encode(), after.encode()
    shown = marked(old, new, rendered, Budget()).passages
    assert [one.number for one in shown] == list(range(passages))
    assert changes_in(old, new) == passages
    for number in reversed(range(passages)):
        new = reverted(old, new, number) or b""
    assert blocks(new) == blocks(old)


BLOCKS = st.lists(st.sampled_from(["one", "two three", "- a", "- b", "# H", "four five six", "two four"]), max_size=7)


@given(BLOCKS, BLOCKS)
def test_all_changes_taken_back_from_the_last_to_the_first_give_the_earlier_text(
    old: list[str], new: list[str]
) -> None:
    before, text = ("\n\n".join(one).encode() for one in (old, new))
    assert reverted(before, text, changes_in(before, text)) is None
    for _ in range(len(old) + len(new)):  # equal blocks may be paired in another way after each
        if count := changes_in(before, text):
            text = reverted(before, text, count - 1) or b""
    assert blocks(text) == blocks(before)


KINDS = st.lists(
    st.sampled_from(
        [
            *("alpha beta", "    code", "  - item\n  - other", "- a\n\n- b\n  - c", "   # Head", "Setext\n==="),
            *(" > quote", "```\nx\n\ny\n```", "| a |\n|---|\n| 1 |", "[ref]: http://x", "<div>\nz\n</div>"),
            *("---", "two\nlines"),
        ]
    ),
    max_size=6,
)


@given(st.sampled_from(["", "---\nx: 1\n---", "---\nx: 1\n---\n"]), KINDS, KINDS)
def test_one_change_taken_back_makes_no_new_lines(head: str, old: list[str], new: list[str]) -> None:
    before, after = (head + "\n" * bool(one and head) + "\n\n".join(one) for one in (old, new))
    lines = {line.rstrip() for line in (before + "\n" + after).split("\n")}
    for number in range(changes_in(before.encode(), after.encode())):
        text = with_change_reverted(before.encode(), after.encode(), number).decode()
        assert {line.rstrip() for line in text.split("\n")} <= lines | {""}
        assert text.startswith(head)


def test_html_in_a_note_cannot_escape_its_block() -> None:
    html = changes("a <div class='removed'>b c", "a <div class='removed'><script>x</script>b d</p></div></section>")
    assert "<script" not in html
    assert html.count("<div") == html.count("</div>")


@given(before=WORDS, after=WORDS)
def test_without_the_marks_the_words_are_those_of_either_text(before: list[str], after: list[str]) -> None:
    html = changes(" ".join(before), " ".join(after))
    old, new = (texts(rendered(" ".join(words).encode())) for words in (before, after))
    if not html or '<div class="removed">' in html:
        assert texts(html) == (old + new if html else [])
        return
    gone, come = (re.sub(rf"<{mark}>.*?</{mark}>", "", html) for mark in ("ins", "del"))
    assert (texts(gone), texts(come)) == (old, new)
    assert not re.search(r"\S</del><ins>\S", html)


@given(st.text(alphabet="ab#->`*\n |[]^%", max_size=200))
def test_the_blocks_have_every_line_of_the_text(text: str) -> None:
    joined = "\n".join(blocks(text.encode()))
    assert joined.split() == text.split()


def test_a_note_cannot_mark_its_own_words() -> None:
    html = marked(b"pay 100 to bob", b"pay <del class='marked'>100</del> to bob", rendered, Budget()).html
    assert 'class="marked"' not in html
    assert html.startswith('<div class="removed">')


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[a](http://good.example)", "[a](http://evil.example)"),
        ("- [ ] a", "- [x] a"),
        ("```py\nx\n```", "```sh\nx\n```"),
    ],
)
def test_a_change_without_words_shows_both_versions(before: str, after: str) -> None:
    html = changes(before, after)
    assert '<div class="removed">' in html
    assert '<div class="added">' in html


def test_texts_of_the_same_words_again_and_again_are_not_compared_for_ever() -> None:
    budget = Budget()
    assert budget.opcodes(["a"] * 1_000, ["a", "b"] * 500) is None
    assert budget.opcodes(["a", "b"], ["a", "c"]) is not None
    assert Budget(0).opcodes(["a"], ["b"]) is None
