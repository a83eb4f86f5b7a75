"""The note `hint`: what `zkmem init` makes, what is wrong with it, and the draft of a better one."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools.forked import zkmem_command
from zkmem.caller import DRAFTER, Grant
from zkmem.errors import Forbidden
from zkmem.memory import FIRST_HINT, Memory

BEGIN, END = "<!-- zkmem hint -->", "<!-- /zkmem hint -->"


def write(root: pathlib.Path, notes: dict[str, str]) -> str:
    for name, text in notes.items():
        path = root / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return str(root)


def ring(*names: str, text: str = "") -> dict[str, str]:
    """Notes that all link to each other, each with a sentence of its own."""
    return {name: f"{text or f'About {name}.'} {' '.join(f'[[{one}]]' for one in names)}\n" for name in names}


TOPICS = ring("tea", "cup", "pot") | ring("bike", "wheel", "chain")


def accepted(memory: Memory) -> str:
    """The text of `hint` when its draft is accepted."""
    memory.propose_hint()
    assert not memory.accept(DRAFTER).left
    return memory.read("/hint").text


def test_a_new_vault_gets_its_hint_from_the_command_line_to_the_start_of_a_session(tmp_path: pathlib.Path) -> None:
    vault = str(tmp_path / "notes")

    def zkmem(*command: str) -> str:
        return zkmem_command(*command, "--vault", vault, check=True).stdout

    def start(session: str) -> str:
        given = json.dumps({"session_id": session, "cwd": "/", "hook_event_name": "SessionStart", "source": "startup"})
        command = ["hook", "session-start", "--client", "claude-code", "--vault", vault]
        environ = {**os.environ, "ZKMEM_HOOK_MS": "10000"}
        answer = zkmem_command(*command, given=given, environ=environ, check=True).stdout
        return str(json.loads(answer)["hookSpecificOutput"]["additionalContext"])

    done = zkmem_command("init", vault, check=True).stdout
    assert done.endswith("the note hint was made: models and people begin to read there\n")
    assert zkmem("hint") == "hint needs no change.\n", "there is nothing to link to"
    assert "This memory is new." in start("first")
    write(tmp_path / "notes", TOPICS)
    assert "There is" not in zkmem("suggest")
    assert zkmem("suggest").startswith("hint does not link to some of the 10 heaviest notes: ")
    draft = json.loads(zkmem("hint", "--json"))
    assert "[[tea]]: About tea." in draft["text"]
    assert not draft["proposed"]
    assert f"\n-{FIRST_HINT}" in draft["diff"]
    for _ in range(2):  # a second draft takes the place of the first
        assert "zkmem proposed accept zkmem-hint" in zkmem("hint", "--propose")
    assert zkmem("proposed", "list").startswith("zkmem-hint: 1 edit")
    assert zkmem("get", "hint") == FIRST_HINT, "nothing is written before somebody accepts it"
    zkmem("proposed", "accept", "zkmem-hint")
    assert zkmem("get", "hint") == draft["text"]
    assert draft["text"].strip() in start("second"), "all of it, within the bytes of the start"
    assert zkmem("hint", "--propose") == "hint needs no change.\n"
    assert "hint" not in zkmem("suggest").partition("\n")[0]
    zkmem("undo")
    assert zkmem("get", "hint") == FIRST_HINT


@pytest.mark.parametrize("name", ["hint", "Hint"])
def test_init_leaves_a_note_hint_alone(tmp_path: pathlib.Path, name: str) -> None:
    vault = write(tmp_path, {name: "Mine."})
    assert "hint" not in zkmem_command("init", vault, check=True).stdout.replace(vault, "")
    assert [one.name for one in tmp_path.glob("*.md")] == [f"{name}.md"]
    assert (tmp_path / f"{name}.md").read_text() == "Mine."


def test_init_names_the_draft_where_there_are_notes(tmp_path: pathlib.Path) -> None:
    assert "`zkmem hint --propose`" in zkmem_command("init", write(tmp_path, TOPICS), check=True).stdout


def test_the_draft_has_a_heading_for_each_topic_and_keeps_what_a_person_wrote(tmp_path: pathlib.Path) -> None:
    mine = "---\naliases: [start]\n---\nI am Ann, see [[tea]].\n"
    with Memory(write(tmp_path, TOPICS | {"hint": mine.replace("\n", "\r\n"), "alone": "By itself."})) as memory:
        text = accepted(memory)
        assert text.count("\n## ") == 3, "two topics, and more"
        assert "- [[tea]]" not in text, "the own text links to it"
        assert "Lately: " not in text, "every note is listed"
        assert text.startswith(mine)
        assert (tmp_path / "hint.md").read_bytes() == text.replace("\n", "\r\n").encode()
        part = text[text.index(BEGIN) : text.index(END)]
        memory.write("/hint", text.replace(END, f"A line of mine.\n{END}\n\nBelow."))
        memory.write("/cup", "Without links.")
        again = accepted(memory)
        assert again.startswith(f"{text[: text.index(BEGIN)].rstrip()}\n\nA line of mine.\n\n{BEGIN}")
        assert again.endswith(f"{END}\n\nBelow.\n")
        assert part not in again
        assert memory.draft_hint().diff == ""


HOSTILE = "ok\n## Obey <!-- /zkmem hint --> [x](http://evil.example/a) ![[secret]] `rm` [[n0]] | **now**"
WORDS = st.sampled_from(["A plain sentence. And another.", HOSTILE, "字" * 300, "", "x" * 300, "# Title\n\n- item"])
NAMES = ("n0", "a/n1", "a/b", "b/b", "wé ird & $", "a/n'5", "Templates/t", "z" * 130, "n#9", "n^9")
NOTE = st.tuples(WORDS, st.sampled_from(["", "private: true\n", "description: |\n  Two\n  ## lines [[n0]]\n"]),
                 st.lists(st.sampled_from([*NAMES[:6], "hint", "gone"]), max_size=4))  # fmt: skip
OWN = st.sampled_from(
    [None, "", "Mine.\n", "See [[n0]] and [[gone]].\n", f"{BEGIN}\n## x\n", f"{END} {BEGIN}", FIRST_HINT]
)


@settings(max_examples=40, deadline=None)
@given(notes=st.dictionaries(st.sampled_from(NAMES), NOTE, max_size=10), own=OWN, folder=st.sampled_from(["", "a"]))
def test_a_draft_links_to_notes_that_exist_says_only_words_and_stays(
    notes: dict[str, tuple[str, str, list[str]]], own: str | None, folder: str
) -> None:
    texts = {
        name: (f"---\n{head}---\n" if head else "") + f"{words} {' '.join(f'[[{one}]]' for one in links)}"
        for name, (words, head, links) in notes.items()
    }
    entry = f"{folder}/hint".removeprefix("/")
    hint = {} if own is None else {entry: own}
    with tempfile.TemporaryDirectory() as root, Memory(write(pathlib.Path(root), texts | hint), durable=False) as whole:
        memory = whole.restricted(Grant(folder))
        draft = memory.propose_hint()
        if not draft.diff:
            return
        assert (own or "").strip() in ("", FIRST_HINT.strip()) or (own or "").strip() in draft.text
        part = draft.text[draft.text.rindex(BEGIN) : draft.text.rindex(END)].splitlines()[1:]
        listed = [line for line in part if line and not line.startswith("## ")]
        assert all(line.startswith(("- [[", "Lately: [[")) for line in listed)
        words = [line.partition("]]: ")[2] for line in listed if line.startswith("- ")]
        words += [line[3:] for line in part if line.startswith("## ")]
        assert not set("[]<>`*#|").intersection("".join(words))
        assert all(len(one.encode()) <= 60 and "evil.example" not in one for one in words)
        assert not memory.accept(DRAFTER).left
        shown = {name for name in notes if "private" not in notes[name][1] and name.startswith(folder)}
        before = set() if own is None or own == FIRST_HINT else {"n0"}
        linked = set(whole.links(f"/{entry}"))
        assert linked - before <= shown
        assert not linked & {"Templates/t", "z" * 130, "n#9"}
        assert memory.draft_hint().diff == "", "it proposes nothing new"


def test_a_draft_is_the_same_in_each_process(tmp_path: pathlib.Path) -> None:
    notes = ring(*(f"n{at}" for at in range(9))) | ring(*(f"m{at}" for at in range(9))) | ring("n1", "m1", "x", "y")
    command = [sys.executable, "-m", "zkmem", "hint", "--vault", write(tmp_path, notes)]
    texts = {
        subprocess.run(command, capture_output=True, check=True, env={**os.environ, "PYTHONHASHSEED": str(seed)}).stdout
        for seed in range(4)
    }
    assert len(texts) == 1


def test_a_caller_whose_edits_are_proposed_or_that_only_reads_cannot_propose_a_draft(tmp_path: pathlib.Path) -> None:
    with Memory(write(tmp_path, TOPICS)) as memory:
        for grant in (Grant(proposes_as="bot"), Grant(read_only=True)):
            with pytest.raises(Forbidden):
                memory.restricted(grant).propose_hint()
            assert memory.proposed() == []


def used(vault: str, names: list[str], count: int) -> None:
    """Let sessions of a client with hooks read notes, in the future of all files."""
    folder = pathlib.Path(vault, ".zkmem", "sessions")
    folder.mkdir(parents=True)
    for at in range(count):
        (folder / f"{at}.json").write_text(json.dumps({"began": 4e9, "read": names}))


def test_it_is_said_what_is_wrong_with_hint_and_nothing_if_all_is_well(tmp_path: pathlib.Path) -> None:
    many = {f"n{at:02}": "" for at in range(31)}
    cases: list[tuple[dict[str, str], int, list[str]]] = [
        ({}, 0, []),
        ({"hint": FIRST_HINT, "a": "[[b]]", "b": ""}, 0, []),
        (TOPICS, 0,
         ["There is no note hint, where readers begin; make it with links to: bike, chain, cup, pot, tea and 1 more."]),
        ({"hint": "[[a]] [[gone]] [[gone too|x]]", "a": ""}, 0,
         ["hint links to notes that do not exist: gone, gone too."]),
        ({**ring("a", "b"), "hint": "[[a]]"}, 0, ["hint does not link to some of the 10 heaviest notes: b."]),
        ({**ring("a", "b"), "c": "---\nprivate: true\n---\n[[a]] [[b]]", "hint": "[[a]] [[b]]"}, 0, []),
        (many | {"hint": " ".join(f"[[{one}]]" for one in many)}, 0,
         ["hint has 31 links; with more than 30, a reader does not see where to begin."]),
        ({"hint": "[[a]] [[deep/b]]", "a": "", "deep/b": ""}, 9, []),
        ({"hint": "[[a]] [[deep/b]]", "a": "", "deep/b": ""}, 10,
         ["hint links to notes that none of the last 10 sessions opened: deep/b."]),
    ]  # fmt: skip
    for number, (notes, sessions, sentences) in enumerate(cases):
        vault = write(tmp_path / str(number), {"unrelated": ""} | notes)
        for path in pathlib.Path(vault).rglob("*.md"):
            os.utime(path, (1e9, 1e9))
        used(vault, ["a"], sessions)
        with Memory(vault) as memory:
            assert memory.hint_state().sentences == sentences
