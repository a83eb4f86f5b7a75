"""Commit messages say which files an edit moved, merged and extracted from."""

import json
import pathlib
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tools.vaults import write
from zkmem.memory import Memory
from zkmem.vault.git.trailers import Trailers, kept_in, kept_lines
from zkmem.vault.journal.log import Change, Edit, Log, Pair, next_edit
from zkmem.vault.journal.state import StateFolder
from zkmem.vault.paths import is_inside

_PATHS = (st.text(min_size=1, max_size=12) | st.text("a >-%\n\x85\u2028ü/", min_size=1)).filter(is_inside)
_PAIRS = st.lists(st.builds(Pair, _PATHS, _PATHS), max_size=3).map(tuple)


@given(stated=st.builds(Trailers, _PAIRS, _PAIRS, _PAIRS), prefix=st.sampled_from(["", "notes/", "a -> b/"]))
def test_any_path_is_read_back(stated: Trailers, prefix: str) -> None:
    lines = list(stated.lines(prefix))
    assert all(line.count("\n") == 1 and len(line.splitlines()) == 1 for line in lines)
    message = "A subject\n\nZkmem-Moved: in -> the text\n\n" + "".join(lines)
    found = Trailers.of_message(message if lines else "A subject", prefix)
    assert found == stated


@pytest.mark.parametrize(
    "line",
    [
        "Zkmem-Moved: a",
        "Zkmem-Moved: a -> b -> c",
        "Zkmem-Moved: a->b",
        "zkmem-moved: a -> b",
        "Zkmem-Eaten: a -> b",
        "Zkmem-Moved: %FF -> b",
        "Zkmem-Moved: ../a -> b",
        "Zkmem-Moved: a -> /b",
        "Zkmem-Moved: %00 -> b",
    ],
)
def test_a_malformed_line_is_skipped(line: str) -> None:
    assert Trailers.of_message(f"subject\n\n{line}\nZkmem-Moved: c -> d\n") == Trailers(moved=(Pair("c", "d"),))


def test_the_files_that_a_merge_kept_are_read_back() -> None:
    paths = ["tea.md", "50 % > x.md", " a\nb.md"]
    for parent in (1, 2):
        lines = "".join(kept_lines(paths, "notes/", parent))
        message = f"subject\n\n{lines}Zkmem-Kept: src/a\nZkmem-Kept: notes/%FF\n"
        assert kept_in(message, "notes/", parent) == paths
        assert kept_in(message, "notes/", 3 - parent) == []


def test_paths_outside_of_the_vault_are_skipped() -> None:
    message = "subject\n\nZkmem-Moved: notes/a -> notes/b\nZkmem-Moved: src/a -> notes/c\n"
    assert Trailers.of_message(message, "notes/") == Trailers(moved=(Pair("a", "b"),))


def test_each_commit_says_what_it_moved_merged_and_extracted(tmp_path: pathlib.Path) -> None:
    root = write(
        tmp_path,
        {"tea.md": "Green.\n\nBlack, from Assam.\n", "teas.md": "White.\n", "x/cup.md": "[[tea]]\n"},
    )
    memory = Memory(root, git=True)
    memory.set_up(git=True, settings=".zkmem/config.toml")
    memory.start()
    memory.rename("x/cup", "y/mug")
    memory.rename("teas", "tea", merge=True)
    memory.extract("tea", "Black, from Assam.", "assam")
    memory.write("tea", "Only this.")
    memory.close()
    log = subprocess.run(
        ["git", "-C", root, "log", "--reverse", "--format=%B%x00"], check=True, capture_output=True, encoding="utf-8"
    )
    assert [Trailers.of_message(message) for message in log.stdout.split("\0")[1:-1]] == [
        Trailers(moved=(Pair("x/cup.md", "y/mug.md"),)),
        Trailers(merged=(Pair("teas.md", "tea.md"),)),
        Trailers(extracted=(Pair("tea.md", "assam.md"),)),
        Trailers(),
    ]


def test_the_log_keeps_what_was_merged_and_extracted(tmp_path: pathlib.Path) -> None:
    root = write(tmp_path, {"a.md": "One.\n\nTwo.\n", "b.md": "Three.\n"})
    memory = Memory(root)
    memory.rename("b", "a", merge=True)
    memory.extract("a", "Two.", "c")
    memory.close()
    with open(f"{root}/.zkmem/versions/log", "rb") as file:
        merged, extracted = [Edit.of(json.loads(line)) for line in file]
    assert (merged.merged, merged.extracted) == ((Pair("b.md", "a.md"),), ())
    assert (extracted.merged, extracted.extracted) == ((), (Pair("a.md", "c.md"),))


def test_the_news_of_a_log_are_the_edits_of_others(tmp_path: pathlib.Path) -> None:
    state = StateFolder(str(tmp_path))
    state.ensure()
    mine, theirs = Log(state), Log(state)
    first = next_edit(None, "set", "me", [Change("a.md", None, "0123456789ab")])
    second = next_edit(first, "set", "they", [Change("b.md", None, "0123456789ab")])
    mine.append([first])
    assert mine.news() == []
    assert mine.last() == first
    theirs.append([second])
    assert (mine.news(), mine.last()) == ([second], second)


class TestSinceTheLastCommit:
    """The moves that the logs have count only for the files that the last commit has."""

    @staticmethod
    def since(changes: list[Change], before: dict[str, str], there: set[str]) -> Trailers:
        entries = [next_edit(None, "", "", [change]) for change in changes]
        return Trailers.since_commit(entries, before, there.__contains__)

    def test_a_file_that_was_moved_twice_is_at_its_last_path(self) -> None:
        moved = self.since(
            [Change("a", "1", "1", "b"), Change("b", "1", "2"), Change("b", "2", "2", "c")], {"a": "1"}, {"c"}
        )
        assert moved.moved == (Pair("a", "c"),)

    def test_a_file_that_was_edited_before_nobody_saw_it_is_moved(self) -> None:
        assert self.since([Change("a", "2", "2", "b")], {"a": "1"}, {"b"}).moved == (Pair("a", "b"),)

    def test_a_file_that_was_moved_back_is_not_moved(self) -> None:
        there_and_back = [Change("a", "1", "1", "b"), Change("b", "1", "1", "a")]
        assert self.since(there_and_back, {"a": "1"}, {"a"}).moved == ()

    def test_a_file_whose_path_a_new_file_has_now_is_moved(self) -> None:
        moved = self.since([Change("a", "1", "1", "b"), Change("a", None, "2")], {"a": "1"}, {"a", "b"})
        assert moved.moved == (Pair("a", "b"),)

    def test_a_new_file_at_the_path_of_a_moved_one_is_not_the_moved_one_if_it_is_moved_too(self) -> None:
        changes = [Change("a", "1", "1", "b"), Change("a", None, "2"), Change("a", "2", "2", "c")]
        assert self.since(changes, {"a": "1"}, {"b", "c"}).moved == (Pair("a", "b"),)
        again = [*changes, Change("b", "1", "1", "a"), Change("a", "1", "1", "d")]
        assert self.since(again, {"a": "1"}, {"c", "d"}).moved == (Pair("a", "d"),)

    @pytest.mark.parametrize("later", [Change("a", None, "2"), Change("c", "2", "2", "a")])
    def test_a_move_before_the_last_commit_does_not_count_for_the_file_that_has_the_path_since(
        self, later: Change
    ) -> None:
        """The last commit has another file at the path, and that one was removed or moved by hand."""
        assert self.since([Change("a", "1", "1", "b"), later], {"a": "2"}, {"b"}).moved == ()
        unseen = self.since([Change("a", "1", "1", "b"), later], {"a": "3"}, {"b"})
        assert unseen.moved == (), "nobody saw the text of the last commit, so nothing shows which file it is"
        moved = self.since([Change("a", "1", "1", "b"), later, Change("a", "2", "2", "d")], {"a": "2"}, {"b", "d"})
        assert moved.moved == (Pair("a", "d"),)

    def test_the_edit_of_a_synchronisation_moves_a_file_and_brings_another_one_to_its_path(self) -> None:
        """Such an edit may be that of the last commit, after which somebody renames the other file by hand."""
        both = next_edit(None, "", "", [Change("a", "1", "1", "b"), Change("a", None, "2")])
        by_hand = next_edit(both, "", "", [Change("a", "2", "2", "c")])

        def moved(before: str) -> tuple[Pair, ...]:
            return Trailers.since_commit([both, by_hand], {"a": before}, {"b", "c"}.__contains__).moved

        assert moved("2") == (Pair("a", "c"),)
        assert moved("1") == (Pair("a", "b"),), "the last commit lacks the other file"
        assert moved("3") == (), "nobody saw the text of the last commit, so nothing shows which file it is"

    def test_merged_notes_count_in_the_same_way(self) -> None:
        merged = Edit(1, 0.0, "", "", (Change("a", "1", None), Change("b", "1", "2")), merged=(Pair("a", "b"),))
        again = next_edit(merged, "", "", [Change("a", None, "3")])
        for entries, before, found in (
            ([merged], "1", True),
            ([merged, again], "3", False),
            ([merged, again], "1", True),
        ):
            since = Trailers.since_commit(entries, {"a": before}, {"b"}.__contains__)
            assert bool(since.merged) == found
