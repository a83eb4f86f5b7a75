"""Completion in a text that is not saved: links, headings, blocks, tags and properties."""

import pathlib
from collections.abc import Iterator

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from tests.tools.language_connection import until
from tests.tools.lsp_process import Client, client_of, marked, uri_of
from tests.tools.vaults import write
from zkmem.markdown.typed import Typed
from zkmem.memory import Memory
from zkmem.names import path_of

NOTES = {
    "a.md": "---\ntags: [red, blue fish]\naliases: [Älpha]\nrating: 5\nstatus: 'to: do'\n---\n# A\n\n"
    "See [[b#Two]], [[zz]].\n\n- two ^blk\n",
    "b.md": "# B\n\n## Two\n[[a]] [[zz]]\n\n## Three\n",
    "topics/c.md": "---\ntags: red/deep\nrating: 7\n---\n# C\n\n[[a]] [[b]] #green\n\n## Deep part\n",
    "my note (x.md": "",
    "odd#name.md": "",
    "picture.png": "",
}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with client_of(write(tmp_path_factory.mktemp("completion") / "vault", NOTES)) as client:
        client.open("n.md", "")
        yield client


def complete(client: Client, text: str) -> types.CompletionList:
    text, place = marked(text)
    client.change("n.md", 2, types.TextDocumentContentChangeWholeDocument(text))
    about = types.TextDocumentIdentifier(uri_of(client.folder, "n.md"))
    result = client.ask(types.TEXT_DOCUMENT_COMPLETION, types.CompletionParams(about, place))
    assert isinstance(result, types.CompletionList)
    return result


def results(client: Client, text: str) -> list[str]:
    """Return what each choice makes of the line with the mark."""
    (line,) = [line for line in text.split("\n") if "¦" in line]
    units = line.replace("¦", "").encode("utf-16-le")
    lines = []
    for item in complete(client, text).items:
        assert isinstance(item.text_edit, types.TextEdit)
        place = item.text_edit.range
        assert place.start.line == place.end.line
        before, after = units[: 2 * place.start.character], units[2 * place.end.character :]
        lines.append(before.decode("utf-16-le") + item.text_edit.new_text + after.decode("utf-16-le"))
    return lines


CASES = {
    "See [[b¦": ["See [[b]]"],
    "😀 [[b¦]] on": ["😀 [[b]] on"],
    "[[b¦ig|shown]]": ["[[b|shown]]"],
    "[[¦": ["[[b]]", "[[a]]", "[[c]]", "[[zz]]", "[[my note (x]]", "[[picture.png]]"],
    "[[topics/¦": ["[[topics/c]]"],
    "[[älp¦": ["[[a|Älpha]]"],
    "| x | [[älp¦ |": ["| x | [[a\\|Älpha]] |"],
    "[[b#¦": ["[[b#B]]", "[[b#Two]]", "[[b#Three]]"],
    "[[b#tw¦]]": ["[[b#Two]]"],
    "[[#he¦\n# Here": ["[[#Here]]"],
    "[[a#^¦": ["[[a#^blk]]"],
    "[[a|¦": [],
    "`[[a¦`": [],
    "```\n[[a¦\n```": [],
    "[x](b¦": ["[x](b.md)"],
    "see [x](B.M¦) on": ["see [x](b.md) on"],
    '[x](b¦ig.md "t") on': ['[x](b.md "t") on'],
    "[x](topics/¦": ["[x](topics/c.md)"],
    "[x](./to¦": ["[x](./topics/c.md)"],
    "[x](/to¦": ["[x](/topics/c.md)"],
    "[x](my no¦": ["[x](my%20note%20%28x.md)"],
    "[x](my%20no¦)": ["[x](my%20note%20%28x.md)"],
    "[x](<my no¦": ["[x](<my note (x.md>)"],
    "[x](odd¦": ["[x](odd%23name.md)"],
    "[x](zz¦": ["[x](zz.md)"],
    "[x](älp¦": ["[x](a.md)"],
    "[x](pict¦": ["[x](picture.png)"],
    "![x](¦": [
        "![x](picture.png)",
        "![x](b.md)",
        "![x](a.md)",
        "![x](topics/c.md)",
        "![x](odd%23name.md)",
        "![x](my%20note%20%28x.md)",
    ],
    "![x](pict¦ure.png)": ["![x](picture.png)"],
    "[x](b.md#¦": ["[x](b.md#B)", "[x](b.md#Two)", "[x](b.md#Three)"],
    "[x](a.md#¦)": ["[x](a.md#A)", "[x](a.md#^blk)"],
    "[x](a.md#^b¦": ["[x](a.md#^blk)"],
    "[x](topics/c.md#deep p¦": ["[x](topics/c.md#Deep%20part)"],
    "[x](<topics/c.md#de¦>)": ["[x](<topics/c.md#Deep part>)"],
    "[x](#he¦\n# Here": ["[x](#Here)"],
    '---\nup: "[x](b¦"\n---\n': ['up: "[x](b.md)"'],
    "---\nup: [x](b¦\n---\n": ['up: "[x](b.md)"'],
    "[x](https://b¦": [],
    "`[x](b¦`": [],
    "text #¦": ["text #green", "text #red", "text #red/deep"],
    "#re¦": ["#red", "#red/deep"],
    "a#re¦": [],
    "## re¦": [],
    "---\ntags: [x, re¦]\n---\n": ["tags: [x, red]", "tags: [x, red/deep]"],
    "---\ntags:\n  - re¦\n---\n": ["  - red", "  - red/deep"],
    "---\nra¦\n---\n": ["rating"],
    "---\nrating: ¦\n---\n": ["rating: 5", "rating: 7"],
    "---\nstatus: t¦\n---\n": ['status: "to: do"'],
    "---\nup: [[b¦\n---\n": ['up: "[[b]]"'],
    '---\nup: "[[b¦"\n---\n': ['up: "[[b]]"'],
    '---\nup: "see [[b¦"\n---\n': ['up: "see [[b]]"'],
    "---\nup: |\n  see [[b¦\n---\n": ["  see [[b]]"],
    "---\nup: [[b#tw¦\n---\n": ['up: "[[b#Two]]"'],
    "---\nup: '[[b#tw¦]]'\n---\n": ["up: '[[b#Two]]'"],
    '---\nstatus: "t¦"\n---\n': ['status: "to: do"'],
    "---\nstatus: 't¦'\n---\n": ["status: 'to: do'"],
}


@pytest.mark.parametrize("text", CASES)
def test_what_is_typed_is_completed(client: Client, text: str) -> None:
    found = results(client, text)
    assert sorted(found) == sorted(CASES[text])


ODD = [
    "tt: x",
    "tt # x",
    "tt\nx: 1",
    'tt "x"',
    "tt 'x'",
    "tt\\x",
    "tt\\",
    "tt, x",
    "tt [x",
    "tt\u2028x",
    "tt\x85z",
    "tt | x",
]


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    properties = {"aliases": ODD, "key": ODD, **dict.fromkeys(ODD, 1)}
    notes = {"a.md": f"---\n{yaml.safe_dump(properties, allow_unicode=True)}---\n", "n.md": "", 'nn "q".md': ""}
    with Memory(write(tmp_path_factory.mktemp("odd") / "vault", notes | {"nn 'q'.md": "", "nn; x.md": ""})) as memory:
        memory.load_search()
        yield memory


def written(memory: Memory, text: str) -> Iterator[tuple[str, bytes]]:
    """Yield the label of each choice, and the text with it."""
    notes, at = memory.in_editor(), text.index("¦")
    data, place = text.replace("¦", "").encode(), len(text[:at].encode())
    if typed := notes.typed(data, place):
        for choice in notes.choices("n.md", typed, 100, lambda _: b"")[0]:
            new = f"{typed.before}{choice.written}{typed.after}".encode()
            yield choice.label, data[: typed.start] + new + data[typed.end :]


@pytest.mark.parametrize(
    "text", ["key: tt¦", 'key: "tt¦"', "key: 'tt¦'", "key: [tt¦]", "key:\n  - tt¦", "key: |-\n  tt¦", "tt¦", '"tt¦": 1']
)
def test_a_property_or_value_stays_what_it_is_in_every_style_of_yaml(odd: Memory, text: str) -> None:
    found = list(written(odd, f"---\n{text}\n---\n"))
    assert len(found) >= len(ODD) - 2  # a single line cannot hold all
    for label, data in found:
        source = yaml.safe_load(data.decode().removeprefix("---\n").removesuffix("\n---\n"))
        if "key" in text:
            assert source["key"] in (label, [label])
        else:
            assert source in (label, {label: 1})


@pytest.mark.parametrize("start", ["tt", "nn"])
@pytest.mark.parametrize(
    "text",
    [
        form.replace("LINK", link)
        for form in ("See LINK", "---\nup: LINK\n---\n", '---\nup: "LINK"\n---\n', "---\nup: 'LINK'\n---\n")
        for link in ("[[@¦", "[x](@¦", "[x](<@¦")
    ],
)
def test_an_odd_name_or_alias_is_a_link_to_its_note_in_every_style_of_yaml(odd: Memory, start: str, text: str) -> None:
    found = list(written(odd, text.replace("@", start)))
    assert len(found) >= 3
    for label, data in found:
        (meant,) = odd.in_editor().links("n.md", data)
        shown = "x" if "](" in text else label if start == "tt" else None
        assert (meant.path, meant.link.display) == ("a.md" if start == "tt" else path_of(label), shown)


def test_a_path_in_a_markdown_link_begins_at_the_folder_of_its_note(client: Client) -> None:
    with Memory(client.folder) as memory:
        notes = memory.in_editor()

        def found(line: bytes) -> list[str]:
            typed = notes.typed(line, len(line))
            assert typed is not None
            found, _ = notes.choices("topics/new.md", typed, 9, notes.read)
            return [one.written for one in found if one.kind == "note"]

        assert found(b"[x](a")[0] == "../a.md"
        assert found(b"[x](c.") == found(b"[x](topics/c") == ["c.md"]
        assert found(b"[x](../b") == ["../b.md"]
        assert found(b"[x](./") == ["./c.md"]
        assert found(b"[x](/b") == ["/b.md"]
        assert found(b"[x](../../b") == []


def test_an_editor_finds_a_path_by_what_is_typed_encoded_or_not(client: Client) -> None:
    for text, wanted in {"[x](my%20n¦": "my%20note%20%28x.md", "[x](my n¦": "my note (x.md"}.items():
        assert [one.filter_text for one in complete(client, text).items] == [wanted]


@given(st.text(), st.sampled_from(['"', "'"]))
def test_any_text_is_what_it_is_in_quotation_marks_or_cannot_be_there(text: str, quote: str) -> None:
    inside = Typed("value", "", 0, 0, quote=quote).written(text)
    if inside is not None:
        assert yaml.load(f"{quote}{inside}{quote}", yaml.CSafeLoader) == text
    assert inside is not None or quote == "'" or not text.isprintable()


def test_an_editor_takes_whole_names_as_snippets_and_the_brackets_that_it_has_put_there(client: Client) -> None:
    write(client.folder, notes := {"$1 {a} b.md": ""})
    able = types.ClientCompletionItemOptions(snippet_support=True, insert_replace_support=True)
    ends = {"[[$1¦": 4, "[[$1¦]]": 6, "[[$1¦|x]]": 4, '---\nup: "[[$1¦]]"\n---\n': 11}
    with Client(client.folder) as other:
        completion = types.CompletionClientCapabilities(completion_item=able)
        text_document = types.TextDocumentClientCapabilities(completion=completion)
        other.start(capabilities=types.ClientCapabilities(text_document=text_document))
        other.open("n.md", "")
        for text, end in ends.items():
            (item,) = complete(other, text).items
            assert isinstance(item.text_edit, types.TextEdit)
            assert item.insert_text_format is types.InsertTextFormat.Snippet
            closing = "" if "|" in text else "]]"
            assert item.text_edit.new_text == r"\$1 {a\} b" + closing
            assert item.text_edit.range.end.character == end
    for path in notes:
        (pathlib.Path(client.folder) / path).unlink()


def test_the_heaviest_note_comes_first_and_a_missing_one_says_so(client: Client) -> None:
    items = complete(client, "[[¦").items
    with Memory(client.folder) as memory:
        weights = {hint.name.rpartition("/")[2]: hint.weight for hint in memory.hints()}
    notes = [weights[one.label] for one in items if one.label in weights]
    assert len(notes) == 4
    assert notes == sorted(notes, reverse=True)
    assert [one.detail for one in items if one.label == "zz"] == ["no such note yet"]
    assert [one.sort_text for one in items] == sorted(one.sort_text or "" for one in items)


def test_of_many_names_some_are_sent_and_the_rest_with_more_letters(client: Client) -> None:
    write(client.folder, {f"many/note {number:03}.md": "" for number in range(120)})
    client.open("watch.md", "[[note 119]]")
    until(lambda: not client.diagnostics("watch.md"))  # the index has the notes
    first = complete(client, "[[note¦")
    assert first.is_incomplete
    assert len(first.items) == 50
    until(lambda: not complete(client, "[[note 11¦").is_incomplete)  # aliases are known when all notes are indexed
    assert {item.label for item in complete(client, "[[note 11¦").items} == {
        "note 011",
        *(f"note {number}" for number in range(110, 120)),
    }


def test_each_choice_is_a_link_to_what_it_names(client: Client) -> None:
    with Memory(client.folder) as memory:
        notes = memory.in_editor()
        for line in results(client, "[[¦"):
            (meant,) = notes.links("n.md", line.encode())
            assert (meant.path is None) == (meant.link.target == "zz")
