"""Storing a file as an attachment of a note: its name, its folder, its kind, its undo, and when it is taken back."""

import json
from pathlib import Path

import pytest

from tests.tools.vaults import write
from zkmem.caller import Grant
from zkmem.errors import BadArgument, Forbidden, TooLarge, UnknownFile
from zkmem.memory import Memory

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20
KINDS = {
    ".png": PNG,
    ".jpg": b"\xff\xd8\xff\xe0",
    ".gif": b"GIF89a",
    ".webp": b"RIFF\0\0\0\0WEBPVP8 ",
    ".avif": b"\0\0\0 ftypavif",
}
NOTES = {"in/note.md": "A note.\n", "hint.md": "x\n", "in/attachments/Old.png": "picture"}


@pytest.fixture
def vault(tmp_path: Path) -> str:
    return write(tmp_path / "vault", NOTES)


def test_a_picture_is_stored_beside_its_note_and_can_be_undone_and_redone(vault: str) -> None:
    memory = Memory(vault, durable=False)
    done = memory.attach("in/note", "Photo of tea.PNG", PNG)
    assert (done.path, done.embed) == ("in/attachments/Photo of tea.png", "![[in/attachments/Photo of tea.png]]")
    assert memory.read_file(done.path) == Path(vault, done.path).read_bytes() == PNG
    memory.save("in/new", done.embed, None)
    assert memory.read("in/new").missing == []
    assert memory.log(limit=2)[1].what == "attach in/attachments/Photo of tea.png"
    memory.undo(2)
    assert not Path(vault, done.path).exists()
    memory.redo()
    assert memory.read_file(done.path) == PNG
    assert memory.review().sittings
    picture, note = memory.change(None, 2, first=1).notes
    assert (picture.name, picture.trouble, note.name, note.trouble) == (
        "in/attachments/Photo of tea.png",
        "It is no note, so its changes are not shown.",
        "in/new",
        "",
    )


@pytest.mark.parametrize(("suffix", "data"), KINDS.items())
def test_the_bytes_decide_the_ending(vault: str, suffix: str, data: bytes) -> None:
    assert Memory(vault, durable=False).attach("hint", "a.svg", data).path == f"attachments/a{suffix}"


@pytest.mark.parametrize("data", [b"", b"<svg xmlns='http://www.w3.org/2000/svg'/>", b"<html>", b"%PDF-1.7", b"\x89PN"])
def test_what_only_has_the_name_of_a_picture_is_refused(vault: str, data: bytes) -> None:
    with pytest.raises(BadArgument, match="is no PNG"):
        Memory(vault, durable=False).attach("hint", "a.PNG", data)
    with pytest.raises(TooLarge):
        Memory(vault, durable=False).attach("hint", "a.png", PNG + b"\0" * 16_000_000)


@pytest.mark.parametrize(
    ("title", "path", "link"),
    [
        ("Report (final).PDF", "attachments/Report (final).pdf", "![[attachments/Report (final).pdf]]"),
        ("a.svg", "attachments/a.svg", "![[attachments/a.svg]]"),
        ("song.mp3", "attachments/song.mp3", "![[attachments/song.mp3]]"),
        ("x.tar.gz", "attachments/x.tar.gz", "[[attachments/x.tar.gz]]"),
        ("Makefile", "attachments/Makefile.bin", "[[attachments/Makefile.bin]]"),
        ("a.b c", "attachments/a.b c.bin", "[[attachments/a.b c.bin]]"),
        ("plan.md", "attachments/plan.md", "[[attachments/plan]]"),
        (".env", "attachments/env.bin", "[[attachments/env.bin]]"),
    ],
)
def test_any_file_is_stored_under_its_suffix_and_linked_as_in_obsidian(
    vault: str, title: str, path: str, link: str
) -> None:
    memory = Memory(vault, durable=False)
    done = memory.attach("hint", title, b"text")
    assert (done.path, done.embed) == (path, link)
    memory.save("hint", done.embed, memory.read("hint").etag)
    assert memory.read("hint").missing == [], "the link finds the file"


def test_a_link_keeps_its_meaning_when_a_file_of_the_same_name_is_stored(vault: str) -> None:
    write(Path(vault), {"deep/plan.md": "the first\n", "in/b.md": "[[plan]]\n"})
    memory = Memory(vault, durable=False)
    assert memory.attach("in/note", "plan.md", b"another").path == "in/attachments/plan.md"
    assert memory.read("in/b", 1).text.count("the first") == 1


def test_discarded_attachments_go_to_the_trash_unless_something_links_to_them(vault: str) -> None:
    memory = Memory(vault, durable=False)
    linked, unlinked = (memory.attach("hint", title, b"%PDF").path for title in ("a.pdf", "b.pdf"))
    memory.save("in/other", f"[[{linked}]]", None)
    assert memory.detach([linked, unlinked, "attachments/gone.pdf"]) == [unlinked]
    assert memory.read_file(linked) == b"%PDF"
    assert not Path(vault, unlinked).exists()
    assert memory.detach([unlinked]) == []
    memory.undo()
    assert memory.read_file(unlinked) == b"%PDF"
    memory.save("in/other", "no link", memory.read("in/other").etag)
    assert memory.detach([linked, unlinked]) == [linked, unlinked]
    assert not Path(vault, "attachments").exists()


def test_what_a_note_outside_of_the_folder_links_to_is_not_discarded_by_a_caller_with_the_folder(vault: str) -> None:
    memory = Memory(vault, durable=False)
    inner = memory.restricted(Grant("in"))
    linked, unlinked = (inner.attach("in/note", title, b"%PDF").path for title in ("a.pdf", "b.pdf"))
    memory.save("outside", f"[[{linked}]]", None)
    assert inner.detach([linked, unlinked]) == [unlinked]
    assert memory.read_file(linked) == b"%PDF"


def test_a_taken_name_gets_a_number(vault: str) -> None:
    memory = Memory(vault, durable=False)
    paths = [memory.attach("in/note", "old", PNG).path for _ in range(2)]
    assert paths == ["in/attachments/old 1.png", "in/attachments/old 2.png"], "case does not make a name free"
    assert Path(vault, "in/attachments/Old.png").read_text() == "picture"


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("../../etc/passwd.png", "passwd"),
        ("a[b]|c#d^e:f?.png", "a b c d e f"),
        ("Bild für später.jpeg", "Bild für später"),
        ("x" * 300, "x" * 80),
        (".hidden.png", "hidden"),
    ],
)
def test_a_title_loses_what_no_file_or_link_can_have(vault: str, title: str, name: str) -> None:
    assert Memory(vault, durable=False).attach("hint", title, PNG).path == f"attachments/{name}.png"


@pytest.mark.parametrize("title", ["", "...", "con.png", "\u202e", "///"])
def test_without_a_usable_title_it_is_named_by_the_time(vault: str, title: str) -> None:
    assert Memory(vault, durable=False).attach("hint", title, PNG).path.startswith("attachments/Pasted image 20")


@pytest.mark.parametrize(
    ("setting", "folder"),
    [
        ("/", ""),
        ("files/images", "files/images/"),
        ("./", "in/"),
        ("./pics", "in/pics/"),
        ("../out", "in/attachments/"),
        (".git", "in/attachments/"),
        ("hint.md", "in/attachments/"),
        (7, "in/attachments/"),
    ],
)
def test_the_folder_is_that_of_obsidian_if_the_vault_has_it(vault: str, setting: object, folder: str) -> None:
    write(Path(vault), {".obsidian/app.json": json.dumps({"attachmentFolderPath": setting})})
    assert Memory(vault, durable=False).attach("in/note", "a", PNG).path == f"{folder}a.png"


def test_a_caller_with_a_folder_stores_in_it_alone(vault: str) -> None:
    write(Path(vault), {".obsidian/app.json": json.dumps({"attachmentFolderPath": "/"})})
    memory = Memory(vault, durable=False)
    own = memory.restricted(Grant("in"))
    assert own.attach("in/note", "a", PNG).path == "in/attachments/a.png"
    with pytest.raises(Forbidden):
        own.attach("hint", "a", PNG)
    for refused in (own.restricted(Grant("in", read_only=True)), memory.restricted(Grant("other"))):
        with pytest.raises(Forbidden):
            refused.attach("in/note", "a", PNG)
        with pytest.raises((Forbidden, UnknownFile)):
            refused.detach(["in/attachments/a.png"])
    assert Path(vault, "in/attachments/a.png").exists()
    assert not Path(vault, "a.png").exists()
