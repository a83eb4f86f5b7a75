"""The formats of transcripts and exports, each record of which is in a table, and what is left out of them.

`tests/cases/transcripts/` has files that the clients wrote themselves, shortened, in the folder `/home/ann/tea`.
"""

import contextlib
import io
import json
import os
import pathlib
import time
import tracemalloc
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zkmem.errors import BadArgument
from zkmem.transcripts import streams
from zkmem.transcripts.clients import FORMATS, TranscriptFile, conversations, own_words, project_of, transcripts
from zkmem.transcripts.conversation import LeftOut, Transcript
from zkmem.transcripts.exports import exported
from zkmem.transcripts.streams import items, records

CASES = pathlib.Path(__file__).parents[1] / "cases" / "transcripts"
FIRST = (
    "I drink gyokuro every evening and never above 80 degrees, it gets bitter. Which water temperature should I use?"
)
SECOND = "And how long should I steep it? I like it strong."
ANSWER = "Steep gyokuro at 60 °C for two minutes."
DAY = "2026-11-30"


def read(client: str, path: pathlib.Path, left_out: LeftOut | None = None) -> Transcript:
    """Return the conversation in a transcript."""
    counts = LeftOut() if left_out is None else left_out
    [one] = conversations(client, [TranscriptFile(str(path), path.name)], {}, counts, set())
    return one


@pytest.mark.parametrize(
    ("client", "version", "said", "line"),
    [
        ("claude-code", "2.1.197", [FIRST, SECOND], 3),
        ("codex", "0.171.0", [FIRST], 8),
        ("gemini", "", [FIRST], 3),
    ],
)
def test_what_a_client_has_written_itself_is_read_whole(client: str, version: str, said: list[str], line: int) -> None:
    [path] = CASES.glob(f"{client}-*")
    left_out, versions = LeftOut(), set[str]()
    [one] = conversations(client, [TranscriptFile(str(path), "there")], {}, left_out, versions)
    assert (one.said, one.messages, one.answer) == (said, len(said), ANSWER)
    assert (one.began, one.ended, one.place) == (DAY, DAY, f"there:{line}")
    assert one.id
    assert client == "gemini" or one.project == "tea"  # Gemini CLI names the project in another file
    assert versions == {version}
    assert not +left_out, "each kind of record is expected"


def user(text: object, **more: object) -> dict[str, object]:
    return {"type": "user", "message": {"role": "user", "content": text}, "sessionId": "s", **more}


def assistant(*parts: object) -> dict[str, object]:
    return {"type": "assistant", "message": {"role": "assistant", "content": list(parts)}}


def text(one: str, kind: str = "text") -> dict[str, object]:
    return {"type": kind, "text": one}


def codex(kind: str, payload: Mapping[str, object]) -> dict[str, object]:
    return {"timestamp": f"{DAY}T10:00:00Z", "type": kind, "payload": payload}


def codex_said(role: str, *texts: str) -> dict[str, object]:
    return codex(
        "response_item", {"type": "message", "role": role, "content": [text(one, "input_text") for one in texts]}
    )


TOOL_USE, TOOL_RESULT = {"type": "tool_use", "name": "x"}, {"type": "tool_result", "content": "no"}
GEMINI_HEAD = {"sessionId": "s", "startTime": f"{DAY}T10:00:00Z", "kind": "main"}


def gemini(number: int, kind: str, content: object) -> dict[str, object]:
    return {"id": f"m{number}", "timestamp": f"{DAY}T10:00:0{number}Z", "type": kind, "content": content}


RECORDS: Sequence[tuple[str, Sequence[object], list[str], str, dict[str, int]]] = [
    # client, records, said, answer, left out
    ("claude-code", [user("hi"), assistant(text("a")), assistant(TOOL_USE), assistant(text("b"))], ["hi"], "b", {}),
    ("claude-code", [user([text("one"), text("two")]), user([TOOL_RESULT])], ["one\n\ntwo"], "", {}),
    ("claude-code", [user("aside", isSidechain=True), user("note", isMeta=True), user("mine")], ["mine"], "", {}),
    ("claude-code", [user("<command-name>/clear</command-name>"), user("/compact"), user("own")], ["own"], "", {}),
    ("claude-code", [user("<system-reminder>x</system-reminder>\nown"), user("[Request interrupted]")], ["own"], "",
     {}),
    ("claude-code", [user("Caveat: The messages below were"), user("own", isCompactSummary=True)], [], "", {}),
    ("claude-code", [{"type": "summary", "summary": "t"}, {"type": "news"}, user("own")], ["own"], "",
     {"records of an unknown kind: news": 1}),
    ("claude-code", [{"type": ["x"]}, user({"a": 1}), user(None), {"type": "user", "message": 7}], [], "",
     {"records of an unknown kind: ?": 1, "records of an unknown kind: user": 1}),
    ("codex", [codex("session_meta", {"id": "s"}), codex_said("user", "<environment_context>x"),
               codex_said("user", "own"), codex_said("developer", "rules"), codex_said("assistant", "a"),
               codex("event_msg", {"type": "user_message", "message": "own"})], ["own"], "a", {}),
    ("codex", [{"id": "s", "timestamp": f"{DAY}T10:00:00Z", "instructions": None},
               {"type": "message", "role": "user", "content": [text("own", "input_text")]},
               {"record_type": "state"},
               {"type": "message", "role": "assistant", "content": [text("a", "output_text")]}], ["own"], "a", {}),
    ("codex", [codex("session_meta", {"id": "s", "source": {"subagent": "review"}}), codex_said("user", "own")], [], "",
     {"transcripts of sub-agents": 1}),
    ("codex", [codex("weather", {"type": "rain"})], [], "", {"records of an unknown kind: weather": 1}),
    ("gemini", [GEMINI_HEAD, gemini(1, "user", "own"), gemini(2, "gemini", [{"text": "a"}]), gemini(3, "info", "i")],
     ["own"], "a", {}),
    ("gemini", [GEMINI_HEAD, gemini(1, "user", "one"), gemini(2, "gemini", "a"), gemini(3, "user", "two"),
                {"$rewindTo": "m2"}, gemini(4, "user", "three")], ["one", "three"], "", {}),
    ("gemini", [GEMINI_HEAD, gemini(1, "user", "old"), {"$set": {"messages": [gemini(5, "user", "new")]}}], ["new"], "",
     {}),
    ("gemini", [GEMINI_HEAD | {"kind": "subagent"}, gemini(1, "user", "x")], [], "", {"transcripts of sub-agents": 1}),
    ("gemini", [GEMINI_HEAD, gemini(1, "dream", "x")], [], "", {"records of an unknown kind: dream": 1}),
]  # fmt: skip


@pytest.mark.parametrize(("client", "given_records", "said", "answer", "left_out"), RECORDS)
def test_records_become_what_was_said(
    tmp_path: pathlib.Path,
    client: str,
    given_records: Sequence[object],
    said: list[str],
    answer: str,
    left_out: dict[str, int],
) -> None:
    path = tmp_path / "session-1.jsonl"
    path.write_text("".join(f"{json.dumps(one)}\n" for one in given_records))
    counts = LeftOut()
    one = read(client, path, counts)
    assert (one.said, one.answer, dict(counts)) == (said, answer, left_out)


def test_a_whole_file_of_gemini_is_read_and_names_its_project(tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "hash" / "chats"
    folder.mkdir(parents=True)
    (tmp_path / "hash" / ".project_root").write_text("/home/ann/tea")
    messages = [gemini(1, "user", "own"), gemini(2, "gemini", "a")]
    (folder / "session-1.json").write_text(json.dumps(GEMINI_HEAD | {"messages": messages}))
    one = read("gemini", folder / "session-1.json")
    assert (one.id, one.project, one.said, one.answer) == ("s", "tea", ["own"], "a")


def test_titles_and_projects_are_those_of_the_client(tmp_path: pathlib.Path) -> None:
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    (tmp_path / "repo" / "src").mkdir()
    path = tmp_path / "s.jsonl"
    title = {"type": "custom-title", "customTitle": "Tea and sleep"}
    path.write_text(f"{json.dumps(user('x', cwd=str(tmp_path / 'repo' / 'src')))}\n{json.dumps(title)}\n")
    assert (read("claude-code", path).title, read("claude-code", path).project) == ("Tea and sleep", "repo")
    assert [project_of(one) for one in ("/nowhere/tea", r"C:\\work\\tea\\", "", "/", None)] == [
        "tea",
        "tea",
        "",
        "",
        "",
    ]


@pytest.mark.parametrize(
    "when",
    [
        "9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+14:00", "0001-01-01", "now", "2" * 9_999,
        253_402_300_799_999, 10**400, -1, 0, float("nan"), float("inf"), True, ["2026-01-01"],
    ],
    ids=lambda when: str(when)[:20],
)  # fmt: skip
@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago"])
def test_a_time_that_is_none_leaves_the_day_of_the_others(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, when: object, zone: str
) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    path = tmp_path / "s.jsonl"
    path.write_text("".join(f"{json.dumps(user('x', timestamp=one))}\n" for one in ("2026-11-20T12:00:00", when)))
    assert read("claude-code", path).began == "2026-11-20"
    monkeypatch.undo()
    time.tzset()


def test_a_folder_is_looked_up_only_on_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[str]()

    def is_absolute(path: str) -> bool:
        asked.append(path)
        return False

    monkeypatch.setattr(os.path, "isabs", is_absolute)
    for folder in ("//evil/share/tea", r"\\evil\share\tea", r"/\evil/tea", "/a" * 500_000 + "/tea"):
        assert project_of(folder) == "tea"
    assert set(asked) == {""}


def test_what_a_client_adds_is_taken_out_of_what_the_person_said() -> None:
    text = "<system-reminder>a <ide_x> b</system-reminder>mine<ide_x> c</ide_x> and <ide_x>d</ide_y>"
    assert own_words(text) == "mine and <ide_x>d</ide_y>"


def test_the_project_of_gemini_is_read_of_a_plain_file_only(tmp_path: pathlib.Path) -> None:
    (tmp_path / "tea" / "chats").mkdir(parents=True)
    (tmp_path / "secret").write_text("xyzzy")
    (tmp_path / "tea" / ".project_root").symlink_to(tmp_path / "secret")
    path = tmp_path / "tea" / "chats" / "session-1.jsonl"
    path.write_text(json.dumps(GEMINI_HEAD))
    assert read("gemini", path).project == "tea"


def test_the_reasons_for_leaving_out_are_few_whatever_a_transcript_has(tmp_path: pathlib.Path) -> None:
    path, counts = tmp_path / "s.jsonl", LeftOut()
    path.write_text("".join(f'{{"type": "k{number}"}}\n' for number in range(3_000)))
    read("claude-code", path, counts)
    assert (counts.total(), counts["records of an unknown kind: k1"]) == (3_000, 1)
    assert len(counts) < 100


def test_no_key_is_in_what_a_conversation_is_known_by(tmp_path: pathlib.Path) -> None:
    key = "ghp_abcDEF123456ghiJKL789012mnoPQR345678"
    path = tmp_path / f"{key}.jsonl"
    path.write_text(json.dumps(user("x", cwd=f"/home/ann/{key}")))
    one = read("claude-code", path)
    assert key not in "".join((one.id, one.place, one.project))


def test_only_the_transcripts_of_main_conversations_are_read(tmp_path: pathlib.Path) -> None:
    names = ["p/a.jsonl", "p/agent-1.jsonl", "p/a/subagents/b.jsonl", "p/memory/MEMORY.md", "p/notes.txt"]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}\n")
    (tmp_path / "p" / "link.jsonl").symlink_to(tmp_path / "p" / "notes.txt")
    os.mkfifo(tmp_path / "p" / "pipe.jsonl")
    left_out = LeftOut()
    files = list(transcripts("claude-code", str(tmp_path), str(tmp_path.parent), left_out))
    assert [one.shown for one in files] == [f"~/{tmp_path.name}/p/a.jsonl"]
    assert left_out["transcripts of sub-agents"] == 2


# Exports


def message(role: str, *parts: object, kind: str = "text", hidden: bool = False) -> dict[str, object]:
    about = {"is_visually_hidden_from_conversation": True} if hidden else {}
    content = {"content_type": kind, "parts": list(parts)}
    return {"author": {"role": role}, "content": content, "create_time": 1796075349.2, "metadata": about}


CHATGPT = {
    "title": "Green tea",
    "create_time": 1796075349.2,
    "conversation_id": "c1",
    "current_node": "d",
    "mapping": {
        "r": {"message": None, "parent": None},
        "s": {"message": message("user", "hidden", hidden=True), "parent": "r"},
        "a": {"message": message("user", {"asset_pointer": "x"}, "own", kind="multimodal_text"), "parent": "s"},
        "b": {"message": message("assistant", "not taken"), "parent": "a"},
        "c": {"message": message("assistant", "thinking", kind="thoughts"), "parent": "a"},
        "d": {"message": message("assistant", "answer"), "parent": "c"},
    },
}
CLAUDE = {
    "uuid": "u1",
    "name": "Green tea",
    "created_at": f"{DAY}T10:00:00.000000Z",
    "chat_messages": [
        {"sender": "human", "text": "", "content": [{"type": "text", "text": "own"}]},
        {"sender": "assistant", "text": "answer", "content": []},
        {"sender": "robot", "text": "x"},
    ],
}


@pytest.mark.parametrize(("service", "item"), [("chatgpt", CHATGPT), ("claude", CLAUDE)])
@pytest.mark.parametrize("packed", [True, False])
def test_an_export_is_read_from_its_zip_or_its_file(
    tmp_path: pathlib.Path, service: str, item: object, packed: bool
) -> None:
    data, left_out = json.dumps([item, 7, {"other": 1}]), LeftOut()
    path = tmp_path / "export.zip"
    if packed:
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("data/conversations.json", data)
            archive.writestr("user.json", "{}")
    else:
        path.write_text(data)
    [one] = exported(service, str(path), "~/export.zip", {}, left_out)
    assert (one.title, one.said, one.answer, one.began) == ("Green tea", ["own"], "answer", DAY)
    assert one.place == ("~/export.zip:data/conversations.json:1" if packed else "~/export.zip:1")
    assert left_out["items that are no conversation of this service"] == 2


def test_a_zip_without_conversations_and_one_that_is_damaged_are_told(tmp_path: pathlib.Path) -> None:
    path, left_out = tmp_path / "a.zip", LeftOut()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("photos.json", "[]")
    with pytest.raises(BadArgument, match=r"no conversations\.json"):
        list(exported("claude", str(path), "a", {}, left_out))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", json.dumps([CLAUDE] * 50))
    data = bytearray(path.read_bytes())
    data[80:90] = b"x" * 10
    path.write_bytes(data)
    list(exported("claude", str(path), "a", {}, left_out))
    assert left_out["files that are broken or cut off, and were read up to that place"] == 1


@pytest.mark.parametrize("way", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_zip_is_told_or_read_as_far_as_it_goes(tmp_path: pathlib.Path, way: int) -> None:
    whole, path = io.BytesIO(), tmp_path / "a.zip"
    with zipfile.ZipFile(whole, "w", way) as archive:
        archive.writestr("conversations.json", json.dumps([CLAUDE] * 40))
    data = whole.getvalue()
    for at in range(len(data)):
        path.write_bytes(data[:at] + bytes(byte ^ 0xFF for byte in data[at : at + 4]) + data[at + 4 :])
        with contextlib.suppress(BadArgument):
            list(exported("claude", str(path), "a", {}, LeftOut()))


def test_a_zip_of_nothing_but_zeros_or_brackets_is_read_in_bounded_memory(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "_CHUNK", 50_000)
    monkeypatch.setattr(streams, "MOST_LINE", 200_000)
    for number, byte in enumerate((b"\0", b"[", b" ", b'["')):
        path, left_out = tmp_path / f"{number}.zip", LeftOut()
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("conversations.json", b"[" + byte * 300_000)
        tracemalloc.start()
        assert list(exported("claude", str(path), "a", {}, left_out)) == []
        assert tracemalloc.get_traced_memory()[1] < 3_000_000
        tracemalloc.stop()
        assert left_out.total() >= 1


# Streams

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.sampled_from(["user", "message", '\\"]}']),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(
        st.sampled_from(
            ["type", "message", "role", "content", "payload", "id", "text", "mapping", "parent", "author", "parts",
             "chat_messages", "sender", "uuid", "current_node", "$set", "messages", "$rewindTo", "timestamp", "kind"]
        ),
        inner,
        max_size=5,
    ),
    max_leaves=25,
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(values=st.lists(JSON, max_size=5), chunk=st.integers(1, 40))
def test_the_items_of_an_array_are_read_whatever_part_is_in_memory(values: list[Any], chunk: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streams, "_CHUNK", chunk)
        assert list(items(io.BytesIO(json.dumps(values, ensure_ascii=False).encode()), LeftOut())) == values


@settings(max_examples=60, deadline=None)
@given(values=st.lists(JSON, min_size=1, max_size=4), chunk=st.integers(1, 40))
def test_an_item_that_is_too_long_is_skipped_and_the_next_one_is_read(values: list[Any], chunk: int) -> None:
    left_out = LeftOut()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streams, "_CHUNK", chunk)
        patch.setattr(streams, "MOST_LINE", 200)
        patch.setattr(streams, "_MOST_SKIPPED", 10_000)
        long = [{"x": '}]\\"' * 200, "y": values}]
        read_items = list(items(io.BytesIO(json.dumps([long, 7, long, 8]).encode()), left_out))
    assert (read_items, left_out.total()) == ([7, 8], 2)


def test_lines_that_are_broken_or_too_long_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MOST_LINE", 100)
    left_out = LeftOut()
    long = b'{"x": "' + b"y" * 5_000 + b'"}\n'
    data = b'{"a": 1}\n' + long + b"\n{no\n[1]\n" + b"[" * 99 + b'\n{"b": 2}\n{"cut": "of'
    lines = list(records(io.BytesIO(data), left_out))
    assert lines == [(1, {"a": 1}), (7, {"b": 2})]
    counts = [left_out[one] for one in ("broken lines", "lines that are no JSON object", "lines of more than 0 MB")]
    assert counts == [3, 1, 1]


@settings(max_examples=120, deadline=None)
@given(
    lines=st.lists(JSON.map(lambda one: json.dumps(one).encode()) | st.binary(max_size=40), max_size=8),
    source=st.sampled_from([*FORMATS, "chatgpt", "claude"]),
)
def test_no_content_stops_a_reader(tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], source: str) -> None:
    folder = tmp_path_factory.mktemp("t")
    if source in FORMATS:
        (folder / "session.jsonl").write_bytes(b"\n".join(lines))
        read(source, folder / "session.jsonl")
        (folder / "session.json").write_bytes(lines[0] if lines else b"")
        read(source, folder / "session.json")
    else:
        (folder / "x.json").write_bytes(b"[" + b",".join(lines) + b"]")
        list(exported(source, str(folder / "x.json"), "x", {}, LeftOut()))
