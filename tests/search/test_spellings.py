"""Words of a query meet their other spellings: joined, apart, with signs, and as a part of a name in a program."""

import pathlib

import pytest

from tests.tools.vaults import write
from zkmem.caller import Grant
from zkmem.memory import Memory

VAULT = {
    "dotted.md": "We use node.js here.",
    "joined.md": "We use nodejs here.",
    "apart.md": "We use Node JS here.",
    "camel.md": "The class HTTPServer waits.",
    "snake.md": "The function http_server waits.",
    "dashed.md": "Call 555-1234 at noon.",
    "whole.md": "Call 5551234 at noon.",
    "blanks.md": "Call 030 123 4567 at noon.",
    "mail.md": "Write an e-mail.",
    "email.md": "Write an email.",
    "cpp.md": "Templates of C++ are long.",
    "c.md": "C is old. C is small. C is fast. C, C, C.",
    "sharp.md": "C# and F# are younger.",
    "grade.md": "The grade was A+ at last.",
    "си.md": "Шаблоны Си++ длинные.",
    "музыка.md": "Си, си, си и си.",
} | {f"{number}.md": "a node of a tree, and a script js" for number in range(4)}


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    return Memory(write(tmp_path_factory.mktemp("vault"), VAULT))


NODE = {"dotted", "joined", "apart"}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("node.js", NODE),
        ("nodejs", NODE),
        ("nodeJs", NODE),
        ("node-js", NODE),
        ("node js", {"dotted", "apart"}),  # many notes have each of the two
        ("HTTP", {"camel", "snake"}),
        ("HTTPServer", {"camel", "snake"}),
        ("httpServer", {"camel", "snake"}),
        ("http_server", {"camel", "snake"}),
        ("http server", {"camel", "snake"}),
        ("5551234", {"dashed", "whole"}),
        ("555-1234", {"dashed", "whole"}),
        ("555 1234", {"dashed", "whole"}),
        ("0301234567", {"blanks"}),
        ("e-mail", {"mail", "email"}),
        ("email", {"mail", "email"}),
    ],
)
def test_other_spellings_are_found(memory: Memory, query: str, expected: set[str]) -> None:
    for filters in (True, False):
        hits = memory.search(query, filters=filters)
        assert {hit.name for hit in hits[: len(expected)]} == expected
        assert all(hit.score > 0 for hit in hits)
        assert hits.remarks == []


def test_a_word_that_many_notes_have_is_not_taken_apart(tmp_path: pathlib.Path) -> None:
    many = {f"{number}.md": "a notebook" for number in range(3)}
    memory = Memory(write(tmp_path, many | {"apart.md": "note book", "other.md": "note"}))
    assert {hit.name for hit in memory.search("notebook")} == {"0", "1", "2"}
    assert {hit.name for hit in memory.search("note book")} == {*"012", "apart", "other"}


@pytest.mark.parametrize("query", ["10:30", "12:56:78", "1.5", "3 4", "v1.2"])
def test_what_only_looks_alike_is_not_joined_or_parted(tmp_path: pathlib.Path, query: str) -> None:
    memory = Memory(write(tmp_path, {"a.md": "1030 125678 15 34 v12"}))
    assert memory.search(query) == []


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("C++", "cpp"),
        ("c++ and c", "cpp"),
        ("C#", "sharp"),
        ("F#", "sharp"),
        ("the grade A+", "grade"),
        ("c", "c"),
        ("си++", "си"),
    ],
)
def test_a_word_with_signs_comes_first(memory: Memory, query: str, first: str) -> None:
    hits = memory.search(query)
    assert hits[0].name == first
    assert hits.remarks == []
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


@pytest.mark.parametrize(
    "query", ["\uff9e", "soup.\uff9e", "a-\uff9f b", "\uff9e\uff9e++", "a.\ufe70", "\u2474.\u037a"]
)
def test_a_mark_that_stands_alone_is_no_word(memory: Memory, query: str) -> None:
    hits = memory.search(f"{query} templates")
    assert [hit.name for hit in hits][:1] == ["cpp"]


def test_it_is_said_if_no_note_has_the_word_with_its_signs(memory: Memory) -> None:
    hits = memory.search("C+")
    assert hits[0].name == "c"
    assert hits.remarks == ["None of these has 'C+', only 'C'."]


def test_a_caller_with_a_folder_gets_no_spelling_from_outside(memory: Memory) -> None:
    write(memory.vault, {"in/x.md": "use node.js", "in/y.md": "C"})
    memory.search("c")
    confined = memory.restricted(Grant("in"))
    assert [hit.name for hit in confined.search("nodejs")] == ["in/x"]
    assert confined.search("C++").remarks == ["None of these has 'C++', only 'C'."]
    assert memory.search("C++", folders=["in"]).remarks == ["None of these has 'C++', only 'C'."]


@pytest.mark.parametrize("query", ["soup OR leek", "soup AND leek", "soup NOT leek", "the IT of soup"])
def test_a_stop_word_in_capitals_is_no_abbreviation(tmp_path: pathlib.Path, query: str) -> None:
    files = {"soup.md": "soup", "or.md": "Orchester", "and.md": "Andere", "not.md": "Notizbuch", "it.md": "Italien"}
    with Memory(write(tmp_path, files)) as memory:
        assert [hit.name for hit in memory.search(query)] == ["soup"]


def test_the_words_of_a_sentence_are_not_joined(tmp_path: pathlib.Path) -> None:
    sentence = "we talked about how he wants node js there tomorrow morning"
    with Memory(write(tmp_path, {"joined.md": "nodejs", "apart.md": "node js"})) as memory:
        assert [hit.name for hit in memory.search("node js")] == ["apart", "joined"]
        assert [hit.name for hit in memory.search(sentence)] == ["apart"]
