"""Storing a picture as an attachment of a note: its name, its folder, its kind, its undo."""

import json
from pathlib import Path

import pytest

from tests.tools.vaults import write
from zkmem.caller import Grant
from zkmem.errors import BadArgument, Forbidden, TooLarge
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
    assert [one.name for one in memory.changes(2)] == ["in/new"], "a picture is no note with changed words"


@pytest.mark.parametrize(("suffix", "data"), KINDS.items())
def test_the_bytes_decide_the_ending(vault: str, suffix: str, data: bytes) -> None:
    assert Memory(vault, durable=False).attach("hint", "a.svg", data).path == f"attachments/a{suffix}"


@pytest.mark.parametrize("data", [b"", b"<svg xmlns='http://www.w3.org/2000/svg'/>", b"<html>", b"%PDF-1.7", b"\x89PN"])
def test_what_is_no_picture_is_refused(vault: str, data: bytes) -> None:
    with pytest.raises(BadArgument, match="PNG"):
        Memory(vault, durable=False).attach("hint", "a.png", data)
    with pytest.raises(TooLarge):
        Memory(vault, durable=False).attach("hint", "a.png", PNG + b"\0" * 16_000_000)


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
    own = Memory(vault, durable=False).restricted(Grant("in"))
    assert own.attach("in/note", "a", PNG).path == "in/attachments/a.png"
    with pytest.raises(Forbidden):
        own.attach("hint", "a", PNG)
    with pytest.raises(Forbidden):
        own.restricted(Grant("in", read_only=True)).attach("in/note", "a", PNG)
    assert not Path(vault, "a.png").exists()
