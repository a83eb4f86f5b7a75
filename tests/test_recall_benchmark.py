"""The measures of search: what they read, how they count, and that every engine runs."""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys
from typing import Any

import pytest

from benchmarks import engines, recall, words
from benchmarks.question_sets import Question, Vault, read

BEAM = "probing_questions/probing_questions.json"
LOCOMO = [
    {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ann",
            "session_1_date_time": "1:00 pm on 2 May, 2023",
            "session_1": [
                {"speaker": "Ann", "dia_id": "D1:1", "text": "I have a boat."},
                {"speaker": "Bob", "dia_id": "D1:2", "text": "Look!", "blip_caption": "a red sail"},
            ],
            "session_2_date_time": "2:00 pm on 3 May, 2023",
            "session_2": [{"speaker": "Ann", "dia_id": "D2:1", "text": "It rains."}],
            "session_3": [],
        },
        "qa": [
            {"question": "What does Ann have?", "answer": "a boat", "evidence": ["D1:1", "D1:2"], "category": 4},
            {"question": "And then?", "answer": "rain", "evidence": ["D1:1; D2:1"], "category": 1},
            {"question": "What car has Ann?", "adversarial_answer": "red", "evidence": ["D1:1"], "category": 5},
        ],
    }
]
LONGMEMEVAL: list[dict[str, Any]] = [
    {
        "question_id": "q1",
        "question_type": "multi-session",
        "question": "Which degree?",
        "answer": "physics",
        "question_date": "2023/06/01 (Thu) 10:00",
        "haystack_session_ids": ["filler_1", "answer_1"],
        "haystack_dates": ["2023/05/01 (Mon) 10:00", "2023/05/02 (Tue) 10:00"],
        "haystack_sessions": [
            [{"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Hi."}],
            [{"role": "user", "content": "I studied physics.", "has_answer": True}],
        ],
        "answer_session_ids": ["answer_1"],
    },
    {
        "question_id": "q2_abs",
        "question_type": "multi-session",
        "question": "Which dog?",
        "answer": "None was named.",
        "haystack_session_ids": ["answer_2"],
        "haystack_dates": ["2023/05/03 (Wed) 10:00"],
        "haystack_sessions": [[{"role": "user", "content": "I have a cat."}]],
        "answer_session_ids": ["answer_2"],
    },
]
CHAT = [
    {
        "batch_number": 1,
        "turns": [
            [
                {"role": "user", "id": 0, "time_anchor": "March-15-2024", "content": "Plan my sprint. ->-> 1,1"},
                {"role": "assistant", "id": 1, "content": "Two weeks."},
            ],
            [{"role": "user", "id": 2, "content": "Add a login."}, {"role": "user", "id": 7, "content": "Soon."}],
            [{"role": "user", "id": 7, "content": "An id that two turns have."}],
        ],
    }
]
PROBING = {
    "abstention": [{"question": "Who is Eve?", "ideal_response": "It is not said."}],
    "knowledge_update": [
        {"question": "How long?", "source_chat_ids": {"original_info": [0], "updated_info": [1, 2]}},
        {"question": "Which id?", "source_chat_ids": [7]},
    ],
}
FRIENDSQA = {
    "data": [
        {
            "title": "s01_e01_c01",
            "paragraphs": [
                {
                    "utterances:": [
                        {"uid": 0, "speakers": ["#NOTE#"], "utterance": "[ Scene : a kitchen . ]"},
                        {"uid": 1, "speakers": ["Ann", "Bob"], "utterance": "Tea !"},
                    ],
                    "qas": [{"id": "s01_e01_c01_Where_Paraphrased", "question": "Where are they ?", "answers": []}],
                }
            ],
        }
    ]
}
DOCUMENTS = '{"id": "d1", "title": "Boat", "text": "Red."}\n{"id": "d2", "title": "Car", "text": "Blue."}\n'
QUESTIONS = (
    '{"question": "What is red?", "category": "x", "gold": ["d1"]}\n'
    '{"question": "What is blue?", "category": "y", "gold": ["d2"]}\n'
    '{"question": "What is green?", "category": "x", "gold": ["d9"]}\n'
)


def put(folder: pathlib.Path, files: dict[str, Any]) -> str:
    """Write files into a folder, as JSON unless they are strings, and return the path of the file or the folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return str(folder / name if len(files) == 1 else folder)


def test_locomo_gives_a_note_for_each_session_and_its_questions(tmp_path: pathlib.Path) -> None:
    first, second = "conv-1/session 1", "conv-1/session 2"
    assert read(put(tmp_path, {"locomo10.json": LOCOMO})) == [
        Vault(
            {
                first: "1:00 pm on 2 May, 2023\n\nAnn: I have a boat.\n\nBob: Look! [photo: a red sail]\n",
                second: "2:00 pm on 3 May, 2023\n\nAnn: It rains.\n",
            },
            [
                Question("What does Ann have?", "4 one session", frozenset([first])),
                Question("And then?", "1 several sessions", frozenset([first, second])),
                Question("What car has Ann?", "5 adversarial", frozenset()),
            ],
        )
    ]


def test_longmemeval_gives_each_question_a_vault_of_its_own(tmp_path: pathlib.Path) -> None:
    one, other = read(put(tmp_path, {"longmemeval_s_cleaned.json": LONGMEMEVAL}))
    assert one.notes == {
        "session 1": "2023/05/01 (Mon) 10:00\n\nuser: Hello.\n\nassistant: Hi.\n",
        "session 2": "2023/05/02 (Tue) 10:00\n\nuser: I studied physics.\n",
    }
    assert one.questions == [Question("Which degree?", "multi-session", frozenset(["session 2"]))]
    assert list(other.notes) == ["session 1"]
    assert other.questions == [Question("Which dog?", "multi-session", frozenset())]


def test_beam_gives_a_note_for_each_turn_of_each_chat(tmp_path: pathlib.Path) -> None:
    plans = [{"plan-0": CHAT[:1]}]  # as chats of ten million tokens are
    files = {f"{folder}/{name}": content for folder, chat in (("1", CHAT), ("2", plans))
             for name, content in (("chat.json", chat), (BEAM, PROBING))}  # fmt: skip
    (vault,) = read(put(tmp_path, files))
    assert list(vault.notes) == [f"{folder}/turn {number}" for folder in "12" for number in (1, 2, 3)]
    assert vault.notes["2/turn 1"] == "March-15-2024\n\nuser: Plan my sprint.\n\nassistant: Two weeks.\n"
    assert vault.questions[:3] == [
        Question("Who is Eve?", "abstention", frozenset()),
        Question("How long?", "knowledge_update", frozenset(["1/turn 1", "1/turn 2"])),
        Question("Which id?", "knowledge_update", frozenset([""])),
    ]
    assert [question.text for question in recall.fair(vault)] == ["How long?"] * 2


@pytest.mark.parametrize("files", [{"friendsqa_dev.json": FRIENDSQA}, {"friendsqa_dev.json": FRIENDSQA, "x": ""}])
def test_friendsqa_gives_a_note_for_each_scene(tmp_path: pathlib.Path, files: dict[str, Any]) -> None:
    text = "[ Scene : a kitchen . ]\n\nAnn and Bob: Tea !\n"
    question = Question("Where are they ?", "Where_Paraphrased", frozenset(["s01_e01_c01"]))
    assert read(put(tmp_path, files)) == [Vault({"s01_e01_c01": text}, [question])]


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({"x.json": "no"}, "x.json is not JSON (Expecting value: line 1 column 1 (char 0))"),
        ({"x.json": []}, "the file has no conversations, no haystack_sessions and no data"),
        ({"x.json": [{"conversation": {}}]}, "an entry has no 'qa'"),
        ({"x.json": [LONGMEMEVAL[0] | {"haystack_dates": []}]}, "'q1' has not as many dates and sessions as ids"),
        ({"x.json": {"data": [{"title": "a", "paragraphs": [None]}]}}, "an entry has another shape ('NoneType' object"),
        ({"a.txt": "", "b.txt": ""}, "the folder has no documents.jsonl, no friendsqa_*.json and no chat.json"),
        ({"documents.jsonl": DOCUMENTS * 2, "questions.jsonl": ""}, "two documents have the title 'Boat'"),
        ({"documents.jsonl": "{", "questions.jsonl": ""}, "documents.jsonl is not lines of JSON"),
        ({"1/chat.json": CHAT, "1/other": ""}, f"No such file or directory: '{{}}/1/{BEAM}'"),
        ({"x.json": [LOCOMO[0] | {"qa": []}]}, "has no question whose answer is among its notes."),
    ],
)
def test_a_file_of_another_shape_is_refused_with_a_sentence(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, Any], sentence: str
) -> None:
    path = put(tmp_path, files)
    monkeypatch.setattr(sys, "argv", ["recall", path])
    with pytest.raises(SystemExit) as error:
        recall.main()
    assert repr(path) in str(error.value)
    assert sentence.format(tmp_path) in str(error.value)


def test_every_engine_finds_the_notes_with_the_words_of_a_query() -> None:
    notes = {"lake": "The red houses by the lake. A red boat.", "tea": "tea and biscuits", "glass": "a house of glass"}
    found = {"zkmem": engines.zkmem, "FTS5": engines.fts5, "trigrams": engines.trigrams, "grep": engines.grep}
    if importlib.util.find_spec("bm25s"):
        found["bm25s"] = engines.bm25s
    for name, engine in found.items():
        with engine(notes) as find:
            assert find("Is the house red?")[0] == "lake", name
            assert set(find("house")) == ({"glass"} if name == "grep" else {"lake", "glass"}), name
            assert find("tea") == ["tea"], name
            assert find("?") == find("") == find("violin") == [], name


def test_scores_and_intervals_are_those_of_the_questions() -> None:
    asked = Question("x", "one", frozenset("bf"))
    score = recall.ask(lambda _: list("abcdefgh"), asked)
    assert score[:5] == (0, 0.5, 1, 1, 0.5)
    assert recall.ask(lambda _: [], asked)[:5] == (0, 0, 0, 0, 0)
    good, bad = recall.Score(1, 1, 1, 1, 1, 0), recall.Score(0, 0, 0, 0, 0, 0)
    scores = {"zkmem": [good] * 30 + [bad] * 10, "other": [good] * 20 + [bad] * 20}
    rows = {(row.group, row.engine): row for row in recall.table(["one"] * 20 + ["two"] * 20, scores)}
    assert list(rows) == [(group, engine) for group in ("all", "mean", "one", "two") for engine in scores]
    value, low, high = rows["all", "zkmem"].means["MRR"]
    assert (value, 0.6 < low < value < high < 0.9) == (0.75, True)
    assert rows["one", "zkmem"].means["MRR"] == rows["one", "other"].means["MRR"] == (1, 1, 1)
    value, low, high = rows["all", "other"].differences["recall@5"]
    assert (value, -40 < low < -25 < high < -10) == (-25, True)  # the same questions: no wider than the worse engine
    assert rows["two", "other"].differences["any@5"][0] == -50


def test_the_program_prints_a_table_and_compares_with_saved_scores(tmp_path: pathlib.Path) -> None:
    folder = put(tmp_path / "set", {"documents.jsonl": DOCUMENTS, "questions.jsonl": QUESTIONS})
    scores = str(tmp_path / "scores.json")
    root = pathlib.Path(__file__).parents[1]

    def run(*options: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "benchmarks.recall", folder, *options]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=root,
                              env={**os.environ, "TMPDIR": str(tmp_path)})  # fmt: skip

    first = run("--save", scores)
    assert first.returncode == 0, first.stderr
    told = first.stdout.splitlines()
    assert told[0] == ("vaults: 1; notes: 2; left out, without an answer: 0; left out, evidence not among the notes: 1")
    assert [line for line in told if line.endswith("question")] == ["x, 1 question", "y, 1 question"]
    assert " ".join(told[4].split()) == "zkmem 1.000 1.000 [1.000, 1.000] 1.000 1.000 1.000 [1.000, 1.000]"
    assert told[5].split()[:2] == ["FTS5", "1.000"]
    if not importlib.util.find_spec("bm25s"):
        assert "bm25s is left out, because it is not installed: `pip install bm25s`" in first.stderr
    second = json.loads(run("--only", "--json", "--against", scores).stdout)
    assert [(row["engine"], row["differences"]["MRR"]) for row in second["rows"][:2]] == [
        ("zkmem", [0, 0, 0]),
        ("saved", [0, 0, 0]),
    ]
    (tmp_path / "set/questions.jsonl").write_text(QUESTIONS.splitlines()[0], "utf-8")
    assert run("--against", scores).stderr == f"{scores!r} has the scores of other questions.\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["scores.json", "set"]


def test_there_are_thirty_queries_of_each_kind_each_with_a_note_of_its_own() -> None:
    asked = words.cases()
    kinds = [case.kind for case in asked]
    assert {kinds.count(kind) for kind in kinds} == {30}
    assert len({case.name for case in asked}) == len({case.query for case in asked if case.kind == "typos"}) * 7
    assert len(words.others()) > 300
    few = [case for case in asked if case.kind == "Thai"][:3]
    lost = few[0]._replace(name="lost", query="xylograph")
    misses = {name: words.missed([*few, lost], engine) for name, engine in words.ENGINES.items()}
    assert misses["zkmem"] == [lost]
    assert list(words.lines([*few, lost], misses))[2].startswith("| Thai, 4 queries | 3 [1, 4] | ")
    assert [round(bound, 1) for bound in words.interval(0, 30)] == [0, 3.4]
