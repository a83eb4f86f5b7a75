"""The name that a text misspells, and those that are only near it: what is proposed for a link to nothing."""

import itertools
import pathlib
import random
import string

import pytest

from tests.tools.language_client import LanguageClient
from tests.tools.misspelt import MADE, WAYS, measure
from tests.tools.vaults import fresh_index, write
from zkmem.errors import UnknownNote
from zkmem.index.check import Properties, check
from zkmem.memory import Memory
from zkmem.util.likeness import Likeness, nearby

NAMES = [
    "2026-11-21", "iPhone 14", "Version 1.2", "Chapter 11", "Auth", "Library", "coffee brewing methods",
    "Water- Quality", "Notebook", "C", "Jürgen Sørensen", "Louis XVI", "会议记录", "Plan A", "Kristina Berg", "iter119",
    "Weekly review", "Tag", "Tags", "—",
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("2026-11-20", None),
        ("2026-11-12", None),
        ("20261121", None),
        ("iPhone 15", None),
        ("iphon 14", None),  # an end of a word
        ("iPhne 14", "iPhone 14"),
        ("Version 1.3", None),
        ("Version 12", None),
        ("Chapter 1 1", None),
        ("OAuth", None),
        ("Authy", None),
        ("Libraries", "Library"),
        ("Librray", "Library"),
        ("Liibrary", "Library"),
        ("Libary", "Library"),
        ("Librery", "Library"),
        ("ilbrary", "Library"),
        ("Binary", None),
        ("Coffee-Brewing_Method", "coffee brewing methods"),
        ("water quality", "Water- Quality"),
        ("note book", "Notebook"),
        ("C++", None),
        ("Jurgen Sørensen", "Jürgen Sørensen"),
        ("Louis XIV", None),
        ("会议纪录", None),
        ("Plan B", None),
        ("Kristine Berg", None),
        ("iter119b", None),
        ("Monthly review", None),
        ("TAGS", "Tags"),
        ("Tagss", "Tags"),
        ("T-a-g", "Tag"),
        ("", None),
        ("...", None),
    ],
)
def test_the_name_that_a_text_misspells(text: str, meant: str | None) -> None:
    assert Likeness(NAMES).meant(text) == meant


NUMBERS = """
one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty sixty seventy eighty ninety
eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig
un deux trois quatre cinq sept huit neuf dix onze douze vingt trente quarante cinquante soixante septante nonante
uno dos tres cuatro cinco seis siete ocho nueve diez veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa
uno due tre quattro cinque sei sette otto nove dieci venti trenta quaranta cinquanta sessanta settanta ottanta novanta
um dois três quatro cinco seis sete oito nove dez vinte trinta quarenta cinquenta sessenta setenta oitenta noventa
primero segundo tercero cuarto quinto sexto séptimo octavo noveno décimo
"""


def test_no_number_word_of_a_language_misspells_another() -> None:
    english, german, french, spanish, italian, portuguese, ordinals = map(str.split, NUMBERS.strip().split("\n"))
    for words in (english, german, french, [*spanish, *ordinals], italian, portuguese):
        for word in words:
            assert Likeness([f"Chapter {one}" for one in words if one != word]).meant(f"Chapter {word}") is None


def test_of_two_names_that_could_be_meant_none_is_proposed() -> None:
    assert Likeness(["Hansson", "Henson", "Coffee-Bar", "coffee bar"]).meant("coffeebar") is None
    assert Likeness(["Larsson", "Lawsson"]).meant("Lasson") is None


def test_of_very_many_names_that_are_near_none_is_proposed() -> None:
    names = [
        f"Conversation with anna{one}{other}" for one in string.ascii_lowercase for other in string.ascii_lowercase
    ]
    assert Likeness(names[:100]).meant("Conversation with annaabc") is None
    assert Likeness(names[:100]).meant("Convesration with annaab") == "Conversation with annaab"
    assert Likeness(names[:100]).meant("Conversation with ananab") == "Conversation with annaab"
    assert Likeness(names).meant("Conversation with ananab") is None


@pytest.mark.parametrize("way", WAYS)
def test_the_name_that_a_text_misspells_is_always_near_it(way: str) -> None:
    names = [*NAMES, *(path.removesuffix(".md") for files in MADE.values() for path in files)]
    texts = [WAYS[way](name, random.Random(seed)) for name in names for seed in range(5)]
    known = Likeness(names)
    found = {text: name for text in texts if (name := known.meant(text))}
    assert len(found) > 30
    assert {text: name for text, name in found.items() if name not in nearby(text, names)} == {}


def test_few_names_are_near_a_text() -> None:
    assert list(nearby("Librray", NAMES)) == ["Library"]
    assert list(nearby("Families", ["Family", "Familys", "Families", "Formula"])) == ["Family", "Familys", "Families"]


@pytest.mark.parametrize("vault", MADE)
def test_nine_of_ten_proposals_are_right(vault: str) -> None:
    measured = measure(MADE[vault])
    assert measured.precision >= 0.9, measured.wrong
    assert measured.recall >= 0.85
    assert measured.scores["nothing"].asked > 100


def test_another_day_version_or_chapter_is_proposed_nowhere(tmp_path: pathlib.Path) -> None:
    missing = ["2026-11-20", "iPhone 15", "Version 1.3", "Chapter 1", "OAuth"]
    names = ["2026-11-21", "iPhone 14", "Version 1.2", "Chapter 12", "Auth"]
    links = "".join(f"[[{one}]]\n" for one in missing)
    root = pathlib.Path(write(tmp_path / "v", {**{f"{name}.md": "# 2026-11-21\n" for name in names}, "l.md": links}))
    with Memory(str(root), durable=False) as memory:
        found = {one.target: (one.detail, one.choices) for one in memory.check() if one.kind == "missing"}
        assert found == {name: (f"[[{name}]]", ()) for name in missing}
        for name in missing[:4]:
            with pytest.raises(UnknownNote) as refused:
                memory.read(name)
            assert refused.value.nearest == []
    with LanguageClient(root) as editor:
        editor.show("l.md", f"{links}[[Auth#2026-11-20]]\n")
        for name in (*missing, "Auth#2026-11-20"):
            assert not [title for title in editor.actions_at("l.md", f"[[{name}") if title.startswith("Link to")]


def test_a_check_pauses_for_other_threads_while_it_looks_up_misspellings(tmp_path: pathlib.Path) -> None:
    targets = [f"{one}{other}eaport" for one, other in itertools.product(string.ascii_lowercase, repeat=2)]
    links = "".join(f"[[{one}]] " for one in targets)
    index, pauses = fresh_index(write(tmp_path, {"Seaport.md": "", "a.md": links, "b.md": links})), []
    found = check(index, Properties(), lambda path: (tmp_path / path).read_bytes(), pause=lambda: pauses.append(1))
    assert len([one for one in found if one.kind == "missing"]) == 2 * len(targets)
    assert len(targets) // 20 < len(pauses) < len(targets)


@pytest.mark.parametrize(
    ("target", "note"),
    [
        ("2024/Meeting", None),  # another year
        ("old/2025/Plann", "2025/Plan"),
        ("drinks/green-tea", "tea/Green Tea"),
        ("Green Tee.md", None),
        ("greentea.md", "tea/Green Tea"),
        ("x/README", None),  # there are two
    ],
)
def test_a_link_with_a_folder_means_a_note_with_its_numbers(
    tmp_path: pathlib.Path, target: str, note: str | None
) -> None:
    files = dict.fromkeys(("2023/Meeting.md", "2025/Plan.md", "tea/Green Tea.md", "a/README.md", "README.md"), "")
    with Memory(write(tmp_path, {**files, "n.md": f"[[{target}]]"}), durable=False) as memory:
        (finding,) = [one for one in memory.check() if one.kind == "missing"]
        assert finding.choices == ((note,) if note else ())
