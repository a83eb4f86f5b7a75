"""Measure the proposals for links to nothing: `python -m tests.tools.misspelt [VAULT...]`; without VAULT, in made ones.

Every fifth of the notes that have links is left out of a copy of the vault. The links to them are links to nothing for
which no proposal is right, as are those that the vault has already. A link to each other note is misspelt in each way
of `WAYS`; then only this note is right.
"""

import os
import random
import re
import sys
import tempfile
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from tests.tools.vaults import Files, fresh_index, read, write
from zkmem.index.resolve import resolve
from zkmem.memory import Memory
from zkmem.names import base_of, is_note, name_of

_LEFT_OUT = 5
_WORD = re.compile(r"[^\W\d_]{4,}")

Way = Callable[[str, random.Random], str]


def _letter(change: Callable[[str, int, random.Random], str]) -> Way:
    """Return a way that changes one letter inside a word of four letters or more."""

    def way(name: str, rng: random.Random) -> str:
        places = [at for word in _WORD.finditer(name) for at in range(word.start() + 1, word.end() - 1)]
        return change(name, rng.choice(places), rng) if places else name

    return way


def _plural(name: str, _: random.Random) -> str:
    if not _WORD.search(name) or not name[-1].isalpha():
        return name
    return name[:-1] if name.endswith("s") else name + "s"


def _bare(name: str, _: random.Random) -> str:
    return "".join(char for char in unicodedata.normalize("NFD", name) if not unicodedata.combining(char))


WAYS: Mapping[str, Way] = {
    "swapped": _letter(lambda name, at, _: name[:at] + name[at + 1] + name[at] + name[at + 2 :]),
    "lost": _letter(lambda name, at, _: name[:at] + name[at + 1 :]),
    "doubled": _letter(lambda name, at, _: name[: at + 1] + name[at:]),
    "wrong": _letter(lambda name, at, rng: name[:at] + rng.choice("abcdefghiklmnoprstuvwz") + name[at + 1 :]),
    "accent": _bare,
    "plural": _plural,
    "hyphen": lambda name, _: name.replace("-", " ") if "-" in name else name.replace(" ", "-"),
}

_DAYS = [f"2026-{month:02}-{day:02}" for month in (10, 11) for day in range(1, 31) if day % 3]
_PRODUCTS = """iPhone 13|iPhone 14|iPhone 14 Pro|Pixel 7|Pixel 8|Galaxy S23|ThinkPad X1|Version 1.2|Version 1.10
Chapter 3|Chapter 11|OAuth|Auth|Vue|Vuex|React|Redux|Java|JavaScript|PostgreSQL 15|MySQL|SQLite|Kubernetes|Kubeflow
Docker|Terraform|Ansible|Sprint 12|Sprint 21|2026-W40|2026-W41|Q3 planning|Vitamin C|Plan A|Windows 10|Windows Server
Espresso machine|Coffee grinder|Coffee beans|Release checklist|Retrospective|Standing desk|Weekly review|Reading list"""
_PEOPLE = """Anna Hansen|Anne Olsen|Kristina Larsen|Kristine Berg|Jørgen Sørensen|Søren Kierkegaard|Åse Lindström|Maier
Björn Karlsson|Bjørn Carlsen|Lars Larsson|Malmö|Tromsø|Ålesund|Göteborg|Ærø|Smörgåsbord|Fjällräven|Müller|Möller
Meyer|Schmidt|Schmitt|Schröder|Jürgen Groß|Käthe Weiß|Österreich|Straßenbahn|Fußball|Fahrradtour|Übergangsfrist
Größenordnung|Zettelkasten|Gedächtnis|Wörterbuch|Hausarzt|Bücherregal|Kaffeemühle|Steuererklärung 2025|Mietvertrag
Steuererklärung 2026|Sommerhytte|Tyttebær|Rødgrød|Lutefisk|Køkkenhave|Vinterferie|Årsmøte|Strømregning"""
_ELSE = """Anna Jensen|Anne Hansen|Kristina Larsson|Meier|Mayer|Bergen|Berlin|Hausmeister|Steuererklärung 2024|Fahrrad
Tromsdal|Winterferien|Fußbad|Bücherwurm|Mietwagen|Lars Larsen|Schröter|Jürgen Weiß|Ole Olsen|Lindgren"""
_OTHERS = """iPhone 15|iPhone 13 Pro|Pixel 6|Galaxy S24|Version 1.3|Version 2.2|Chapter 4|OAuth 2|Authy|Vuetify|Reactor
Preact|PostgreSQL 16|MariaDB|MySQL 8|Sprint 13|2026-W42|Q4 planning|Vitamin D|Plan B|Windows 11|2026-10-03|2026-11-06
2026-11-30|Coffee machine|Reading lamp|Monthly review|Release notes|React Native|Docker Swarm"""


def _made(names: str, missing: str, more: Iterable[str] = ()) -> Files:
    notes = [*re.split(r"[|\n]", names), *more]
    links = {f"{name}.md": f"[[{notes[at - 1]}]], [[{notes[at - 7]}]]\n" for at, name in enumerate(notes)}
    return {**links, "missing.md": "".join(f"[[{name}]]\n" for name in re.split(r"[|\n]", missing))}


MADE: Mapping[str, Files] = {"products": _made(_PRODUCTS, _OTHERS, _DAYS), "people": _made(_PEOPLE, _ELSE)}
"""Two vaults: days, versions and products; German and Scandinavian names, some of them names of several people."""


class Score(NamedTuple):
    """What was proposed for some links."""

    asked: int
    proposed: int
    right: int

    def __str__(self) -> str:
        return f"{self.asked:5} links, {self.proposed:5} proposals, {self.right:5} right"


class Measured(NamedTuple):
    """The scores of one vault, and the proposals that are wrong."""

    scores: dict[str, Score]  # by way; `nothing` for the links for which none is right
    wrong: list[tuple[str, str]]

    @property
    def recall(self) -> float:
        """The share of the misspelt links that got the right proposal."""
        return self.misspelt.right / max(1, self.misspelt.asked)

    @property
    def precision(self) -> float:
        """The share of the proposals that are right, if as many links are misspelt as lead to nothing."""
        misspelt, nothing = self.misspelt, self.scores["nothing"]
        proposed = misspelt.proposed / max(1, misspelt.asked) + nothing.proposed / max(1, nothing.asked)
        return self.recall / proposed if proposed else 1.0

    @property
    def misspelt(self) -> Score:
        """The score of all misspelt links."""
        return Score(*map(sum, zip(*(self.scores[way] for way in WAYS), strict=True)))


def measure(files: Files) -> Measured:
    """Measure the proposals of `zkmem check` for one vault, in which every note is left out once."""
    folds = [_fold(files, first) for first in range(_LEFT_OUT)]
    scores = {way: Score(*map(sum, zip(*(one.scores[way] for one in folds), strict=True))) for way in folds[0].scores}
    return Measured(scores, sorted({wrong for one in folds for wrong in one.wrong}))


def _fold(files: Files, first: int) -> Measured:
    rng = random.Random(first)
    with tempfile.TemporaryDirectory() as root:
        catalog = fresh_index(write(root, files)).catalog
        meant: dict[str, str] = {}  # one target, as written, for each note; "" for links to nothing
        nothing = set[str]()
        for source in sorted(catalog.notes()):
            for target in catalog.facts(source).targets:
                path = resolve(catalog, target, source).path
                if path is None:
                    nothing.add(target)
                elif is_note(path) and path != source and not target.startswith("."):
                    meant.setdefault(path, target)
        left_out = dict(sorted(meant.items())[first::_LEFT_OUT])
        for path in left_out:
            os.unlink(os.path.join(root, path))
        catalog = fresh_index(root).catalog
        asked = dict.fromkeys(sorted(nothing | {*left_out.values()}), ("nothing", ""))
        for path, target in sorted(meant.items()):
            for way, change in WAYS.items() if path not in left_out else ():
                folder, base = target[: -len(base_of(target))], name_of(base_of(target))
                asked.setdefault(folder + change(base, rng), (way, name_of(path)))
        asked = {target: why for target, why in asked.items() if resolve(catalog, target, "").path is None}
        return _scored(root, asked)


def _scored(root: str, asked: Mapping[str, tuple[str, str]]) -> Measured:
    write(root, {"!asked.md": "".join(f"[[{one}]]\n" for one in asked)})
    with Memory(root, durable=False) as memory:
        found = [one for one in memory.check() if one.note == "!asked" and one.kind == "missing" and one.choices]
    proposed = {one.target: one.choices[0] for one in found}
    scores = {}
    for way in ("nothing", *WAYS):
        mine = [target for target in asked if asked[target][0] == way]
        right = [target for target in mine if proposed.get(target) == asked[target][1]]
        scores[way] = Score(len(mine), sum(target in proposed for target in mine), len(right))
    return Measured(scores, [(target, to) for target, to in proposed.items() if to != asked[target][1]])


def _main(vaults: list[str]) -> None:
    for name, files in {root: read(root) for root in vaults}.items() if vaults else MADE.items():
        measured = measure(files)
        print(f"{name}: precision {measured.precision:.0%}, recall {measured.recall:.0%}")
        for way, score in {**measured.scores, "misspelt": measured.misspelt}.items():
            print(f"  {way:8} {score}")
        print("  wrong: " + (", ".join(f"{target} -> {to}" for target, to in measured.wrong) or "none"))


if __name__ == "__main__":
    _main(sys.argv[1:])
