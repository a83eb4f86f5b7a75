"""Import what was said elsewhere: proposed, accepted or dropped, and proposed again only if it is new."""

import contextlib
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
from collections.abc import Sequence

import pytest

from tests.tools.forked import zkmem_command
from tests.tools.vaults import read, write
from zkmem.clients.table import UserHome
from zkmem.memory import Memory
from zkmem.transcripts.importing import ImportReport, ImportRequest, import_conversations

ALL = ImportRequest("claude-code")
SESSION = "{:08}-0000-4000-8000-000000000000"
SAID = [
    "Last week Ann Miller gave me gyokuro, and I made it with water of 90 degrees, which was bitter.",
    "The garden needs rain, and I would like to know which tomatoes stand a dry summer on my balcony.",
    "My bicycle has a chain that jumps on hills, and I asked whether Ann Miller should repair it for me.",
    "Yesterday I spoke with Ann Miller about the brewing of sencha in a pot of cast iron, for a long time.",
]


@pytest.fixture
def home(tmp_path: pathlib.Path) -> pathlib.Path:
    """A user's folder with four conversations in two projects and two months."""
    for number, text in enumerate(SAID):
        transcript(
            tmp_path / "home", number, [text], "tea" if number % 2 == 0 else "garden", f"2026-{10 + number // 2}-03"
        )
    return tmp_path / "home"


@pytest.fixture
def vault(tmp_path: pathlib.Path) -> str:
    return write(tmp_path / "vault", {"brewing.md": "Water first.\n", ".zkmem/.gitignore": ""})


def transcript(
    home: pathlib.Path, number: int, said: Sequence[str], project: str = "tea", day: str = "2026-10-03"
) -> None:
    """Write a transcript of Claude Code in which each message has an answer."""
    folder = home / ".claude" / "projects" / f"-home-ann-{project}"
    folder.mkdir(parents=True, exist_ok=True)
    about = {"cwd": f"/home/ann/{project}", "timestamp": f"{day}T10:00:00Z", "version": "2.1.197"}
    records = [
        {"type": role, "message": {"role": role, "content": content}, "uuid": f"{number}-{turn}", **about}
        for turn, text in enumerate(said)
        for role, content in (("user", text), ("assistant", [{"type": "text", "text": f"Answer {turn}."}]))
    ]
    (folder / f"{SESSION.format(number)}.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in records))


def imported(vault: str, home: pathlib.Path, request: ImportRequest = ALL) -> ImportReport:
    with Memory(vault, durable=False) as memory:
        return import_conversations(memory, request, UserHome({"HOME": str(home)}, "linux"))


def accepted(vault: str, **group: str) -> None:
    with Memory(vault, durable=False) as memory:
        assert memory.accept("import", memory.proposed_numbers("import", **group)).left == []


def zkmem(vault: str, home: pathlib.Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    folders = {"HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config"), "CLAUDE_CONFIG_DIR": str(home / ".claude")}
    environ = {**os.environ, **folders, "ZKMEM_VAULT": vault}
    return zkmem_command(*arguments, environ=environ)


def test_a_person_imports_looks_accepts_and_finds(vault: str, home: pathlib.Path) -> None:
    before = read(vault)
    done = zkmem(vault, home, "import", "--from", "claude-code", "--dry-run")
    assert done.stdout == "4 notes would be proposed, from 2 months, 2 projects\nread: 4 conversations\n"
    assert zkmem(vault, home, "proposed", "list").stdout == "No proposed edits wait.\n"
    done = zkmem(vault, home, "import", "--from", "claude-code")
    assert done.stdout.startswith("4 notes proposed, from 2 months, 2 projects\n")
    assert read(vault) == before
    shown = zkmem(vault, home, "proposed", "list").stdout
    assert shown.startswith(
        "import: 4 notes proposed, from 2 months, 2 projects\n"
        "  garden  2026-10: 1, 2026-11: 1\n  tea  2026-10: 1, 2026-11: 1\n"
    )
    assert "gyokuro" in zkmem(vault, home, "proposed", "show", "import", "--project", "tea").stdout
    assert zkmem(vault, home, "proposed", "accept", "import", "--month", "2026-10").stdout.startswith(
        "accepted 2 edits"
    )
    assert zkmem(vault, home, "proposed", "drop", "import", "--project", "garden").stdout.startswith("dropped 1 edit")
    assert "Last week Ann Miller gave me gyokuro" in zkmem(vault, home, "search", "gyokuro").stdout
    assert zkmem(vault, home, "proposed", "accept", "import", "--project", "attic").returncode == 3
    again = json.loads(zkmem(vault, home, "import", "--from", "claude-code", "--json").stdout)
    assert (again["read"], again["proposed"], again["changed"]) == (4, 0, 0)
    assert again["left_out"] == {
        "conversations that you have dropped before": 1,
        "conversations that have a note, or a proposed one": 3,
    }


def test_a_note_names_its_transcript_and_links_to_what_is_there_or_recurs(vault: str, home: pathlib.Path) -> None:
    imported(vault, home)
    accepted(vault)
    path = "conversations/garden/2026-11-03 Yesterday I spoke with Ann Miller about the brewing of.md"
    assert read(vault)[path].decode() == (
        "---\n"
        f"conversation: claude-code/{SESSION.format(3)}\n"
        f"transcript: ~/.claude/projects/-home-ann-garden/{SESSION.format(3)}.jsonl:1\n"
        "date: 2026-11-03\n"
        'project: "[[garden]]"\n'
        "messages: 1\n"
        "---\n"
        f"## You said\n\n> {SAID[3]}\n\n## The last answer\n\n> Answer 0.\n\nAbout [[brewing]], [[Ann Miller]].\n"
    )
    with Memory(vault) as memory:
        [passage] = memory.why(f"{path}:12".replace(".md", ""))
        assert passage.in_words.endswith(
            ", from the conversation 'Yesterday I spoke with Ann Miller about the brewing of' with claude-code, "
            f"2026-11-03 ({passage.session})"
        )
        assert len(memory.edits_of_session(SESSION.format(3))) == 1


def test_no_conversation_is_kept_for_an_edit_if_the_setting_is_off(vault: str, home: pathlib.Path) -> None:
    imported(vault, home, ALL._replace(origins=False))
    assert not pathlib.Path(vault, ".zkmem/origins.jsonl").exists()


def test_a_conversation_that_went_on_changes_its_note_and_leaves_what_others_wrote(
    vault: str, home: pathlib.Path
) -> None:
    imported(vault, home)
    accepted(vault)
    name = "2026-10-03 Last week Ann Miller gave me gyokuro, and I made it with"
    with Memory(vault, durable=False) as memory:
        memory.append(name, "My own line.\n")
        memory.rename(name, "/kept/gyokuro")
    transcript(home, 0, [SAID[0], "And then?"])
    report = imported(vault, home)
    assert (report.proposed, report.changed) == (0, 1)
    assert imported(vault, home).changed == 0, "the proposed change is known"
    accepted(vault)
    text = read(vault)["kept/gyokuro.md"].decode()
    assert "messages: 2\n" in text
    assert f"> {SAID[0]}\n\n> And then?\n\n## The last answer\n\n> Answer 1.\n" in text
    assert text.endswith("My own line.\n")


def test_a_change_at_the_same_place_as_another_is_left_out(vault: str, home: pathlib.Path) -> None:
    imported(vault, home)
    accepted(vault)
    with Memory(vault, durable=False) as memory:
        memory.write("2026-10-03 Last week Ann Miller gave me gyokuro, and I made it with", "B", old="Answer 0.")
    transcript(home, 0, [SAID[0], "And then?"])
    assert (
        imported(vault, home).left_out["conversations that went on, but whose notes have changes in the same lines"]
        == 1
    )


def test_what_waits_and_what_was_dropped_is_not_proposed_again_even_if_it_went_on(
    vault: str, home: pathlib.Path
) -> None:
    assert imported(vault, home).proposed == 4
    assert imported(vault, home).proposed == 0
    with Memory(vault, durable=False) as memory:
        memory.drop("import")
    transcript(home, 0, [SAID[0], "And then?"])
    transcript(home, 9, ["This one is new, and it has more than twelve words, which is enough for a note."])
    assert imported(vault, home).proposed == 1


def test_only_what_is_chosen_is_proposed(vault: str, home: pathlib.Path) -> None:
    assert imported(vault, home, ImportRequest("claude-code", since="2026-11-01", dry_run=True)).proposed == 2
    assert imported(vault, home, ImportRequest("claude-code", project="Tea", dry_run=True)).proposed == 2
    one = home / ".claude" / "projects" / "-home-ann-tea" / f"{SESSION.format(0)}.jsonl"
    assert imported(vault, home, ImportRequest("claude-code", str(one))).proposed == 1


def test_what_a_program_asks_again_and_again_is_left_out(vault: str, home: pathlib.Path) -> None:
    for number in range(10, 14):
        transcript(home, number, [f"Review the change {number} and list all mistakes that you find in it, one by one."])
    transcript(home, 20, [SAID[0]])
    copy = home / ".claude" / "projects" / "-home-ann-tea"
    (copy / f"{SESSION.format(21)}.jsonl").write_text((copy / f"{SESSION.format(20)}.jsonl").read_text())
    report = imported(vault, home)
    assert report.proposed == 5
    assert report.left_out["conversations that a program began (more than 3 begin with the same words)"] == 4
    assert report.left_out["transcripts that another one continues"] == 1


def test_what_has_no_room_among_the_proposed_edits_is_proposed_by_a_later_import(
    vault: str, home: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zkmem.transcripts.importing._AT_ONCE", 1)
    monkeypatch.setattr("zkmem.edit.proposed._MOST_EDITS", 2)
    reports = [imported(vault, home), imported(vault, home)]
    assert [one.proposed for one in reports] == [2, 0]
    assert all(count == 2 for one in reports for reason, count in one.left_out.items() if "can wait" in reason)
    assert {one.month for one in reports[0].groups} == {"2026-11"}, "the newest first"
    accepted(vault)
    assert imported(vault, home).proposed == 2


def test_a_version_that_was_not_tried_is_said(vault: str, home: pathlib.Path) -> None:
    path = home / ".claude" / "projects" / "-home-ann-tea" / f"{SESSION.format(0)}.jsonl"
    path.write_text(path.read_text().replace("2.1.197", "9.0.1"))
    [remark] = imported(vault, home, ImportRequest("claude-code", dry_run=True)).remarks
    assert remark.startswith(
        "zkmem was tried with transcripts of claude-code 2.1.197. Those of 9.0.1 may have another form"
    )


def test_many_notes_are_proposed_and_accepted_in_few_transactions(
    vault: str, home: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(100, 160):
        transcript(home, number, [f"{'q' * (number - 99)} {SAID[1]}"])
    flushes, fsync = 0, os.fsync

    def counted(handle: int) -> None:
        nonlocal flushes
        flushes += 1
        fsync(handle)

    with Memory(vault) as memory:
        monkeypatch.setattr(os, "fsync", counted)
        report = import_conversations(memory, ALL, UserHome({"HOME": str(home)}, "linux"))
        assert len(memory.accept("import").accepted) == report.proposed == 64
        assert flushes < 200
        assert len({one.rev for one in memory.log(limit=100)}) == 64, "each can be undone alone"


def test_notes_that_clients_keep_are_proposed_as_they_are(vault: str, home: pathlib.Path) -> None:
    folder = home / ".claude" / "projects" / "-home-ann-tea" / "memory"
    folder.mkdir()
    (folder / "MEMORY.md").write_text("- [[brewing]]\n")
    (folder / "keys.md").write_text("---\nname: keys\n---\ntoken ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8\n")
    done = zkmem(vault, home, "import", "--from", "memories")
    assert "2 notes proposed" in done.stdout
    assert "left out of the notes: 1 key or password" in done.stdout
    accepted(vault)
    notes = read(vault)
    assert notes["claude-code/tea/MEMORY.md"] == b"- [[brewing]]\n"
    assert notes["claude-code/tea/keys.md"] == b"---\nname: keys\n---\ntoken (a token was left out)\n"
    assert "0 notes proposed" in zkmem(vault, home, "import", "--from", "memories").stdout


@pytest.mark.skipif(sys.platform == "win32", reason="limits of a process are those of POSIX")
@pytest.mark.slow
def test_the_memory_of_an_import_does_not_grow_with_what_it_reads(vault: str, home: pathlib.Path) -> None:
    folder = home / ".claude" / "projects" / "-home-ann-tea"
    with open(folder / "long.jsonl", "wb") as file:
        file.write(b'{"type": "user", "message": {"role": "user", "content": "')
        file.writelines(b"word " * 200_000 for _ in range(60))
        file.write(b'"}}\n')
        line = json.dumps({"type": "user", "message": {"role": "user", "content": "word " * 100_000}}) + "\n"
        file.writelines(line.encode() for _ in range(400))
    environ = {**os.environ, "HOME": str(home), "CLAUDE_CONFIG_DIR": str(home / ".claude"), "ZKMEM_VAULT": vault}
    done = subprocess.run(
        [sys.executable, "-m", "zkmem", "import", "--from", "claude-code", "--json"],
        env=environ, capture_output=True, text=True, check=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (300_000_000, 300_000_000)),
    )  # fmt: skip
    assert json.loads(done.stdout)["left_out"]["lines of more than 16 MB"] == 1


def test_two_imports_at_once_propose_each_conversation_once(vault: str, home: pathlib.Path) -> None:
    reports = list[ImportReport]()

    def other(what: str, count: int) -> None:
        if what == "conversations read" and count == len(SAID):
            reports.append(imported(vault, home))

    with Memory(vault, durable=False) as memory:
        reports.append(import_conversations(memory, ALL, UserHome({"HOME": str(home)}, "linux"), other))
    assert [one.proposed for one in reports] == [4, 0]
    assert reports[1].left_out == {"conversations that have a note, or a proposed one": 4}
    with Memory(vault, durable=False) as memory:
        assert len(memory.proposed_numbers("import")) == 4


@pytest.mark.long
@pytest.mark.slow
def test_an_interrupted_import_leaves_whole_proposals_and_the_next_one_goes_on(vault: str, home: pathlib.Path) -> None:
    for number in range(100, 1100):
        transcript(home, number, [f"{number:b} {SAID[1]}".replace("0", "o").replace("1", "l")])
    environ = {**os.environ, "HOME": str(home), "CLAUDE_CONFIG_DIR": str(home / ".claude"), "ZKMEM_VAULT": vault}
    command = [sys.executable, "-m", "zkmem", "import", "--from", "claude-code", "--json"]
    process = subprocess.Popen(command, env=environ, stdout=subprocess.PIPE)
    marks = pathlib.Path(vault, ".zkmem", "imported")
    while not marks.exists():
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.05)
            break
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert process.returncode == 130
    with Memory(vault, durable=False) as memory:
        [waiting] = memory.proposed()
        assert 0 < waiting.total < 1004
    assert imported(vault, home).proposed == 1004 - waiting.total
    with Memory(vault, durable=False) as memory:
        assert memory.proposed()[0].total == 1004
