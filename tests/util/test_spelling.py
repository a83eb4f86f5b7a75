"""Names that look alike are shown in a way that tells them apart, and by which they can be given back. And numbers."""

import json
import os
import pathlib
import re
import subprocess
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tools.vaults import write
from zkmem.cli.checks.table import CHECKS
from zkmem.cli.checks.target import CheckedVault
from zkmem.errors import AmbiguousName, NoPassage, UnknownNote
from zkmem.memory import Memory
from zkmem.toolsets.table import TOOLSETS
from zkmem.util.spelling import number_of, told_apart

TOOLS = {tool.name: tool for tool in TOOLSETS["zettel"].tools}
NFC, NFD = "Caf\u00e9", "Cafe\u0301"
ODD = "aeé\u0301\u0308\u00a0\u202f \u200b\u200d\u200e\u202e\u2066\ufeff\u3164ガか\u3099한❤\ufe0f.-\n\x1b"
NAMES = st.text(st.sampled_from(ODD), min_size=1, max_size=8)


def exact(shown: str) -> str:
    """The name that is meant by one that is shown with its exact spelling."""
    found = re.search(r' \((".*")\)$', shown, re.DOTALL)
    return str(json.loads(found[1])) if found else shown


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (["a", "b"], ["a", "b"]),
        ([NFC, "卡片", "naïve"], [NFC, "卡片", "naïve"]),
        ([NFC, NFD], [rf'{NFC} ("Caf\u00e9")', rf'{NFD} ("Cafe\u0301")']),
        ([NFD], [rf'{NFD} ("Cafe\u0301")']),
        (["\u202egpj.note"], [r'gpj.note ("\u202egpj.note")']),
        (["Café\u200b"], [r'Café ("Café\u200b")']),
        (["\x1b[2J"], [r'[2J ("\u001b[2J")']),
        (["a b", "a\u00a0b", "a-b"], ['a b ("a b")', 'a\u00a0b ("a\\u00a0b")', "a-b"]),
        (["👩\u200d💻 log"], [r'👩💻 log ("👩\u200d💻 log")']),
        (["❤\ufe0f"], ["❤\ufe0f"]),
        (["tag\U000e0041"], [r'tag ("tag\udb40\udc41")']),
    ],
)
def test_the_forms(names: list[str], shown: list[str]) -> None:
    assert told_apart(names) == shown


@given(st.lists(NAMES, max_size=6))
def test_what_is_shown_can_be_given_back_and_hides_nothing(names: list[str]) -> None:
    shown = told_apart(names)
    assert [exact(one) for one in shown] == names
    assert not any(unicodedata.category(char) in {"Cc", "Cf"} for one in shown for char in one)
    looks = {unicodedata.normalize("NFC", one).replace("\u00a0", " ").replace("\u202f", " ") for one in shown}
    assert len(looks) >= len(set(names)), "they differ for the eye"


@given(st.lists(st.text("abcXYZ äé卡", max_size=5), max_size=5))
def test_names_that_the_eye_tells_apart_stay_as_they_are(names: list[str]) -> None:
    names = [unicodedata.normalize("NFC", name) for name in names]
    assert told_apart(names) == names


class TestInErrors:
    def test_candidates_are_told_apart_and_each_works(self, tmp_path: pathlib.Path) -> None:
        m = Memory(write(tmp_path, {"a/x\u200b.md": "one", "b/x\u200b.md": "two"}))
        with pytest.raises(AmbiguousName) as told:
            m.read("x\u200b")
        listed = str(told.value).partition("give one of: ")[2].removesuffix(".").split(", ")
        assert listed == [r'a/x ("a/x\u200b")', r'b/x ("b/x\u200b")']
        assert [m.read(exact(one)).text for one in listed] == ["one", "two"]

    def test_the_nearest_name_is_told_from_the_one_that_was_given(self, tmp_path: pathlib.Path) -> None:
        m = Memory(write(tmp_path, {"hint\u200e.md": "entry"}))
        with pytest.raises(UnknownNote) as told:
            m.read("hint")
        assert r'Nearest names: hint ("hint\u200e").' in str(told.value)
        assert m.read("hint\u200e").text == "entry"

    def test_notes_that_differ_in_a_no_break_space_alone_are_both_reached(self, tmp_path: pathlib.Path) -> None:
        files = {"a b.md": "plain", "a\u00a0b.md": "no-break"}
        m = Memory(write(tmp_path, files))
        listed = TOOLS["get_hints"].call(m, {"count": 5}).texts[0].splitlines()
        names = [exact(line.partition(" (weight")[0]) for line in listed]
        assert {name: m.read(name).text for name in names} == {"a b": "plain", "a\u00a0b": "no-break"}
        assert Memory(str(tmp_path)).read("a\u00a0b").text == "no-break", "before the index is built"
        assert m.write("a\u00a0b", "new").outcome == "replaced"
        assert m.rename("a b", "a\u00a0b", merge=True).outcome == "merged"
        assert m.delete("a\u00a0b").trash == ".trash/a\u00a0b.md"


class TestInFindings:
    def test_twins_in_two_forms_of_an_accent(self, tmp_path: pathlib.Path) -> None:
        m = Memory(write(tmp_path, {f"{NFC}.md": "", f"{NFD}.md": ""}))
        (finding,) = m.check()
        assert (finding.kind, finding.note) == ("unreadable", f"{NFD}.md")
        assert r'spelled "Cafe\u0301.md"' in finding.detail
        assert r'spelled "Caf\u00e9.md"' in finding.detail

    def test_twins_in_blanks(self, tmp_path: pathlib.Path) -> None:
        m = Memory(write(tmp_path, {"a b.md": "", "a\u00a0b.md": ""}))
        assert [(one.kind, one.note, one.detail) for one in m.check()] == [
            ("twin", "a b", 'differs only in case or Unicode form from a\u00a0b ("a\\u00a0b")')
        ]

    def test_marks_of_direction_and_of_no_width(self, tmp_path: pathlib.Path) -> None:
        chars = "\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
        names = [f"{ord(char):04x} {name}" for char in chars for name in (f"in{char}voice", f"fol{char}der")]
        m = Memory(write(tmp_path, {f"{name}/a.md" if "der" in name else f"{name}.md": "" for name in names}))
        assert sorted((one.kind, one.note) for one in m.check()) == sorted(("name", name) for name in names)
        done = subprocess.run(
            [sys.executable, "-m", "zkmem", "check", "-C", str(tmp_path)],
            capture_output=True, text=True, check=False, env={**os.environ, "PYTHONIOENCODING": "utf-8"}, timeout=60,
        )  # fmt: skip
        for code in (f"{ord(char):04x}" for char in chars):
            shown = f'{code} invoice ("{code} in\\u{code}voice")'
            assert f"name: {shown}: it holds the invisible character U+{code.upper()}" in done.stdout
        assert not set(chars) & set(done.stdout)

    def test_ambiguous_links(self, tmp_path: pathlib.Path) -> None:
        m = Memory(write(tmp_path, {"x/n\u200b.md": "", "y/n\u200b.md": "", "s.md": "[[n\u200b]]"}))
        (detail,) = (one.detail for one in m.check() if one.kind == "ambiguous")
        assert detail.endswith(r'means x/n ("x/n\u200b"), not y/n ("y/n\u200b")')


class TestNumbers:
    @pytest.mark.parametrize(("number", "shown"), [(0, "0 notes"), (1, "1 note"), (2, "2 notes")])
    def test_one_is_not_told_as_several(self, number: int, shown: str) -> None:
        assert number_of(number, "note") == shown
        assert number_of(number, "summary", "summaries") == f"{number} summar{'y' if number == 1 else 'ies'}"

    def test_in_answers_and_errors(self, tmp_path: pathlib.Path) -> None:
        m = Memory(write(tmp_path, {"a.md": "[[b]] tea tea", "b.md": "x"}))
        assert TOOLS["get_hints"].call(m, {}).texts == (
            "b (weight 1, 0 links, 1 backlink)\na (weight 1, 1 link, 0 backlinks)",
        )
        assert TOOLS["get_suggestions"].call(m, {"threshold": 9}).texts[0].splitlines()[-1].endswith(", 1 character)")
        with pytest.raises(NoPassage, match="2 times in 'a', at line 1; quote more of it"):
            m.write("a", "coffee", old="tea")

    def test_in_what_commands_tell(self, tmp_path: pathlib.Path) -> None:
        place = CheckedVault.of(write(tmp_path, {"a.md": ""}))
        assert CHECKS["vault"](place).endswith(": 1 note in 1 folder")
        assert CHECKS["watcher"](place).startswith("1 folder (")
