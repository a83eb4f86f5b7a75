"""Files that were moved to the paths of other files are found by their texts."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zkmem.vault.git.displaced import PathTexts, is_version, moved_onto_files

Files = dict[str, str]


def moves(before: Files, after: Files) -> Files:
    """Return the moves between two states of some files. Texts with the same first letter are versions of one."""
    paths = [path for path in sorted({*before, *after}) if before.get(path) != after.get(path)]
    changes = {path: PathTexts(before.get(path, ""), after.get(path, "")) for path in paths}
    return moved_onto_files(changes, lambda one, other: one[0] == other[0])


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ({"a": "A", "b": "B"}, {"a": "B", "b": "A"}, {"a": "b", "b": "a"}),
        ({"a": "A", "b": "B"}, {"a": "B", "b": "A2"}, {"a": "b", "b": "a"}),
        ({"a": "A", "b": "B", "c": "C"}, {"a": "B", "b": "C", "c": "A"}, {"a": "b", "b": "c", "c": "a"}),
        ({"a": "A", "b": "B"}, {"b": "A", "c": "B"}, {"b": "a", "c": "b"}),
        ({"a": "A", "b": "B"}, {"b": "A2", "c": "B"}, {"b": "a", "c": "b"}),
        ({"a": "A", "b": "B"}, {"b": "A", "c": "B2"}, {"b": "a", "c": "b"}),
        ({"a": "A", "b": "B"}, {"b": "A"}, {"b": "a"}),
    ],
)
def test_files_that_take_the_paths_of_others_are_followed(before: Files, after: Files, found: Files) -> None:
    assert moves(before, after) == found


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"a": "A"}, {"a": "A2", "backup": "A"}),  # a copy of the text before it was edited
        ({"a": "A"}, {"a": "B", "backup": "A"}),
        ({"a": "A", "b": "B"}, {"a": "A2", "b": "A"}),
        ({"a": "A", "b": "B"}, {"a": "B2", "b": "A2"}),  # no text is whole
        ({"a": "A", "b": "A", "c": "C"}, {"c": "A"}),  # nothing shows which of two equal files is at c
        ({"a": "A"}, {"b": "A"}),  # git detects that
    ],
)
def test_texts_that_do_not_prove_a_move_are_no_move(before: Files, after: Files) -> None:
    assert moves(before, after) == {}


@given(st.permutations("abcde"), st.sets(st.sampled_from("abcde")))
def test_a_permutation_is_followed_as_far_as_texts_are_whole(new: list[str], removed: set[str]) -> None:
    before = {path: path.upper() for path in "abcde"}
    after = {path: source.upper() for path, source in zip("abcde", new, strict=True) if path not in removed}
    found = moves(before, after)
    assert found == {path: text.lower() for path, text in after.items() if text.lower() != path} or not found
    stays = {old for old in found.values() if old in after and old not in found}
    assert not stays
    if not removed:
        assert len(found) == sum(one != other for one, other in zip("abcde", new, strict=True))


@given(st.lists(st.binary(max_size=4)), st.lists(st.binary(max_size=4)))
def test_a_text_is_a_version_of_another_if_half_is_equal_whatever_the_order_of_both(
    one: list[bytes], other: list[bytes]
) -> None:
    texts = [b"".join(lines) for lines in (one, other)]
    assert is_version(*texts) == is_version(*reversed(texts))
    assert is_version(texts[0], texts[0])
    shared = b"shared line\n" * 40
    assert is_version(*(shared + text for text in texts)) or sum(map(len, itertools.chain(one, other))) > len(shared)
