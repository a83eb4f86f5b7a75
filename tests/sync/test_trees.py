"""Two trees are merged: the changes of both sides stay, and links lead to the notes that their writers meant."""

import json
import re
from pathlib import Path

import pytest

from tests.sync.changes import check
from tests.sync.edits import put, rename
from tests.sync.merging import TITLE, UNMOVED, extracted, merge, merged_into, moved
from tests.sync.shared import Shared
from zkmem.sync.placement import Structure

BASE = {"A.md": "one\ntwo\nthree\n", "n.md": "See [[A]].\n", "m.md": "And [[A|this]] too.\n"}


@pytest.mark.parametrize("other", ["older", "newer"])
def test_names_that_a_merge_by_a_tool_changed_are_followed(tmp_path: Path, other: str) -> None:
    notes = {
        "a.md": "A [s][r] and A[^1]\n\nA block ^k\n\n[^1]: foot A\n\n[r]: t1.md\n",
        "b.md": "B [s][r] and B[^1]\n\nB block ^k\n\n[^1]: foot B\n\n[r]: t2.md\n",
        "t1.md": "1\n",
        "t2.md": "2\n",
    }
    shared = Shared(tmp_path, notes)
    machines = ("laptop", "desktop") if other == "newer" else ("desktop", "laptop")
    for machine in machines:
        if machine == "laptop":
            shared.edit("laptop", rename("a", "b"))
        else:
            edited = notes["a.md"].replace("A[^1]", "A[^1] edited").replace("A block", "New [s][r]\n\nA block")
            shared.edit("desktop", put("a.md", edited), put("c.md", "See [[a#^k]].\n"))
    shared.sync("laptop", "desktop", "laptop")
    merged = shared.notes("laptop")
    assert merged["c.md"] == "See [[b#^k-2]].\n"
    lines = merged["b.md"].split("\n")
    assert {"B [s][r] and B[^1]", "B block ^k", "[^1]: foot B", "[r]: t2.md"} <= {*lines}
    assert {"A [s][r-2] and A[^2] edited", "New [s][r-2]", "A block ^k-2", "[^2]: foot A", "[r-2]: t1.md"} <= {*lines}
    assert "conflict" not in merged["b.md"]


def test_a_folder_whose_notes_moved_to_an_older_folder_is_not_renamed(tmp_path: Path) -> None:
    shared = Shared(tmp_path, {"inbox/idea.md": "Idea.\n", "projects/p.md": "P.\n"})
    shared.edit("laptop", rename("inbox/idea", "projects/idea"))
    shared.edit("desktop", put("inbox/new.md", "New.\n"))
    shared.sync("laptop", "desktop", "laptop")
    assert sorted(shared.notes("laptop")) == ["inbox/new.md", "projects/idea.md", "projects/p.md"]


def test_a_link_to_a_note_that_the_other_side_renamed_is_updated(tmp_path: Path) -> None:
    first = {"B.md": BASE["A.md"], "n.md": "See [[B]].\n", "m.md": "And [[B|this]] too.\n"}
    second = {**BASE, "new.md": "As [[A]] says.\n", "m.md": BASE["m.md"] + "More of [[A]].\n"}
    done = merge(tmp_path, BASE, first, second, first_structure=moved(A="B"))
    assert done.files == {
        "B.md": BASE["A.md"],
        "n.md": "See [[B]].\n",
        "m.md": "And [[B|this]] too.\nMore of [[B]].\n",
        "new.md": "As [[B]] says.\n",
    }


def test_an_edit_follows_a_rename(tmp_path: Path) -> None:
    first = {"B.md": "ONE\ntwo\nthree\n", "n.md": "See [[B]].\n", "m.md": "And [[B|this]] too.\n"}
    second = {**BASE, "A.md": "one\ntwo\nTHREE\n"}
    done = merge(tmp_path, BASE, first, second, first_structure=moved(A="B"))
    assert done.files["B.md"] == "ONE\ntwo\nTHREE\n"
    assert "A.md" not in done.files


def test_a_rename_by_hand_that_updated_no_link_gets_its_links_updated(tmp_path: Path) -> None:
    first = {"B.md": BASE["A.md"], "n.md": BASE["n.md"], "m.md": BASE["m.md"]}
    done = merge(tmp_path, BASE, first, BASE, first_structure=moved(A="B"))
    assert done.files == {"B.md": BASE["A.md"], "n.md": "See [[B]].\n", "m.md": "And [[B|this]] too.\n"}


def test_a_rewritten_line_and_an_edit_of_it_are_no_conflict(tmp_path: Path) -> None:
    first = {"B.md": BASE["A.md"], "n.md": "See [[B]].\n", "m.md": "And [[B|this]] too.\n"}
    second = {**BASE, "n.md": "Do see [[A]] now.\n"}
    done = merge(tmp_path, BASE, first, second, first_structure=moved(A="B"))
    assert done.files["n.md"] == "Do see [[B]] now.\n"
    assert done.result.conflicts == ()


def test_a_note_that_both_rename_gets_the_second_name(tmp_path: Path) -> None:
    first = {"B.md": BASE["A.md"], "n.md": "See [[B]].\n", "m.md": "And [[B|this]] too.\n"}
    second = {"C.md": BASE["A.md"], "n.md": "See [[C]].\n", "m.md": "And [[C|this]] too.\n"}
    done = merge(tmp_path, BASE, first, second, first_structure=moved(A="B"), second_structure=moved(A="C"))
    assert done.files == {**second, "C.md": '---\naliases:\n  - "B"\n---\none\ntwo\nthree\n'}


def test_two_notes_that_get_one_name_are_merged(tmp_path: Path) -> None:
    base = {"A.md": "a\n", "B.md": "b\n", "n.md": "[[A]] [[B]]\n"}
    first = {"C.md": "a\n", "B.md": "b\n", "n.md": "[[C]] [[B]]\n"}
    second = {"A.md": "a\n", "C.md": "b\n", "n.md": "[[A]] [[C]]\n"}
    done = merge(tmp_path, base, first, second, first_structure=moved(A="C"), second_structure=moved(B="C"))
    assert done.files == {"C.md": "a\n\n---\n\nb\n", "n.md": "[[C]] [[C]]\n"}


def test_a_note_that_both_create_has_both_texts(tmp_path: Path) -> None:
    done = merge(tmp_path, {}, {"A.md": "# A\n\nfirst\n"}, {"A.md": "# A\n\nsecond\n"})
    assert done.files == {"A.md": "# A\n\nfirst\n\nsecond\n"}


def test_a_deleted_note_that_the_other_side_edited_stays(tmp_path: Path) -> None:
    first = {"n.md": BASE["n.md"], "m.md": BASE["m.md"]}
    done = merge(tmp_path, BASE, first, {**BASE, "A.md": "one\ntwo\nthree\nfour\n"})
    assert done.files == {**BASE, "A.md": "one\ntwo\nthree\nfour\n"}
    assert done.result.kept == ("A.md",)


def test_a_deleted_note_in_which_the_other_side_rewrote_links_is_gone(tmp_path: Path) -> None:
    base = {"A.md": "a\n", "n.md": "See [[A]].\n"}
    done = merge(
        tmp_path, base, {"A.md": "a\n"}, {"B.md": "a\n", "n.md": "See [[B]].\n"}, second_structure=moved(A="B")
    )
    assert done.files == {"B.md": "a\n"}


def test_an_edit_of_a_note_that_was_merged_lands_in_the_other_note(tmp_path: Path) -> None:
    base = {"X.md": "x one\nx two\n", "Y.md": "y\n", "n.md": "[[X]]\n"}
    first = {"Y.md": "y\n\n---\n\nx one\nx two\n", "n.md": "[[Y]]\n"}
    second = {**base, "X.md": "x one\nx TWO\n", "new.md": "[[X]]\n"}
    done = merge(tmp_path, base, first, second, first_structure=merged_into("X", "Y"))
    assert done.files == {"Y.md": "y\n\n---\n\nx one\nx TWO\n", "n.md": "[[Y]]\n", "new.md": "[[Y]]\n"}


def test_notes_that_both_merge_in_opposite_directions_are_merged_once(tmp_path: Path) -> None:
    base = {"X.md": "x\n", "Y.md": "y\n", "n.md": "[[X]] [[Y]]\n"}
    first = {"Y.md": "y\n\n---\n\nx\n", "n.md": "[[Y]] [[Y]]\n"}
    second = {"X.md": "x\n\n---\n\ny\n", "n.md": "[[X]] [[X]]\n"}
    done = merge(
        tmp_path, base, first, second, first_structure=merged_into("X", "Y"), second_structure=merged_into("Y", "X")
    )
    assert done.files == second


@pytest.mark.parametrize("longer", ["X", "Y"])
def test_edits_of_notes_that_both_merge_in_opposite_directions_land_in_their_texts(tmp_path: Path, longer: str) -> None:
    texts = {name: f"{name}0\n\n- [ ] {name}1\n- [ ] {name}2\n\n{name}3\n" for name in "XY"}
    texts[longer] += f"\n{longer}4\n\n{longer}5\n"
    edited = {name: text.replace(f"[ ] {name}1", f"[x] {name}1") for name, text in texts.items()}
    base = {f"{name}.md": text for name, text in texts.items()}
    first = {"X.md": f"{edited['X']}\n---\n\n{edited['Y']}\nadded\n"}
    second = {"Y.md": f"{texts['Y']}\n---\n\n{texts['X']}"}
    done = merge(
        tmp_path, base, first, second, first_structure=merged_into("Y", "X"), second_structure=merged_into("X", "Y")
    )
    assert done.files == {"Y.md": f"{edited['Y']}\nadded\n\n---\n\n{edited['X']}"}
    assert done.result.conflicts == ()


def test_each_side_merges_a_note_that_the_other_one_edits_into_the_same_note(tmp_path: Path) -> None:
    base = {"X.md": "x one\n", "Y.md": "y one\n", "Z.md": "z one\n"}
    first = {"X.md": "x one\n\n---\n\ny one\n", "Z.md": "z ONE\n"}
    second = {"X.md": "x one\n\n---\n\nz one\n", "Y.md": "y ONE\n"}
    into, other = merged_into("Y", "X"), merged_into("Z", "X")
    done = merge(tmp_path, base, first, second, first_structure=into, second_structure=other)
    assert done.files == {"X.md": "x one\n\n---\n\ny ONE\n\nz ONE\n"}
    assert done.result.conflicts == ()


@pytest.mark.parametrize("order", ["YZ", "ZY"])
def test_no_text_is_lost_where_a_side_merges_two_notes_into_one_that_the_other_side_merges_elsewhere(
    tmp_path: Path, order: str
) -> None:
    texts = {"X": "x one is here\n\nx two\n", "Y": "y one\n", "Z": "z one\n\nz two\n\nz three\n"}
    base = {f"{name}.md": text for name, text in texts.items()}
    edited = texts["X"].replace(" is here", "") + "added\n"
    first = {"X.md": "\n---\n\n".join([edited, *(texts[name] for name in order)])}
    second = {"Z.md": "\n---\n\n".join([texts["Z"], texts["X"], texts["Y"] + "end\n"])}
    done = merge(
        tmp_path, base, first, second,
        first_structure=Structure(merged={"Y.md": "X.md", "Z.md": "X.md"}),
        second_structure=Structure(merged={"Y.md": "Z.md", "X.md": "Z.md"}),
    )  # fmt: skip
    assert done.files == {"Z.md": "\n---\n\n".join([texts["Z"], edited, texts["Y"] + "end\n"])}


@pytest.mark.parametrize("is_reversed", [False, True])
def test_a_note_that_both_sides_merge_into_notes_which_are_merged_themselves_is_not_lost(
    tmp_path: Path, is_reversed: bool
) -> None:
    base = {f"{name}.md": f"{name} one\n" for name in "WXYZ"}
    first = {"W.md": "W one\n", "X.md": "X one\n\n---\n\nZ one\n\n---\n\nY one\n"}
    second = {"W.md": "W one\n\n---\n\nX one\n", "Z.md": "Z one\n\n---\n\nY one\n"}
    sides = [(first, {"Z.md": "X.md", "Y.md": "X.md"}), (second, {"X.md": "W.md", "Y.md": "Z.md"})]
    (one, into), (other, into_other) = sides[::-1] if is_reversed else sides
    structures = Structure(merged=into), Structure(merged=into_other)
    done = merge(tmp_path, base, one, other, first_structure=structures[0], second_structure=structures[1])
    assert done.files.keys() == {"W.md"}
    assert sorted(re.findall("[W-Z] one", done.files["W.md"])) == ["W one", "X one", "Y one", "Z one"]


def test_a_merged_text_has_no_version_of_a_line_that_both_sides_changed(tmp_path: Path) -> None:
    """The old line is more like a line of the text that one side has merged below it than like its new versions."""
    added = "".join(f"w 8.{number}\n" for number in range(5))
    base = {"X.md": "w 2\n", "Y.md": added}
    first = {"X.md": f"w 2 red [[X]]\n\n---\n\n{added}"}
    second = {"X.md": "w 2 blue [[X]]\n", "Y.md": added}
    done = merge(tmp_path, base, first, second, first_structure=merged_into("Y", "X"))
    assert done.files["X.md"].startswith("w 2 blue [[X]]\n\n> [!conflict]")
    assert done.files["X.md"].endswith(f"\n> w 2 red [[X]]\n\n---\n\n{added}")


def test_notes_that_one_side_merged_in_another_order_than_that_of_their_names_are_no_conflict(tmp_path: Path) -> None:
    """The first side merged `Z` into `X` before `Y`. Both sides edit the end of `X`; `Y` and `Z` are equally long."""
    y, z = ("".join(f"about {name} {number}\n" for number in range(8)) for name in "yz")
    base = {"X.md": "x\n\nw 2\n", "Y.md": y, "Z.md": z}
    first = {"X.md": f"x\n\n[[N]]\n\n---\n\n{z}\n---\n\n{y}", "N.md": "w 2\n"}
    second = base | {"X.md": "x\n\nw 2\n\nw 3\n", "Y.md": f"{y}\nw 4\n"}
    structure = Structure(merged={"Y.md": "X.md", "Z.md": "X.md"}, extracted=extracted("X", "N").extracted)
    done = merge(tmp_path, base, first, second, first_structure=structure)
    assert done.files["X.md"] == f"x\n\n[[N]]\n\nw 3\n\n---\n\n{z}\n---\n\n{y}\nw 4\n"


def test_notes_that_both_merge_in_different_orders_are_merged_once(tmp_path: Path) -> None:
    v = "v0 red\n\nabout v1 red\n\nthe v2 red\nabout v3 red\n\nw v4 red\n"
    x, w = "x0 red\nx1 red\nx2 red\n", "w0 tea\nw1 tea\n"
    first = {"W.md": f"{w}new b\n\n---\n\n{v}\n---\n\n{x}"}
    second = {"W.md": f"{w}\nnew a\n\n---\n\n{x}new c\n\n---\n\n{v}"}
    both = Structure(merged={"V.md": "W.md", "X.md": "W.md"})
    base = {"V.md": v, "W.md": w, "X.md": x}
    done = merge(tmp_path, base, first, second, first_structure=both, second_structure=both)
    assert done.files["W.md"].count("x1 red") == 1


def test_notes_that_both_merge_alike_are_merged_once(tmp_path: Path) -> None:
    base = {"X.md": "x\n", "Y.md": "y\n"}
    first = {"Y.md": "y\n\n---\n\nx\n"}
    second = {"Y.md": "y\n\n---\n\nx\n\nmore\n"}
    structure = merged_into("X", "Y")
    assert merge(tmp_path, base, first, second, first_structure=structure, second_structure=structure).files == second


def test_an_edit_of_an_extracted_passage_follows_it(tmp_path: Path) -> None:
    base = {"N.md": "# N\n\nbefore\n\n## P\n\npassage\nlonger\n\n## Q\n\nafter\n", "o.md": "[[N#P]]\n"}
    first = {
        "N.md": "# N\n\nbefore\n\n![[P]]\n\n## Q\n\nafter\n",
        "P.md": "## P\n\npassage\nlonger\n",
        "o.md": "[[P#P]]\n",
    }
    second = {**base, "N.md": base["N.md"].replace("longer", "LONGER").replace("after", "AFTER"), "new.md": "[[N#P]]\n"}
    done = merge(tmp_path, base, first, second, first_structure=extracted("N", "P"))
    assert done.files == {
        "N.md": "# N\n\nbefore\n\n![[P]]\n\n## Q\n\nAFTER\n",
        "P.md": "## P\n\npassage\nLONGER\n",
        "o.md": "[[P#P]]\n",
        "new.md": "[[P#P]]\n",
    }


def test_a_new_note_goes_along_with_its_folder(tmp_path: Path) -> None:
    base = {"old/a.md": "a\n", "old/b.md": "b\n"}
    first = {"new/a.md": "a\n", "new/b.md": "b\n"}
    second = {**base, "old/c.md": "[[a]] and [x](b.md)\n"}
    structure = Structure({"old/a.md": "new/a.md", "old/b.md": "new/b.md"})
    done = merge(tmp_path, base, first, second, first_structure=structure)
    assert done.files == {**first, "new/c.md": "[[a]] and [x](b.md)\n"}


def test_a_link_keeps_its_meaning_beside_a_new_note_of_the_other_side(tmp_path: Path) -> None:
    base = {"long/folder/Foo.md": "foo\n", "n.md": "n\n", "unchanged.md": "[[Foo]]\n"}
    first = {**base, "Foo.md": "another\n"}
    second = {**base, "n.md": "[[Foo]]\n"}
    done = merge(tmp_path, base, first, second)
    assert done.files == {
        **base,
        "Foo.md": "another\n",
        "n.md": "[[long/folder/Foo]]\n",
        "unchanged.md": "[[long/folder/Foo]]\n",
    }


def test_attachments_that_both_changed_are_both_kept(tmp_path: Path) -> None:
    done = merge(tmp_path, {"a.png": "0"}, {"a.png": "1"}, {"a.png": "2"})
    assert done.files == {"a.png": "2", "a (laptop 1a2b3c).png": "1"}


def test_lines_that_both_changed_stand_in_a_callout(tmp_path: Path) -> None:
    done = merge(tmp_path, {"a.md": "one\n"}, {"a.md": "uno\n"}, {"a.md": "eins\n"})
    assert done.files == {"a.md": f"eins\n\n> [!conflict] {TITLE}\n> uno\n"}
    assert done.result.conflicts == ("a.md",)


def test_a_canvas_is_merged_by_its_nodes(tmp_path: Path) -> None:
    def canvas(*nodes: str) -> str:
        return '{"nodes": [' + ", ".join(nodes) + "]}"

    a = '{"id": "a", "type": "file", "file": "A.md"}'
    b = '{"id": "b", "type": "text", "text": "b"}'
    c = '{"id": "c", "type": "text", "text": "[[A]]"}'
    base = {"A.md": "a\n", "x.canvas": canvas(a)}
    first = {"B.md": "a\n", "x.canvas": canvas(a.replace("A.md", "B.md"), b)}
    second = {"A.md": "a\n", "x.canvas": canvas(a, c)}
    done = merge(tmp_path, base, first, second, first_structure=moved(A="B"))
    text = done.files["x.canvas"]
    assert text.index('"B.md"') < text.index('"b"') < text.index("[[B]]")


@pytest.mark.parametrize("id_", ['"id": "1", ', "", '"id": 3, '])
def test_no_new_card_is_lost_if_ids_are_missing_or_not_unique(tmp_path: Path, id_: str) -> None:
    def canvas(*texts: str) -> str:
        return '{"nodes": [' + ", ".join(f'{{{id_}"text": "{text}"}}' for text in texts) + "]}"

    base, first, second = canvas("a", "copy"), canvas("L", "a", "copy"), canvas("D", "a", "copy", "E")
    trees = ({"x.canvas": text} for text in (base, first, second))
    done = merge(tmp_path, *trees)
    texts = [node["text"] for node in json.loads(done.files["x.canvas"])["nodes"]]
    assert sorted(texts) == ["D", "E", "L", "a", "copy"]


def test_two_new_cards_with_one_id_both_stay(tmp_path: Path) -> None:
    base, first, second = (f'{{"nodes": [{nodes}]}}' for nodes in ("", '{"id": "2", "x": 1}', '{"id": "2", "x": 2}'))
    done = merge(tmp_path, {"x.canvas": base}, {"x.canvas": first}, {"x.canvas": second})
    assert [node["x"] for node in json.loads(done.files["x.canvas"])["nodes"]] == [1, 2]


def test_half_a_character_in_a_canvas_stays_escaped(tmp_path: Path) -> None:
    base = '{"nodes": [{"id": "1", "text": "\u00e9 \\ud83d"}]}'
    first, second = base.replace('"1"', '"1", "w": 1'), base[:-1] + ', "edges": []}'
    text = merge(tmp_path, {"x.canvas": base}, {"x.canvas": first}, {"x.canvas": second}).files["x.canvas"]
    assert "\u00e9 \\ud83d" in text
    assert json.loads(text) == {"nodes": [{"id": "1", "w": 1, "text": "\u00e9 \ud83d"}], "edges": []}


@pytest.mark.parametrize(
    "broken",
    [
        '{"nodes": [], "x": 1e400}',
        '{"nodes": [], "x": NaN}',
        '{"x": 1, "x": 2}',
        '{"nodes": {}}',
        "none",
        "[]",
        "[" * 9_000,
    ],
)
@pytest.mark.parametrize("is_first", [True, False])
def test_a_canvas_that_cannot_be_merged_stays_beside_the_newer_one(
    tmp_path: Path, broken: str, *, is_first: bool
) -> None:
    base, other = '{"nodes": []}', '{"nodes": [{"id": "1"}]}'
    first, second = (broken, other) if is_first else (other, broken)
    done = merge(tmp_path, {"x.canvas": base}, {"x.canvas": first}, {"x.canvas": second})
    assert done.files == {"x.canvas": second, "x (laptop 1a2b3c).canvas": first}
    assert done.result.beside == ("x (laptop 1a2b3c).canvas",)


def test_an_unchanged_link_and_a_rewritten_one_of_the_same_spelling_keep_their_meanings(tmp_path: Path) -> None:
    base = {"tea.md": "tea\n", "sugar.md": "sugar\n", "n.md": "old [[tea]]\n\nnew [[sugar]]\n"}
    first = {"tea.md": "sugar\n", "n.md": "old [[tea]]\n\nnew [[tea]]\n"}  # tea was deleted, and sugar renamed to tea
    second = {"tea.md": "tea\nmore\n", "sweet.md": "sugar\n", "n.md": "old [[tea]]\n\nnew [[sweet]]\n"}
    structures = {"first_structure": moved(sugar="tea"), "second_structure": moved(sugar="sweet")}
    done = merge(tmp_path, base, first, second, **structures)
    assert done.files["n.md"] == "old [[tea]]\n\nnew [[sweet]]\n"
    assert done.files["tea.md"] == "tea\nmore\n"
    assert done.files["sweet.md"] == '---\naliases:\n  - "tea"\n---\nsugar\n'


def test_a_new_note_in_a_renamed_folder_never_replaces_a_note(tmp_path: Path) -> None:
    base = {"a/x.md": "x\n", "b/y.md": "kept\n"}
    first = {"b/x.md": "x\n", "b/y.md": "kept\n"}
    structure = Structure({"a/x.md": "b/x.md"})
    done = merge(tmp_path, base, first, {**base, "a/y.md": "new\n"}, first_structure=structure)
    assert "kept" in done.files["b/y.md"]
    assert any("new" in text for text in done.files.values())


def test_an_edit_follows_a_passage_to_which_its_side_added_a_paragraph(tmp_path: Path) -> None:
    base = {"N.md": "before\n\nbetween\n\npassage\n"}
    first = {"N.md": "before\n\nbetween\n\n[[P]]\n", "P.md": "passage\n\nmore\n"}
    second = {"N.md": "before\n\nbetween\n\nPASSAGE\n"}
    done = merge(tmp_path, base, first, second, first_structure=extracted("N", "P"))
    assert done.files == {**first, "P.md": "PASSAGE\n\nmore\n"}


@pytest.mark.parametrize("extracts", ["first", "second"])
def test_an_edit_of_an_extracted_passage_follows_it_into_a_note_that_both_made(tmp_path: Path, extracts: str) -> None:
    base = {"N.md": "top\n\none\n\nmore\n"}
    edited = {"N.md": "top\n\nONE\n\nmore\n", "P.md": "p\n"}
    apart = {"N.md": "top\n\n[[P]]\n\nmore\n", "P.md": "one\n"}
    if extracts == "first":
        done = merge(tmp_path, base, apart, edited, first_structure=extracted("N", "P"))
    else:
        done = merge(tmp_path, base, edited, apart, second_structure=extracted("N", "P"))
    assert done.files["N.md"] == apart["N.md"]
    assert done.files["P.md"].split() == (["ONE", "p"] if extracts == "first" else ["p", "ONE"])


def test_text_of_a_merged_note_does_not_follow_an_extracted_passage(tmp_path: Path) -> None:
    base = {"N.md": "before\n\npassage\n", "M.md": "merged\n"}
    first = {"N.md": "before\n\n[[P]]\n", "P.md": "passage\n", "M.md": "merged\n"}
    second = {"N.md": "before\n\nPASSAGE\n\n---\n\nmerged\n"}
    structure = merged_into("M", "N")
    done = merge(tmp_path, base, first, second, first_structure=extracted("N", "P"), second_structure=structure)
    assert done.files == {"N.md": "before\n\n[[P]]\n\n---\n\nmerged\n", "P.md": "PASSAGE\n"}


def test_a_passage_that_one_side_moves_to_the_note_into_which_the_other_merges_all_is_not_lost(tmp_path: Path) -> None:
    base = {"X.md": "one\n\npassage\n", "Y.md": "y\n"}
    first = {"X.md": "one\n\n[[Y]]\n", "Y.md": "y\n\n---\n\npassage\n"}
    second = {"Y.md": "y\n\n---\n\none\n\npassage\n"}
    sides = [(first, extracted("X", "Y")), (second, merged_into("X", "Y"))]
    for number, ((one, one_structure), (other, other_structure)) in enumerate((sides, sides[::-1])):
        folder = tmp_path / str(number)
        folder.mkdir()
        done = merge(folder, base, one, other, first_structure=one_structure, second_structure=other_structure)
        assert done.files.keys() == {"Y.md"}
        assert {"one", "passage"} <= set(done.files["Y.md"].split("\n"))


def test_a_passage_that_moved_between_notes_that_the_other_side_merges_is_not_lost(tmp_path: Path) -> None:
    base = {"A.md": "one\n\npassage\n\nthree\n", "B.md": "b\n", "C.md": "c\n"}
    first = {"A.md": "one\n\n[[B]]\n\nthree\n", "B.md": "b\n\npassage\n", "C.md": "c\n"}
    second = {"C.md": "c\n\n---\n\nb\n\n---\n\nONE\n\npassage\n\nthree\n"}
    structure = Structure(merged={"A.md": "C.md", "B.md": "C.md"})
    done = merge(tmp_path, base, first, second, first_structure=extracted("A", "B"), second_structure=structure)
    assert done.files == {"C.md": "c\n\n---\n\nb\n\npassage\n\n---\n\nONE\n\n[[C]]\n\nthree\n"}


def test_an_edit_of_a_passage_follows_it_out_of_a_note_that_got_the_name_of_a_new_one(tmp_path: Path) -> None:
    base = {"A.md": "one\n\ntwo\n\nthree\n"}
    first = {"A.md": "one\n\ntwo, edited\n\nthree\n", "B.md": "new\n"}
    second = {"B.md": "one\n\n[[P]]\n\nthree\n", "P.md": "two\n"}
    structure = Structure({"A.md": "B.md"}, extracted=extracted("B", "P").extracted)
    done = merge(tmp_path, base, first, second, second_structure=structure)
    assert done.files == {"B.md": "new\n\n---\n\none\n\n[[P]]\n\nthree\n", "P.md": "two, edited\n"}
    assert done.result.conflicts == ()


def test_an_edit_of_an_extracted_passage_follows_it_into_a_note_that_both_merged_crosswise(tmp_path: Path) -> None:
    base = {"A.md": "a\n\nb\n\nlast\n", "B.md": "one\n\npassage\n", "C.md": "c\n"}
    first = {"B.md": "one\n\n[[C]]\n", "C.md": "c\n\n---\n\na\n\nb\n\nlast\n\npassage\n"}
    second = {"A.md": "a\n\nb\n\n[[B]]\n\n---\n\nc\n\nmore\n", "B.md": "one\n\nlast\n"}
    one = Structure(merged={"A.md": "C.md"}, extracted=extracted("B", "C").extracted)
    other = Structure(merged={"C.md": "A.md"}, extracted=extracted("A", "B").extracted)
    done = merge(tmp_path, base, first, second, first_structure=one, second_structure=other)
    text = "\n".join(done.files.values())
    assert all(line in text for line in ("one", "a", "b", "c", "last", "more"))


@pytest.mark.parametrize("begin", range(0, 150, 50))
def test_random_changes_lose_no_line(tmp_path: Path, begin: int) -> None:
    for seed in range(begin, begin + 50):
        folder = tmp_path / str(seed)
        folder.mkdir()
        check(seed, folder)


def test_a_passage_that_both_extract_is_not_put_back(tmp_path: Path) -> None:
    base = {"A.md": "one\n\ntwo\n\nthree\n"}
    first = {"A.md": "one\n\n[[B]]\n\nthree\n", "B.md": "two\n"}
    second = {"A.md": "one\n\n[[C]]\n\nthree\n", "C.md": "two\n"}
    done = merge(
        tmp_path, base, first, second, first_structure=extracted("A", "B"), second_structure=extracted("A", "C")
    )
    assert "two" not in done.files["A.md"]
    assert "two" in done.files["B.md"]
    assert "two" in done.files["C.md"]


MERGED_TWICE = {"X.md": "lost\n", "A.md": "a\n", "B.md": "b\n", "n.md": "See [[X]].\nAnd [[A]].\n"}


def test_a_link_to_its_own_note_follows_the_text_that_both_merge(tmp_path: Path) -> None:
    base = {"X.md": "lost [[X]]\n", "A.md": "a\n", "B.md": "b\n"}
    first = {"A.md": "a\n\n---\n\nlost [[A]]\n\nmore\n", "B.md": "b\n"}
    second = {"A.md": "a\n", "B.md": "b\n\n---\n\nlost [[B]]\n"}
    structures = {"first_structure": merged_into("X", "A"), "second_structure": merged_into("X", "B")}
    files = merge(tmp_path, base, first, second, **structures).files
    assert "lost [[B]]\n" in files["B.md"]
    assert not any("lost [[A]]" in text for text in files.values())


def test_a_note_that_both_merge_is_part_of_the_second_sides_note(tmp_path: Path) -> None:
    first = {"A.md": "a\n\n---\n\nlost\n", "B.md": "b\n", "n.md": "See [[A]].\nAnd [[A]].\n"}
    second = {"A.md": "a\n", "B.md": "b\n\n---\n\nlost\n", "n.md": "See [[B]].\nAnd [[A]].\n"}
    done = merge(
        tmp_path,
        MERGED_TWICE,
        first,
        second,
        first_structure=merged_into("X", "A"),
        second_structure=merged_into("X", "B"),
    )
    assert done.files == second


def test_a_note_that_both_merge_stands_once_though_the_losing_note_got_the_name_of_a_new_one(tmp_path: Path) -> None:
    base = {"A.md": "one\n\ntwo\n", "B.md": "b\n", "C.md": "c\n"}
    first = {"B.md": "b\n", "N.md": "c\n\n---\n\none, edited\n\ntwo\n"}
    second = {"B.md": "b\n\n---\n\none\n\ntwo\n", "C.md": "c\n", "N.md": "new\n"}
    structures = Structure({"C.md": "N.md"}, {"A.md": "N.md"}), merged_into("A", "B")
    done = merge(tmp_path, base, first, second, first_structure=structures[0], second_structure=structures[1])
    assert done.files == {"B.md": "b\n\n---\n\none, edited\n\ntwo\n", "N.md": "new\n\n---\n\nc\n"}


def test_a_link_to_the_losing_note_of_two_merges_leads_to_the_text(tmp_path: Path) -> None:
    first = {"A.md": "a\n\n---\n\nlost\n", "B.md": "b\n", "n.md": "See [[A]].\nAnd [[A]].\n"}
    second = {"A.md": "a\n", "B.md": "b\n\n---\n\nlost\n", "n.md": "See [[B]].\nAnd [[A]].\nMore.\n"}
    base = {**MERGED_TWICE, "o.md": "- [[A]]\n- [[X]]\n"}
    done = merge(
        tmp_path,
        base,
        {**first, "o.md": "- [[A]]\n- [[A]]\n- mine\n"},
        {**second, "o.md": "- [[A]]\n- [[B]]\n"},
        first_structure=merged_into("X", "A"),
        second_structure=merged_into("X", "B"),
    )
    assert done.files["n.md"] == "See [[B]].\nAnd [[A]].\nMore.\n"
    assert done.files["o.md"] == "- [[A]]\n- [[B]]\n- mine\n"
    assert done.result.conflicts == ()


def test_an_edit_of_the_text_in_the_losing_note_of_two_merges_follows_it(tmp_path: Path) -> None:
    base = {"X.md": "lost\nold\n", "A.md": "a\n", "B.md": "b\n"}
    first = {"A.md": "a\nA\n\n---\n\nlost\nNEW\n", "B.md": "b\n"}
    second = {"A.md": "a\n", "B.md": "b\n\n---\n\nlost\nold\n"}
    done = merge(
        tmp_path, base, first, second, first_structure=merged_into("X", "A"), second_structure=merged_into("X", "B")
    )
    assert done.files == {"A.md": "a\nA\n", "B.md": "b\n\n---\n\nlost\nNEW\n"}


def test_a_deleted_note_in_which_the_other_side_aims_a_link_elsewhere_stays(tmp_path: Path) -> None:
    base = {"A.md": "a\n", "B.md": "b\n", "n.md": "See [[A]].\n"}
    done = merge(tmp_path, base, {"A.md": "a\n", "B.md": "b\n"}, {**base, "n.md": "See [[B]].\n"})
    assert done.files == {**base, "n.md": "See [[B]].\n"}
    assert done.result.kept == ("n.md",)


def test_a_deleted_note_in_which_a_link_leads_to_a_moved_note_is_gone(tmp_path: Path) -> None:
    base = {"A.md": "a\n", "n.md": "See [[A]].\n"}
    for number, spelling in enumerate(("[[A]]", "[[B]]")):  # moved by hand, and by a tool
        folder = tmp_path / str(number)
        folder.mkdir()
        structure = Structure({"A.md": "B.md"}, moved_by_hand={"A.md": "B.md"} if number == 0 else {})
        second = {"B.md": "a\n", "n.md": f"See {spelling}.\n"}
        done = merge(folder, base, {"A.md": "a\n"}, second, second_structure=structure)
        assert done.files == {"B.md": "a\n"}


def test_links_to_a_deleted_note_that_was_renamed_are_no_conflict(tmp_path: Path) -> None:
    base = {"A.md": "a\n", "n.md": "See [[A]] here.\n"}
    first = {"B.md": "a\n", "n.md": "See [[B]] here.\n"}
    second = {"n.md": "Do see [[A]] here.\n"}
    done = merge(tmp_path, base, first, second, first_structure=moved(A="B"))
    assert done.files == {"n.md": "Do see [[A]] here.\n"}
    assert done.result.conflicts == ()


def test_a_link_to_a_deleted_note_that_got_the_name_of_another_one_is_no_conflict(tmp_path: Path) -> None:
    base = {"A.md": "a\n", "B.md": "b\n", "n.md": "See [[A]] here.\n", "p.md": "one\n\nSee [[A]] there.\n"}
    first = {"A.md": "b\n", "B.md": "a\n", "n.md": "See [[B]] here.\n", "p.md": "one\n\nSee [[B]] there.\n"}
    second = {"C.md": "b\n", "n.md": "Do see [[A]] here.\n", "p.md": "one\n\n[[P]]\n", "P.md": "See [[A]] there.\n"}
    structure = Structure({"B.md": "C.md"}, extracted=extracted("p", "P").extracted)
    done = merge(tmp_path, base, first, second, first_structure=moved(A="B", B="A"), second_structure=structure)
    assert done.result.conflicts == ()
    assert done.files == {**second, "C.md": '---\naliases:\n  - "A"\n---\nb\n'}


def test_an_extracted_link_to_a_deleted_note_that_was_renamed_is_no_conflict(tmp_path: Path) -> None:
    base = {"A.md": "a\n", "n.md": "one\n\nSee [[A]] here.\n\ntwo\n"}
    first = {"n.md": "one\n\n[[P]]\n\ntwo\n", "P.md": "See [[A]] here.\n"}
    second = {"B.md": "a\n", "n.md": "one\n\nSee [[B]] here.\n\ntwo\n"}
    done = merge(tmp_path, base, first, second, first_structure=extracted("n", "P"), second_structure=moved(A="B"))
    assert done.files == first


def test_an_extracted_line_of_a_merged_note_with_a_link_in_another_form_is_no_conflict(tmp_path: Path) -> None:
    base = {"a/A.md": "a\n", "n.md": "one\n\nSee [[a/A]] here.\n"}
    first = {"A.md": "a\n\n---\n\none\n\nSee [[A]] here.\n"}
    second = {"a/B.md": "a\n", "n.md": "one\n\n[[P]]\n", "P.md": "See [[a/B]] here.\n"}
    structure = Structure({"a/A.md": "a/B.md"}, extracted=extracted("n", "P").extracted)
    one = Structure({"a/A.md": "A.md"}, {"n.md": "A.md"})
    done = merge(tmp_path, base, first, second, first_structure=one, second_structure=structure)
    assert done.result.conflicts == ()
    assert done.files["a/B.md"].endswith("a\n\n---\n\none\n\n[[P]]\n")


def test_links_to_a_deleted_note_keep_the_name_that_it_had(tmp_path: Path) -> None:
    base = {"A.md": "a\n", "n.md": "See [[A]] here.\n"}
    first = {"B.md": "a\n", "n.md": "See [[B]] here.\n"}
    done = merge(tmp_path, base, first, {"n.md": base["n.md"]}, first_structure=moved(A="B"))
    assert done.files == {"n.md": base["n.md"]}


REUSED_NAME = {"kept/sugar.md": "white\n", "n.md": "See [[sugar]] here.\n"}


def test_a_link_to_a_deleted_note_does_not_lead_to_a_note_that_the_other_side_created(tmp_path: Path) -> None:
    new = {"old/sugar.md": "brown\n"}
    for number, text in enumerate((REUSED_NAME["n.md"], "See [[kept/sugar]] here.\n")):
        folder = tmp_path / str(number)
        folder.mkdir()
        done = merge(folder, REUSED_NAME, {"n.md": REUSED_NAME["n.md"]}, {**REUSED_NAME, **new, "n.md": text})
        assert done.files == {**new, "n.md": "See [[kept/sugar]] here.\n"}
        assert done.result.conflicts == ()


def test_a_link_to_a_deleted_note_does_not_lead_to_a_note_that_got_its_path(tmp_path: Path) -> None:
    base = {"A.md": "a\n", "n.md": "See [[A]] here.\n", "m.md": "See [[A]].\n"}
    second = {"B.md": "a\n", "A.md": "new\n", "n.md": "See [[B]] here.\n", "m.md": "Read [[A]], not [[B]].\n"}
    first = {"n.md": "Do see [[A]] here.\n", "m.md": "See [[A]].\n"}
    done = merge(tmp_path, base, first, second, second_structure=moved(A="B"))
    assert done.files == {"A.md": "new\n", "n.md": "Do see [[B]] here.\n", "m.md": second["m.md"]}
    assert done.result.conflicts == ()


def test_a_link_leads_to_the_note_that_its_side_created_in_place_of_a_deleted_one(tmp_path: Path) -> None:
    first = {"old/sugar.md": "brown\n", "n.md": REUSED_NAME["n.md"]}
    done = merge(tmp_path, REUSED_NAME, first, {**REUSED_NAME, "m.md": "Read [[sugar]].\n"})
    assert done.files == {**first, "m.md": "Read [[sugar]].\n"}


def test_two_spellings_of_a_link_to_a_deleted_note_are_no_conflict(tmp_path: Path) -> None:
    first = {"n.md": "See [[h14]] here.\n"}
    second = {**REUSED_NAME, "old/sugar.md": "brown\n", "n.md": "See [[kept/sugar]] here.\n"}
    structure = Structure(deleted_at={"h14.md": "kept/sugar.md"})
    done = merge(tmp_path, REUSED_NAME, first, second, first_structure=structure)
    assert done.files == {"old/sugar.md": "brown\n", "n.md": "See [[h14]] here.\n"}
    assert done.result.conflicts == ()


@pytest.mark.parametrize("kept", ["B", "C"])
def test_a_link_to_a_merged_note_does_not_lead_to_a_note_that_stands_without_its_text(
    tmp_path: Path, kept: str
) -> None:
    """The second side merges A into B, which rewrites the links, and deletes B. The first side's edit keeps only B."""
    base = {"A.md": "a\n", "B.md": "b\n", "n.md": "See [[A]] here.\n", "m.md": "Of [[A]].\n"}
    first = {"A.md": "a\n", f"{kept}.md": "b\nedited\n", "n.md": "Do see [[A]] here.\n", "m.md": "Of [[A]].\n"}
    second = {"n.md": "See [[B]] here.\n", "m.md": "Of [[B]].\n"}
    renamed, deleted = moved(B="C") if kept == "C" else UNMOVED, Structure(deleted_with={"A.md": "B.md"})
    done = merge(tmp_path, base, first, second, first_structure=renamed, second_structure=deleted)
    assert done.result.conflicts == ()
    assert done.files == {one: text for one, text in first.items() if one != "A.md"}


def test_a_link_to_a_missing_note_that_a_side_made_and_the_other_renamed_is_no_conflict(tmp_path: Path) -> None:
    base = {"B.md": "b\n", "n.md": "See [[A]] here.\n\nMore.\n"}
    first = {"A.md": "b\n", "n.md": "See [[A]] here.\n\nMuch more.\n"}
    second = {"C.md": "b\n", "n.md": "Do see that.\n\nMore.\n"}
    done = merge(tmp_path, base, first, second, first_structure=moved(B="A"), second_structure=moved(B="C"))
    assert done.files["n.md"] == "Do see that.\n\nMuch more.\n"
    assert done.result.conflicts == ()


def test_other_links_of_a_note_or_canvas_are_respelled_if_one_cannot_be_written(tmp_path: Path) -> None:
    """Two links cannot be written: one to a deleted note whose path another note has now, one to a name with `#`."""
    links = "[[milk]] [[tea]] [[hash]] [t](tea.md)\n"
    base = {"milk.md": "white\n", "tea.md": "green\n", "hash.md": "brown\n", "sugar.md": "sweet\n"}
    base |= {"n.md": links, "c.canvas": '{"nodes":[{"id":"1","type":"text","text":"[[hash]] [[tea]]"}]}'}
    first = {**base, "milk.md": "sweet\n", "matcha.md": "green\n", "C#.md": "brown\n"}
    for path in ("tea.md", "hash.md", "sugar.md"):
        del first[path]
    second = {**base, "n.md": f"{links}\nAlso [[tea]] and [[sugar]].\n"}
    del second["milk.md"]
    structure = Structure({"sugar.md": "milk.md", "tea.md": "matcha.md", "hash.md": "C#.md"})
    files = merge(tmp_path, base, first, second, first_structure=structure).files
    assert files["n.md"] == "[[milk]] [[matcha]] [[hash]] [t](matcha.md)\n\nAlso [[matcha]] and [[milk]].\n"
    assert "[[hash]] [[matcha]]" in files["c.canvas"]
