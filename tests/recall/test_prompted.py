"""Which notes are given to a model with a prompt, and that for most prompts there is none."""

import os
import pathlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.prompts import EVERYDAY
from tests.tools.vaults import write
from zkmem.hooks.vault import HookVault, local
from zkmem.memory import Memory
from zkmem.recall.prompted import Fitting, fitting

NOTES = {
    "tea/steeping.md": "# Steeping\n\nSencha is steeped at 70 °C for ninety seconds. Oolong takes boiling water.\n",
    "people/Anna.md": "Anna lives in Lisbon. She plays the violin in an orchestra, and is allergic to walnuts.\n",
    "work/deploy.md": "Deploys go out on Tuesdays.\n\nThe staging cluster is called heron; only Marek restarts it.\n",
    "绿茶.md": "煎茶要用七十度的水冲泡九十秒。\n",
    "secret.md": "---\nprivate: true\n---\nThe alarm of the cellar is armed with a pebble.\n",
    "Templates/visit.md": "Ask the glazier about the skylight.\n",
    **{f"other/{number}.md": f"Nothing much happened on day {number}.\n" for number in range(30)},
}


def indexed(vault: str) -> HookVault:
    """The vault as hooks read it, when its notes are in the cache."""
    with Memory(vault) as memory:
        memory.load_search()
    return local(os.path.realpath(vault))


@pytest.fixture(name="vault", scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> HookVault:
    return indexed(write(tmp_path_factory.mktemp("vault"), NOTES))


def fit(vault: HookVault, prompt: str, left_out: tuple[str, ...] = ()) -> list[Fitting]:
    given = vault.glance(lambda connection: fitting(connection, vault.read_file, prompt, left_out))
    assert given is not None
    return given


def paths(vault: HookVault, prompt: str, left_out: tuple[str, ...] = ()) -> list[str]:
    return [each.path for each in fit(vault, prompt, left_out)]


@pytest.mark.parametrize(
    ("prompt", "path"),
    [
        ("How long do I steep sencha?", "tea/steeping.md"),
        ("We cook for Anna on Friday. Is anybody allergic to walnuts?", "people/Anna.md"),
        ("Who may restart the cluster heron? I get a timeout:\n" + "  at line 3 of main\n" * 500, "work/deploy.md"),
        ("x " * 30_000 + "\nWho may restart the cluster heron?", "work/deploy.md"),
        ("煎茶要用几度的水冲泡？", "绿茶.md"),
        ("煎茶先冲泡再九十", "绿茶.md"),  # of its seven pairs, four join two words
    ],
)
def test_a_note_that_says_much_of_a_sentence_fits(vault: HookVault, prompt: str, path: str) -> None:
    assert paths(vault, prompt) == [path]


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        "Go on.",
        "sencha",  # one rare word
        "Does the orchestra have a website with a calendar, a shop and a list of sponsors?",  # one, of many
        "What is the staging area of git, and what is a pull request against a cluster of commits?",  # two, of many
        "外面七十度",  # two pairs, but one word
        "What happened on day 3?",  # not rare
        "Arm the alarm of the cellar with a pebble.",  # private
        "What do I ask the glazier about the skylight?",  # a template
        "\ud800 \udfff \x00",
        *EVERYDAY.splitlines(),
    ],
)
def test_no_note_fits_other_prompts(vault: HookVault, prompt: str) -> None:
    assert paths(vault, prompt) == []


def test_the_passage_is_the_one_that_fits_in_one_line(vault: HookVault) -> None:
    (note,) = fit(vault, "Who may restart the cluster heron?")
    assert note.passage == "Deploys go out on Tuesdays. The staging cluster is called heron; only Marek restarts it."


def test_a_note_that_was_given_is_left_out(vault: HookVault) -> None:
    assert paths(vault, "How long do I steep sencha?", ("tea/steeping.md",)) == []


def test_at_most_three_notes_fit(tmp_path: pathlib.Path) -> None:
    texts = [f"{number}: the heron stands in the reeds." for number in range(20)]
    fillers = {f"other {number}.md": "Nothing.\n" for number in range(1_000)}
    vault = indexed(write(tmp_path, {f"{number}.md": text for number, text in enumerate(texts)} | fillers))
    assert len(paths(vault, "Where does the heron stand, in the reeds?")) == 3


def test_a_note_that_was_changed_or_removed_since_it_was_indexed(tmp_path: pathlib.Path) -> None:
    vault, note = indexed(write(tmp_path, NOTES)), tmp_path / "work" / "deploy.md"

    def given() -> list[str]:
        return paths(vault, "Who may restart the cluster heron?")

    note.write_text("New: the staging cluster is called heron; only Marek restarts it.\n")
    assert given() == ["work/deploy.md"]
    note.write_text("Anybody may.\n")
    assert given() == []
    os.remove(note)
    assert given() == []


@given(
    prompt=st.text(max_size=300)
    | st.lists(st.sampled_from(" ".join(NOTES.values()).split()), max_size=60).map(" ".join)
)
@settings(max_examples=60)
def test_private_notes_and_templates_never_fit(vault: HookVault, prompt: str) -> None:
    given = fit(vault, prompt)
    assert len(given) <= 3
    assert not {"secret.md", "Templates/visit.md"} & {each.path for each in given}
    assert all("\n" not in each.passage and len(each.passage) < 250 for each in given)
