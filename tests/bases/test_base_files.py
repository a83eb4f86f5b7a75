"""Bases as people keep them: each view of twelve `.base` files runs as it is, and shows what Obsidian would."""

from collections.abc import Iterator

import pytest

from tests.tools.vaults import write
from zkmem.memory import Memory

NOTES = {
    "Books/Dune.md": '---\ntags: [book]\nauthor: "[[Herbert]]"\nyear: 1965\nrating: 5\n---\n![[dune.png]]\n',
    "Books/Emma.md": '---\ntags: [book/classic]\nauthor: "[[Austen]]"\nyear: 1815\nrating: 3\n---\n',
    "Books/Ulysses.md": "---\ntags: [book/classic]\nauthor: Joyce\nyear: 1922\n---\nSee [[Emma]].\n",
    "Templates/Book.md": "---\ntags: [book]\nauthor:\nyear:\n---\n",
    "People/Herbert.md": "---\ntags: person\nborn: 1920-10-08\nmail: frank@example.org\n---\n",
    "People/Austen.md": "---\ntags: person\nborn: 1775-12-16\n---\nShe knew [[Herbert]] not.\n",
    "Projects/Roof.md": '---\nstatus: open\ndue: 2026-12-01\ncost: 1200\nteam: ["[[Austen]]", "[[Herbert]]"]\n---\n',
    "Projects/Garden.md": "---\nstatus: done\ndue: 2026-05-01\ncost: 300\nteam: []\n---\n",
    "Projects/Cellar.md": "---\nstatus: open\ndue: 2026-11-27\ncost: 450.5\nmy priority: high\n---\n",
    "Food/Omelette.md": "---\ningredients: [egg, milk]\nminutes: 10\nvegan: false\n---\n",
    "Food/Hummus.md": "---\ningredients: [chickpeas, tahini]\nminutes: 15\nvegan: true\n---\n",
    "Food/Stew.md": "---\ningredients: [beans]\nminutes: 90\nvegan: true\n---\n",
    "Daily/2026-11-23.md": "---\nmood: 4\n---\n#gym Wrote to [[Herbert]].\n",
    "Daily/2026-11-24.md": "---\nmood: 2\n---\nRain.\n",
    "Trips/Rome.md": '---\ncategories: ["[[Trips]]"]\nstart: 2026-04-03\nend: 2026-04-10\nprice: 800\n---\n',
    "Trips/Oslo.md": '---\ncategories: ["[[Trips]]"]\nstart: 2026-08-01\nend: 2026-08-04\nprice: 450\n---\n',
    "Trips.md": "",
}

BASES = {
    "books": """
filters:
  and:
    - file.hasTag("book")
    - '!file.inFolder("Templates")'
formulas:
  stars: 'if(rating, "★".repeat(rating))'
  age: 'if(year < 1900, "old", "new")'
properties:
  note.author: {displayName: Written by}
  formula.stars: {displayName: Stars}
views:
  - type: table
    name: All
    order: [file.name, author, formula.stars, formula.age]
    sort: [{property: rating, direction: DESC}]
    summaries: {file.name: Filled, rating: Average}
    columnSize: {note.author: 120}
  - type: cards
    name: Classics
    filters: 'file.hasTag("book/classic")'
    order: [year]
    image: note.cover
    cardSize: 200
""",
    "backlinks": """
filters: file.hasLink(this.file)
views: [{type: list, name: Backlinks, order: [file.name, file.folder]}]
""",
    "projects": """
formulas:
  days: (due - date("2026-11-25")).days.round()
  late: 'formula.days < 0 && status != "done"'
views:
  - name: By status
    filters: {and: [file.inFolder("Projects")]}
    groupBy: {property: status, direction: DESC}
    order: [file.name, due, formula.days, my priority]
    sort: [{property: due, direction: ASC}]
  - name: Soon
    filters:
      and: [status == "open", due <= date("2026-11-25") + "3 days"]
    order: [cost]
    summaries: {cost: Sum}
""",
    "people": """
filters: {and: ['tags.contains("person")']}
formulas:
  century: (born.year / 100).floor() + 1
  contact: if(mail, link("mailto:" + mail, "write"), "none")
views: [{name: People, order: [file.basename, formula.century, formula.contact]}]
""",
    "daily": """
filters: {or: [file.folder == "Daily"]}
formulas: {day: 'date(file.basename).format("ddd D MMM")'}
views:
  - {name: Latest, limit: 1, order: [formula.day, mood], sort: [{property: file.name, direction: DESC}]}
  - {name: Gym, filters: 'file.tags.contains("#gym")', order: [mood]}
""",
    "food": """
filters:
  and:
    - file.inFolder("Food")
    - not: ['ingredients.containsAny("egg", "milk")', minutes > 60]
views: [{name: Quick, order: ['ingredients.join(" + ")', vegan]}]
""",
    "team": """
filters: {and: [team.contains(this)]}
views: [{name: Projects, order: [team.length, 'team.map(value.asFile().basename).sort()']}]
""",
    "loose": """
filters: {and: [file.backlinks.length == 0, file.links.isEmpty(), file.ext == "md", '!file.inFolder("Templates")']}
views: [{name: Loose, order: [], sort: [file.path]}]
""",
    "pictures": """
filters: '!file.embeds.isEmpty()'
views: [{name: With pictures, order: [file.embeds]}]
""",
    "trips": """
filters: categories.contains(link("Trips"))
formulas:
  nights: (end - start).days
  per_night: (price / formula.nights).toFixed(2)
summaries:
  spread: (values.reduce(if(acc > value, acc, value), 0) / values.mean()).round(1)
views:
  - type: map
    name: Trips
    order: [start, formula.nights, formula.per_night]
    sort: [{property: start, direction: ASC}]
    summaries: {price: spread, formula.nights: Sum, note.start: Earliest}
""",
    "recent": """
filters: {and: [file.mtime > now() - "1 week", file.ctime <= now(), file.size > 0]}
views: [{name: Recent, limit: 3, sort: [{property: file.name, direction: ASC}]}]
""",
    "nothing": "",
}

VIEWS = [
    ("books", "All", "", [("Dune", "[[Herbert]]", "★★★★★", "new"), ("Emma", "[[Austen]]", "★★★", "old"),
                          ("Ulysses", "Joyce", "", "new")], ["Filled 3", "Average 4"]),
    ("books", "Classics", "", [("Emma", "1815"), ("Ulysses", "1922")], []),
    ("backlinks", "Backlinks", "Herbert", [("Dune", "Books"), ("2026-11-23", "Daily"), ("Austen", "People"),
                                           ("Roof", "Projects")], []),
    ("projects", "By status", "", [("Cellar", "2026-11-27", "2", "high"), ("Roof", "2026-12-01", "6", ""),
                                   ("Garden", "2026-05-01", "-208", "")], []),
    ("projects", "Soon", "", [("Cellar", "450.5")], ["Sum 450.5"]),
    ("people", "People", "", [("Austen", "18", "none"), ("Herbert", "20", "[write](mailto:frank@example.org)")], []),
    ("daily", "Latest", "", [("2026-11-24", "Tue 24 Nov", "2")], []),
    ("daily", "Gym", "", [("2026-11-23", "4")], []),
    ("food", "Quick", "", [("Hummus", "chickpeas + tahini", "true")], []),
    ("team", "Projects", "Austen", [("Roof", "2", "Austen, Herbert")], []),
    ("loose", "Loose", "", [("2026-11-24",), ("Hummus",), ("Omelette",), ("Stew",), ("Cellar",), ("Garden",)], []),
    ("pictures", "With pictures", "", [("Dune", "[[dune.png]]")], []),
    ("trips", "Trips", "", [("Rome", "2026-04-03", "7", "114.29"), ("Oslo", "2026-08-01", "3", "150.00")],
     ["spread 1.3", "Sum 10", "Earliest 2026-04-03"]),
    ("recent", "Recent", "", [("2026-11-23",), ("2026-11-24",), ("Austen",)], []),
    ("nothing", None, "", None, []),
]  # fmt: skip


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    files = NOTES | {"Books/dune.png": b"\x89PNG"} | {f"views/{name}.base": text for name, text in BASES.items()}
    memory = Memory(write(tmp_path_factory.mktemp("vault"), files))
    yield memory
    memory.close()


@pytest.mark.parametrize(("base", "view", "this", "rows", "summaries"), VIEWS)
def test_the_view_of_a_base(
    memory: Memory, base: str, view: str | None, this: str, rows: list[tuple[str, ...]] | None, summaries: list[str]
) -> None:
    table = memory.query(base=base, view=view, this=this)
    shown = [(row.path.rpartition("/")[2].removesuffix(".md"), *row.cells) for row in table.rows]
    assert shown == rows or (rows is None and len(shown) == len(NOTES))
    assert [f"{one.name} {one.value}" for one in table.summaries] == summaries
    assert table.remarks == []


def test_all_views_are_tried_and_none_is_broken(memory: Memory) -> None:
    tried = {base for base, *_ in VIEWS}
    assert (tried, [one for one in memory.check() if one.kind == "base"]) == (set(BASES), [])
