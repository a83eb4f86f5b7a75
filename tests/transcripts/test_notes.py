"""Which conversations are worth a note, and the note: whatever was said, it has no other links than those meant."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zkmem.markdown.links import events, find_links
from zkmem.markdown.note import parse, read_text
from zkmem.markdown.properties import parts
from zkmem.markdown.secret import secrets_in, without_secrets
from zkmem.transcripts.conversation import MOST_SHOWN, LeftOut, Transcript, TranscriptBuilder
from zkmem.transcripts.note import note_of, quoted
from zkmem.transcripts.worth import opening, proper_names, reason_against, title_of


def conversation(*said: str, answer: str = "Yes.", title: str = "", project: str = "tea") -> Transcript:
    reader = TranscriptBuilder("codex", "~/there", {}, LeftOut())
    reader.id, reader.title, reader.project = "1", title, project
    for number, text in enumerate(said, 1):
        reader.by_person(text, number)
    reader.by_model(answer)
    return reader.done()


LONG = "I would like to know how warm the water should be for this tea."


@pytest.mark.parametrize(
    ("said", "answer", "reason"),
    [
        ([LONG], "Yes.", ""),
        (["How warm", "should the water be", "for a green tea from Uji?"], "Yes.", ""),
        (["fix it", "continue"], "Yes.", "fewer than 12 words"),
        ([LONG], "", "without an answer"),
        ([], "Yes.", "no person said anything"),
    ],
)
def test_a_conversation_is_worth_a_note_if_the_person_said_something(said: list[str], answer: str, reason: str) -> None:
    found = reason_against(conversation(*said, answer=answer))
    assert (reason in found) if reason else not found


def test_conversations_that_differ_in_numbers_begin_alike() -> None:
    assert opening(conversation("Review  pull request 17, please")) == opening(
        conversation("review pull request 9, please")
    )
    assert opening(conversation("Review this")) != opening(conversation("Review that"))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("yesterday I met Ann Miller's brother at the Deutsche Bahn", {"Ann Miller", "Deutsche Bahn"}),
        ("Ann Miller called. The Other Day it rained", {"Other Day"}),
        ("We use FastAPI and iOS. Use it", {"FastAPI", "iOS"}),
        ("Please read THE README and Berlin", set()),
        ("", set()),
    ],
)
def test_names_are_told_by_their_capitals(text: str, names: set[str]) -> None:
    assert proper_names(conversation(text)) == names


@pytest.mark.parametrize(
    ("title", "said", "name"),
    [
        ("Tea: [[and]] sleep?", LONG, "Tea and sleep"),
        ("", LONG, "I would like to know how warm the water should be for this"),
        ("", "[[#^|]]", "conversation"),
        ("my key sk-a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6 is", "x", "my key (a key was left out) is"),
    ],
)
def test_a_title_is_that_of_the_client_or_the_first_words(title: str, said: str, name: str) -> None:
    assert title_of(conversation(said, title=title)) == name


def test_a_note_has_what_the_person_said_and_the_last_answer_within_bounds() -> None:
    one = conversation(*[f"{number} " + "word " * 1_000 for number in range(50)], answer="no " * 5_000)
    note = note_of(one, ["Ann Miller"], "tea")
    assert note.folder == "conversations/tea"
    assert note.properties["project"] == "[[tea]]"
    assert note.properties["messages"] == 50
    assert note.body.count("\n\n> ") == MOST_SHOWN + 1
    assert "And 40 more in the transcript." in note.body
    assert note.body.endswith("About [[Ann Miller]].\n")
    assert len(note.body) < 16_000


MARKUP = st.sampled_from(
    ["[[a]]", "![[b]]", "[c](d.md)", "#tag", "---\nk: v\n---\n", "> [!note] x\n", "<b>", "<!--", "%%", "`", "```", "[[",
     "````\n", "key:: value", "^id", "$x$", "\\", "| a | b |\n|---|---|\n", "\n", "\n\n", "    ", "\t", "- [ ] ", "~~~",
     "]]", "[^1]: ", "&#91;", "\u2028", "\r", "\x00", "http://x.y/[[a]]", "<https://a.b>", "1. ", "# h\n", "\ud800",
     "===\n", "a\n-\n", "- a\n  -"]
)  # fmt: skip
SAID = st.lists(MARKUP | st.text(max_size=12), max_size=12).map("".join)


@settings(max_examples=300, deadline=None)
@given(said=st.lists(SAID, min_size=1, max_size=3), answer=SAID, title=SAID, project=SAID)
def test_whatever_was_said_a_note_has_the_links_that_are_meant_and_no_others(
    said: list[str], answer: str, title: str, project: str
) -> None:
    note = note_of(conversation(*said, answer=answer, title=title, project=project), ["Ann", "tea"], None)
    data = note.body.encode()
    assert [link.target for link in find_links(data)] == ["Ann", "tea"]
    assert sorted(parse(data).targets) == ["Ann", "tea"]
    assert parse(data).callouts == ""
    assert parts(read_text(data)).properties == {}
    for value in (note.name, *note.properties.values()):
        assert "[[" not in str(value)
    one = conversation(*said, answer=answer)
    for text in (*one.said, one.answer):
        assert elements(quoted(text)) <= HARMLESS


HARMLESS = {"BlockQuote", "Paragraph", "CodeBlock", "List", "Item", "Emphasis", "Strong"}


def elements(markdown: str) -> set[str]:
    """Return what the parser finds in a text, apart from text and breaks."""
    starts = (event.get("Start", event) for event, _ in events(markdown) if isinstance(event, dict))
    kinds = {one if isinstance(one, str) else next(iter(one)) for one in starts}
    return kinds - {"Text", "End"}


def test_secrets_are_replaced_by_a_mark_wherever_they_are() -> None:
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    private = (
        "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEpAIBAAKCAQEA7bq3Xv9ZkL2mN8pQ" * 3 + "\n-----END RSA PRIVATE KEY-----"
    )
    text, count = without_secrets(f"use {key}, I said {key}!\npassword: Tr0ub4dor&3x\n{private}\nand on")
    assert count == 3
    assert key not in text
    assert "MIIE" not in text
    assert text.splitlines()[0] == "use (a token was left out), I said (a token was left out)!"
    assert text.endswith("(a private key was left out)\nand on")
    one = conversation(f"{LONG} {key}", answer=f"{key}")
    assert one.secrets == 2
    assert key not in note_of(one, [], None).body


@settings(max_examples=100, deadline=None)
@given(SAID)
def test_a_text_without_secrets_stays_as_it_is(text: str) -> None:
    if not secrets_in(text.encode(errors="replace")):
        assert without_secrets(text) == (text, 0)
