"""Sets of questions about notes, to measure search with, in the shapes in which they are published.

None of them is part of zkmem. A set is one of these:

- `locomo10.json` of LoCoMo (Maharana and others, 2024; CC BY-NC 4.0). Every session is a note: its date in the first
  line, then a line for each turn (speaker and text, and the caption of a photograph), in the folder of its
  conversation. The notes that answer a question are the sessions of the turns that LoCoMo names as evidence ("D3:7" is
  a turn of session 3). Questions of the category 5 have no answer.
- `longmemeval_s.json`, `_m` or `_oracle`, also `_cleaned`, of LongMemEval (Wu and others, 2024; MIT). Each question has
  a vault of its own, with a note for each session of its haystack. Questions whose id ends with `_abs` have no answer.
- A folder with chats of BEAM (Tavakoli and others, 2025), such as `chats/100K`: anywhere below it, `chat.json` and
  `probing_questions/probing_questions.json` side by side. Every turn (a question of the user, the answer, and what
  follows on it) is a note in the folder of its chat. The notes that answer a question are the turns with the messages
  in its `source_chat_ids`. The questions of "abstention" have none. `chat_trunecated.json`, which some chats also have
  and BEAM's own program prefers, is not read.
- `friendsqa_dev.json` and the like of FriendsQA (Yang and Choi, 2019), or a folder with such files. Every scene is a
  note, and answers the questions about it.
- A folder with `documents.jsonl` (`id`, `title`, `text`) and `questions.jsonl` (`question`, `category`, `gold`: the ids
  of the documents that answer it). Every document is a note under its title.

Names of notes say nothing about their texts, except for titles of documents. All notes of a set are in one vault,
except for LongMemEval.
"""

import collections
import glob
import json
import os
import pathlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

_LOCOMO = {1: "several sessions", 2: "time", 3: "open domain", 4: "one session", 5: "adversarial"}
_SESSION = re.compile(r"session_(\d+)")
_TURN = re.compile(r"D:?(\d+):\d+")
_MARK = re.compile(r"\s*->->[\s\d,]*$")  # the place in the plan that a chat of BEAM was made from
_NOWHERE = ""  # the name of evidence that is no note

Row = Mapping[str, Any]


class Question(NamedTuple):
    """A question, and the names of the notes that answer it; none if it has no answer."""

    text: str
    category: str
    evidence: frozenset[str]


class Vault(NamedTuple):
    """Notes by name, and questions about them."""

    notes: Mapping[str, str]
    questions: Sequence[Question]


def read(path: str) -> list[Vault]:
    """Return the vaults of the set in a file or folder.

    Raises:
        OSError: when it cannot be read.
        ValueError: when it has none of the shapes; the sentence says why.
    """
    try:
        return _folder(path) if os.path.isdir(path) else _file(_json(path))
    except KeyError as error:
        raise ValueError(f"an entry has no {error}") from error
    except (AttributeError, IndexError, TypeError) as error:
        raise ValueError(f"an entry has another shape ({error})") from error


def _json(path: str) -> Any:
    with open(path, encoding="utf-8") as file:
        try:
            return json.load(file)
        except ValueError as error:
            raise ValueError(f"{os.path.basename(path)} is not JSON ({error})") from error


def _file(content: Any) -> list[Vault]:
    first = content[0] if isinstance(content, list) and content else content
    if isinstance(first, dict):
        if "conversation" in first:
            return [locomo(content)]
        if "haystack_sessions" in first:
            return [longmemeval(row) for row in content]
        if "data" in first:
            return [friendsqa(content["data"])]
    raise ValueError("the file has no conversations, no haystack_sessions and no data")


def _folder(path: str) -> list[Vault]:
    if os.path.exists(os.path.join(path, "documents.jsonl")):
        return [documents(path)]
    if files := sorted(glob.glob(os.path.join(glob.escape(path), "friendsqa_*.json"))):
        return [friendsqa([scene for file in files for scene in _json(file)["data"]])]
    if chats := sorted(glob.glob(os.path.join(glob.escape(path), "**", "chat.json"), recursive=True)):
        return [_joined(beam(os.path.relpath(os.path.dirname(chat), path), chat) for chat in chats)]
    raise ValueError("the folder has no documents.jsonl, no friendsqa_*.json and no chat.json")


def _joined(vaults: Iterable[Vault]) -> Vault:
    notes: dict[str, str] = {}
    questions: list[Question] = []
    for vault in vaults:
        notes |= vault.notes
        questions += vault.questions
    return Vault(notes, questions)


def _note(*paragraphs: str) -> str:
    return "\n\n".join(filter(None, paragraphs)) + "\n"


def locomo(samples: Sequence[Row]) -> Vault:
    """Return the notes and questions of some conversations of LoCoMo."""
    return _joined(
        Vault(_sessions(sample), [_locomo_question(sample, qa) for qa in sample["qa"]]) for sample in samples
    )


def _sessions(sample: Row) -> dict[str, str]:
    conversation = sample["conversation"]
    return {
        _session(sample, match[1]): _note(conversation.get(f"{key}_date_time", ""), *map(_line, turns))
        for key, turns in conversation.items()
        if (match := _SESSION.fullmatch(key)) and turns
    }


def _line(turn: Row) -> str:
    caption = f" [photo: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
    return f"{turn['speaker']}: {turn.get('text', '')}{caption}"


def _session(sample: Row, number: str) -> str:
    return f"{sample['sample_id']}/session {int(number)}"


def _locomo_question(sample: Row, qa: Row) -> Question:
    turns = [] if qa["category"] == 5 else _TURN.findall(" ".join(qa.get("evidence") or []))
    evidence = frozenset(_session(sample, turn) for turn in turns)
    return Question(qa["question"], f"{qa['category']} {_LOCOMO[qa['category']]}", evidence)


def longmemeval(row: Row) -> Vault:
    """Return the vault of a question of LongMemEval."""
    notes = {}
    names = collections.defaultdict(set)
    haystack = row["haystack_session_ids"], row["haystack_dates"], row["haystack_sessions"]
    if len(set(map(len, haystack))) != 1:
        raise ValueError(f"the question {row['question_id']!r} has not as many dates and sessions as ids of sessions")
    for number, (session, date, turns) in enumerate(zip(*haystack, strict=True), 1):
        name = f"session {number}"
        names[session].add(name)
        notes[name] = _note(date, *(f"{turn['role']}: {turn['content']}" for turn in turns))
    sessions = [] if row["question_id"].endswith("_abs") else row["answer_session_ids"]
    evidence = frozenset(name for session in sessions for name in names.get(session, {_NOWHERE}))
    return Vault(notes, [Question(row["question"], row["question_type"], evidence)])


def beam(name: str, chat: str) -> Vault:
    """Return the notes and questions of a chat of BEAM, in the folder `name`.

    An id that several turns have is evidence of none: nothing says which of them is meant.
    """
    notes = {}
    names = collections.defaultdict(set)
    for number, turn in enumerate(_turns(_json(chat)), 1):
        note = pathlib.PurePath(name, f"turn {number}").as_posix()
        for message in turn:
            names[message["id"]].add(note)
        dates = [message["time_anchor"] for message in turn if message.get("time_anchor")]
        notes[note] = _note(*dates[:1], *(f"{each['role']}: {_MARK.sub('', each['content'])}" for each in turn))

    def named(message: Any) -> str:
        found = names.get(message, {_NOWHERE})
        return next(iter(found)) if len(found) == 1 else _NOWHERE

    asked = _json(os.path.join(os.path.dirname(chat), "probing_questions", "probing_questions.json"))
    questions = [
        Question(row["question"], category, frozenset(map(named, _numbers(row.get("source_chat_ids")))))
        for category, rows in asked.items()
        for row in rows
    ]
    return Vault(notes, questions)


def _turns(content: Any) -> Iterator[Sequence[Row]]:
    """Yield the lists of messages in a chat, at whatever depth they are."""
    if isinstance(content, list) and content and isinstance(content[0], dict) and "role" in content[0]:
        yield content
    elif isinstance(content, list | dict):
        for each in content.values() if isinstance(content, dict) else content:
            yield from _turns(each)


def _numbers(content: Any) -> Iterator[int]:
    """Yield the numbers in a list or in the lists of a dict."""
    if isinstance(content, int):
        yield content
    elif isinstance(content, list | dict):
        for each in content.values() if isinstance(content, dict) else content:
            yield from _numbers(each)


def friendsqa(scenes: Sequence[Row]) -> Vault:
    """Return the notes and questions of some scenes of FriendsQA."""
    notes = {}
    questions = []
    for scene in scenes:
        title, paragraphs = scene["title"], scene["paragraphs"]
        said = [_utterance(each) for paragraph in paragraphs for each in paragraph["utterances:"]]  # with a colon
        notes[title] = _note(*said)
        questions += [
            Question(qa["question"], qa["id"].removeprefix(f"{title}_"), frozenset([title]))
            for paragraph in paragraphs
            for qa in paragraph["qas"]
        ]
    return Vault(notes, questions)


def _utterance(utterance: Row) -> str:
    speakers = " and ".join(each for each in utterance["speakers"] if each != "#NOTE#")
    return f"{speakers}: {utterance['utterance']}" if speakers else utterance["utterance"]


def documents(folder: str) -> Vault:
    """Return the vault in a folder with `documents.jsonl` and `questions.jsonl`.

    Raises:
        ValueError: when two documents have one title.
    """
    titles: dict[str, str] = {}
    notes: dict[str, str] = {}
    for row in _rows(folder, "documents.jsonl"):
        if row["title"] in notes:
            raise ValueError(f"two documents have the title {row['title']!r}")
        titles[row["id"]] = row["title"]
        notes[row["title"]] = row["text"]
    asked = [
        Question(row["question"], row["category"], frozenset(titles.get(each, _NOWHERE) for each in row["gold"]))
        for row in _rows(folder, "questions.jsonl")
    ]
    return Vault(notes, asked)


def _rows(folder: str, name: str) -> list[Row]:
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        try:
            return [json.loads(line) for line in file]
        except ValueError as error:
            raise ValueError(f"{name} is not lines of JSON ({error})") from error
