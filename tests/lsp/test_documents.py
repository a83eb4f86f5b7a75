"""The open documents: bytes of a text and positions of the protocol, back and forth, and after changes."""

import re
from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from tests.tools.editor import changed
from zkmem.lsp.documents import Change, Documents, Encoding, Lines, to_bytes
from zkmem.markdown.links import find_links

PIECES = ["a", "[[b]]", "#", "\n", "\r", "\r\n", "é", "€", "😀", "\x0b", "\u2028", "", "\ufeff"]
BYTES = [*(piece.encode() for piece in PIECES), b"\x80", b"\xe2\x82", b"\xf0\x9f", b"\xff"]
ENCODINGS = st.sampled_from(["utf-8", "utf-16", "utf-32"])
TEXTS = st.lists(st.sampled_from(BYTES), max_size=12).map(b"".join)


def places(data: bytes, encoding: Encoding) -> Iterator[tuple[int, int, int]]:
    """Yield each offset where a character begins, with its line and column, found one character at a time."""
    offset = line = column = 0
    text = data.decode(errors="surrogateescape")
    for at, character in enumerate(text):
        before, after = text[at - 1 : at], text[at + 1 : at + 2]
        if (before, character) != ("\r", "\n"):
            yield offset, line, column
        size = len(character.encode(errors="surrogateescape"))
        offset += size
        if character == "\n" or (character == "\r" and after != "\n"):
            line, column = line + 1, 0
        elif character != "\r":
            column += {"utf-8": size, "utf-16": 1 + (character > "\uffff"), "utf-32": 1}[encoding]
    yield offset, line, column


@given(TEXTS, ENCODINGS)
def test_positions_count_code_units_and_only_the_line_ends_of_the_protocol(data: bytes, encoding: Encoding) -> None:
    lines = Lines(data, encoding)
    assert len(lines.starts) == len(re.split(rb"\r\n|\r|\n", data))
    for offset, line, column in places(data, encoding):
        assert lines.position(offset) == (line, column)
        assert lines.offset(line, column) == offset


@given(TEXTS, ENCODINGS, st.integers(0, 20), st.integers(0, 40))
def test_any_position_is_taken_for_one_in_the_text(data: bytes, encoding: Encoding, line: int, column: int) -> None:
    lines = Lines(data, encoding)
    offset = lines.offset(line, column)
    assert offset in {at for at, _, _ in places(data, encoding)}
    assert lines.position(offset) <= (line, column)


@given(TEXTS, ENCODINGS, TEXTS, st.data())
def test_lines_after_a_change_are_those_of_the_new_text(
    data: bytes, encoding: Encoding, new: bytes, draw: st.DataObject
) -> None:
    here = list(places(data, encoding))
    first, last = sorted(draw.draw(st.tuples(*[st.integers(0, len(here) - 1)] * 2)))
    (start, *begin), (stop, *end) = here[first], here[last]
    lines = Lines(data, encoding).changed([((begin[0], begin[1]), (end[0], end[1]), new)])
    fresh = Lines(data[:start] + new + data[stop:], encoding)
    assert (lines.data, lines.starts) == (fresh.data, fresh.starts)


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join), st.data())
def test_a_buffer_after_random_edits_has_the_text_and_the_links_of_the_editor(text: str, draw: st.DataObject) -> None:
    documents, uri = Documents(), "file:///a.md"
    documents.put(uri, 1, text)
    changes = []
    for _ in range(4):
        here = [types.Position(line, column) for _, line, column in places(text.encode(), "utf-16")]
        start, end = sorted(draw.draw(st.tuples(*[st.integers(0, len(here) - 1)] * 2)))
        new = draw.draw(st.lists(st.sampled_from(PIECES), max_size=4).map("".join))
        place = types.Range(here[start], here[end])
        text = changed(text, [types.TextEdit(place, new)])
        changes.append(types.TextDocumentContentChangePartial(place, new))
    documents.change(uri, 2, changes[:3])
    documents.change(uri, 3, changes[3:])
    document = documents.open[uri]
    assert (document.version, document.data) == (3, text.encode())
    assert find_links(document.data) == find_links(text.encode())


def plain_offset(text: str, place: types.Position, encoding: Encoding) -> int:
    """Return the character at a position, found one character at a time. Positions past an end stand for that end."""
    lines = re.split("(\r\n|\r|\n)", text)
    if place.line >= len(lines[::2]):
        return len(text)
    at, units = len("".join(lines[: 2 * place.line])), 0
    for character in lines[2 * place.line]:
        units += len(character.encode({"utf-16": "utf-16-le", "utf-32": "utf-32-le"}.get(encoding, "utf-8")))
        if units > place.character * {"utf-16": 2, "utf-32": 4}.get(encoding, 1):
            break
        at += 1
    return at


POSITIONS = st.builds(types.Position, *[st.integers(0, 12) | st.just(2**31 - 1)] * 2)
CHANGES = st.one_of(
    st.builds(
        types.TextDocumentContentChangePartial,
        st.tuples(POSITIONS, POSITIONS).map(lambda two: types.Range(*sorted(two))),
        st.sampled_from(["", *PIECES, "\r\n\r", "\U0010ffff\n"]),
    ),
    st.builds(types.TextDocumentContentChangeWholeDocument, st.lists(st.sampled_from(PIECES), max_size=8).map("".join)),
)


@given(
    st.lists(st.sampled_from(PIECES), max_size=12).map("".join),
    ENCODINGS,
    st.lists(st.tuples(st.integers(-1, 9), st.lists(CHANGES, max_size=4)), max_size=4),
)
def test_any_changes_give_the_text_of_a_plain_editor(
    text: str, encoding: Encoding, batches: list[tuple[int, list[Change]]]
) -> None:
    """Positions lie anywhere, also in a character, in a line end or past the end; some changes are whole texts.

    The protocol has the changes of a document in order, whatever their versions say.
    """
    documents, uri = Documents(), "file:///a.md"
    documents.encoding = encoding
    documents.put(uri, 1, text)
    for version, changes in batches:
        documents.change(uri, version, changes)
        for change in changes:
            if isinstance(change, types.TextDocumentContentChangeWholeDocument):
                text = change.text
            else:
                start, end = (plain_offset(text, one, encoding) for one in (change.range.start, change.range.end))
                text = text[:start] + change.text + text[end:]
        document = documents.open[uri]
        assert (document.version, document.data) == (version, text.encode())
        assert document.lines.starts == Lines(text.encode(), encoding).starts


def test_bytes_that_are_not_utf8_and_halves_of_characters_keep_their_place() -> None:
    assert to_bytes("a\udc80b") == b"a\x80b"
    assert to_bytes("a\ud83db") == "a\ufffdb".encode()


def test_a_document_of_which_a_change_is_malformed_is_not_known_until_it_is_whole() -> None:
    documents, uri = Documents(), "file:///a.md"
    documents.put(uri, 1, "text")
    place = types.Range(types.Position(0, 2), types.Position(0, 1))  # it ends before it begins
    documents.change(uri, 2, [types.TextDocumentContentChangePartial(place, "x")])
    assert not documents.open
    assert documents.unknown == {uri}
    documents.change(uri, 3, [types.TextDocumentContentChangePartial(types.Range(place.end, place.end), "x")])
    assert uri in documents.unknown
    documents.change(uri, 4, [types.TextDocumentContentChangeWholeDocument("new")])
    assert documents.open[uri].data == b"new"
    assert not documents.unknown
    documents.change("file:///b.md", 1, [])
    assert documents.unknown == {"file:///b.md"}, "it was never opened"
    documents.close("file:///b.md")
    assert not documents.unknown


def test_of_very_many_documents_that_are_not_known_the_last_ones_are_remembered() -> None:
    documents = Documents()
    for number in range(5_001):
        documents.change(f"file:///{number}.md", 1, [])
    assert len(documents.unknown) == 5_000
    assert "file:///0.md" not in documents.unknown
    assert "file:///5000.md" in documents.unknown


def test_the_open_documents_have_a_bound_together() -> None:
    documents = Documents()
    documents.most_bytes_in_all = 10
    for name in ("a", "b", "c"):
        documents.put(name, 1, "1234")
    assert set(documents.open) == {"a", "b"}
    assert documents.unknown == {"c"}
    documents.put("a", 2, "123456")
    assert set(documents.open) == {"a", "b"}, "its own old text does not count"
    documents.close("b")
    documents.put("c", 2, "1234")
    assert set(documents.open) == {"a", "c"}
    assert not documents.unknown


def test_a_document_over_the_bounds_is_left_out_until_it_is_small() -> None:
    documents = Documents()
    documents.most_bytes = 5
    documents.put("file:///a.md", 1, "123456")
    assert not documents.open
    part = types.TextDocumentContentChangePartial(types.Range(types.Position(0, 0), types.Position(0, 1)), "")
    documents.change("file:///a.md", 2, [part])
    assert not documents.open
    documents.change("file:///a.md", 3, [types.TextDocumentContentChangeWholeDocument("123")])
    assert documents.open["file:///a.md"].data == b"123"
