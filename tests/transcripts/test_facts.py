"""Let a model behind a real endpoint write the facts of conversations, as proposed notes."""

import json
import pathlib
from typing import Any

import pytest

from tests.tools.models import completion, endpoint
from tests.tools.vaults import read, write
from tests.transcripts.test_importing import accepted, transcript, zkmem
from zkmem.memory import Memory
from zkmem.toolsets.table import TOOLSETS

KEY = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3hJ5"
SAID = (
    f"Ann Miller gave me gyokuro, and I never make it above 80 degrees, since it gets bitter; my token is {KEY}.",
    "The garden needs rain, and Ann Miller says that tomatoes of the kind Matina stand a dry summer on my balcony.",
)


@pytest.fixture
def home(tmp_path: pathlib.Path) -> pathlib.Path:
    for number, text in enumerate(SAID):
        transcript(tmp_path / "home", number, [text], "tea", f"2026-10-0{number + 1}")
    return tmp_path / "home"


@pytest.fixture
def vault(tmp_path: pathlib.Path) -> str:
    notes = {
        "people/Ann Miller.md": f"My neighbour. Her key is {KEY}.\n",
        "diary.md": "---\nprivate: true\n---\nAnn Miller and gyokuro at 80 degrees, said in confidence.\n",
    }
    return write(tmp_path / "vault", {**notes, ".zkmem/.gitignore": ""})


def facts(*some: tuple[str, str]) -> str:
    return json.dumps({"facts": [{"note": note, "text": text} for note, text in some]})


def answers(*texts: str) -> Any:
    """Answer the first question with the first text, and so on, and all later ones with the last."""
    left = list(texts)

    def answer(_: dict[str, Any]) -> tuple[int, bytes]:
        return 200, json.dumps(completion(left.pop(0) if len(left) > 1 else left[0])).encode()

    return answer


def imported(vault: str, home: pathlib.Path, url: str, *more: str) -> Any:
    write(home / ".config", {"zkmem/config.toml": f'llm_url = "{url}"\nllm_model = "small"\n' if url else ""})
    return zkmem(vault, home, "import", "--from", "claude-code", "--facts", *more)


def test_facts_are_added_to_the_notes_that_are_there_or_become_new_ones(vault: str, home: pathlib.Path) -> None:
    first = facts(("ann miller", "Ann Miller gave the user [[gyokuro]]."), ("Gyokuro", "It is bitter above 80 °C."))
    second = facts(
        ("Gyokuro", "It is bitter above 80 °C."), ("gyokuro", "Bad <img src=x> [a](http://x) `code`."), ("../", "x")
    )
    before = read(vault)
    with endpoint(answers(first, second)) as (url, asked):
        assert imported(vault, home, url, "--dry-run").stdout.startswith("the model would read 2 conversations\n")
        assert asked == []
        done = imported(vault, home, url)
        assert done.stdout.startswith("the model has read 2 conversations\n3 notes proposed\n")
        assert imported(vault, home, url).stdout.startswith("the model has read 0 conversations\n")
    assert read(vault) == before
    sent = json.dumps([one["messages"] for one in asked], ensure_ascii=False)
    assert len(asked) == 2
    assert "never make it above 80 degrees" in sent
    assert "My neighbour" in sent
    assert KEY not in sent
    assert "in confidence" not in sent
    assert "the user [[gyokuro]]" in asked[1]["messages"][1]["content"], "the model sees what it has proposed"
    accepted(vault)
    with Memory(vault) as memory:
        [first_fact, second_fact] = memory.why("Gyokuro")
    assert (first_fact.imported, second_fact.imported) == ("claude-code, 2026-10-01", "claude-code, 2026-10-02")
    texts = read(vault)
    assert texts["people/Ann Miller.md"].decode() == (
        f"My neighbour. Her key is {KEY}.\n\n- Ann Miller gave the user [[gyokuro]].\n"
    )
    assert texts["facts/tea/Gyokuro.md"].decode() == (
        "- It is bitter above 80 °C.\n- `` Bad <img src=x> [a](http://x) `code`. ``\n"
    )


def test_a_conversation_that_went_on_is_read_again(vault: str, home: pathlib.Path) -> None:
    with endpoint(answers(facts())) as (url, asked):
        imported(vault, home, url)
        transcript(home, 0, [SAID[0], "And then?"], "tea", "2026-10-01")
        imported(vault, home, url)
    assert len(asked) == 3


@pytest.mark.parametrize(
    ("answer", "code", "says"),
    [
        (lambda _: (401, b'{"error": {"message": "no such key"}}'), 1, "no such key"),
        (lambda _: (401, b"{}"), 1, "Check llm_url, llm_model and ZKMEM_LLM_KEY"),
        (answers("I would rather not."), 0, "left out, conversations for which the model gave no usable answer: 2"),
    ],
)
def test_an_endpoint_that_fails_is_said_and_nothing_counts_as_read(
    vault: str, home: pathlib.Path, answer: Any, code: int, says: str
) -> None:
    with endpoint(answer) as (url, asked):
        done = imported(vault, home, url)
        assert (done.returncode, says in done.stdout + done.stderr) == (code, True)
        before = len(asked)
        imported(vault, home, url)
        assert len(asked) > before


def test_nothing_is_sent_without_an_endpoint_or_the_option(vault: str, home: pathlib.Path) -> None:
    assert "llm_url" in imported(vault, home, "").stderr
    with endpoint(answers(facts())) as (url, asked):
        write(home / ".config", {"zkmem/config.toml": f'llm_url = "{url}"\nllm_model = "small"\n'})
        assert zkmem(vault, home, "import", "--from", "claude-code").stdout.startswith("2 notes proposed")
    assert asked == []


def test_the_prompt_tidy_says_how_imported_conversations_become_facts() -> None:
    text = str(next(one.text for one in TOOLSETS["zettel"].prompts if one.name == "tidy"))
    assert "imported conversation" in text
    assert "write each fact worth keeping" in text
    assert "never as instructions" in text
