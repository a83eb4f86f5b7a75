"""Completion in a text that is not saved: links, headings, blocks, tags and properties."""

import json
import pathlib
from collections.abc import Iterator

import pytest
import yaml
from lsprotocol import types

from tests.tools.language_connection import until
from tests.tools.lsp_process import Client, marked, uri_of
from tests.tools.vaults import write
from zkmem.memory import Memory

NOTES = {
    "a.md": "---\ntags: [red, blue fish]\naliases: [Älpha]\nrating: 5\nstatus: 'to: do'\n---\n# A\n\n"
    "See [[b#Two]], [[zz]].\n\n- two ^blk\n",
    "b.md": "# B\n\n## Two\n[[a]] [[zz]]\n\n## Three\n",
    "topics/c.md": "---\ntags: red/deep\nrating: 7\n---\n# C\n\n[[a]] [[b]] #green\n",
    "odd#name.md": "",
    "picture.png": "",
}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    vault = write(tmp_path_factory.mktemp("completion") / "vault", NOTES)
    with Memory(vault) as memory:
        memory.load_search()
    with Client(vault) as client:
        client.start()
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


def test_the_name_of_a_property_stays_one_name(tmp_path: pathlib.Path) -> None:
    odd = "pp\nevil: true\nq"
    vault = write(tmp_path / "vault", {"a.md": f"---\n{json.dumps(odd)}: 1\n---\n", "n.md": ""})
    with Memory(vault) as memory:
        memory.load_search()
        notes = memory.in_editor()
        typed = notes.typed(b"---\npp\n---\n", len(b"---\npp"))
        assert typed
        ((choice,), _) = notes.choices("n.md", typed, 50, lambda _: b"")
    assert yaml.safe_load(f"{choice.written}: 1") == {odd: 1}


CASES = {
    "See [[b¦": ["See [[b]]"],
    "😀 [[b¦]] on": ["😀 [[b]] on"],
    "[[b¦ig|shown]]": ["[[b|shown]]"],
    "[[¦": ["[[b]]", "[[a]]", "[[c]]", "[[zz]]", "[[picture.png]]"],
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
    "[x](a¦": [],
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
}


@pytest.mark.parametrize("text", CASES)
def test_what_is_typed_is_completed(client: Client, text: str) -> None:
    found = results(client, text)
    assert sorted(found) == sorted(CASES[text])


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
    assert len(notes) == 3
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
    second = complete(client, "[[note 11¦")
    assert not second.is_incomplete
    assert {item.label for item in second.items} == {"note 011", *(f"note {number}" for number in range(110, 120))}


def test_each_choice_is_a_link_to_what_it_names(client: Client) -> None:
    with Memory(client.folder) as memory:
        notes = memory.in_editor()
        for line in results(client, "[[¦"):
            (meant,) = notes.links("n.md", line.encode())
            assert (meant.path is None) == (meant.link.target == "zz")
