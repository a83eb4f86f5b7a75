"""The scenarios of `sync_scenarios.py`: what two machines have in common, what each does, and what is right then."""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from tests.sync.edits import (
    Edit,
    add,
    append,
    delete,
    extract,
    git_commit,
    git_move,
    move,
    put,
    remove,
    rename,
    replace,
    set_note,
    swap,
)


class Expected(NamedTuple):
    """What is right in the end. Paths of files may be patterns, for names that depend on a commit."""

    files: Collection[str]  # these, and no other
    links: Mapping[str, Sequence[str]] = {}  # file -> where all its links lead, in any order, with `#part`
    texts: Mapping[str, Sequence[str]] = {}  # file -> passages that it has once
    lacks: Mapping[str, Sequence[str]] = {}  # file -> passages that it does not have
    properties: Mapping[str, Mapping[str, object]] = {}  # file -> some keys and values of its frontmatter
    conflicts: Collection[str] = ()  # the notes with a callout
    dangling: Collection[str] = ()  # links, as written, that may lead nowhere


class Scenario(NamedTuple):
    """What two machines have in common, and what each of them does."""

    name: str
    base: Mapping[str, str | bytes]
    a: Sequence[Edit]
    b: Sequence[Edit]
    expected: Expected | Sequence[Expected]  # of several, one must hold
    below: str = ""  # the folder of the vault in the repository
    outside: Mapping[str, str] = {}  # files of the repository outside of the vault
    may_be_doubled: Collection[str] = ()  # lines that may stand twice


TEA = """\
# Tea

Tea is a drink.
It is made of leaves.

## Brewing

Pour hot water.
Wait three minutes.

## History

It came from China.
"""
BASE: Mapping[str, str | bytes] = {
    "Tea.md": TEA,
    "Kettle.md": "# Kettle\n\nA kettle boils water for [[Tea]].\n\nIt may be of steel.\n",
    "Cup.md": "# Cup\n\nDrink [[Tea|hot tea]] from it.\n",
}
RENAMED = ("Green tea.md", "Kettle.md", "Cup.md")
TWO = {
    "Oolong.md": "# Oolong\n\nOolong is half green.\nIt is rolled.\n",
    "Black.md": "# Black\n\nBlack tea is strong.\nIt is dried.\n",
    "List.md": "# List\n\n- [[Oolong]]\n- [[Black]]\n",
}
CODE = "# Code\n\n```\none\ntwo\nthree\n```\n\nBelow the code.\n"
TABLE = "# Prices\n\n| tea | price |\n|---|---|\n| green | 3 |\n| black | 4 |\n\nBelow the table.\n"
CALLOUT = "> [!conflict] Also written on phone, 2026-11-22 10:14\n> It is made of buds.\n\n"
TEA_WITH_CALLOUT = TEA.replace("made of leaves.\n\n", "made of leaves.\n\n" + CALLOUT)
PROPERTIES = "---\ntitle: Tea\nrating: 3\ntags: [drink, hot]\n---\n# Tea\n\nTea is a drink.\n"
PICTURE, ANOTHER, THIRD = (b"\x89PNG\r\n\x1a\n\0" + bytes([number]) * 400 for number in (1, 2, 3))


def _lines(count: int, text: str) -> dict[str, str | bytes]:
    return {f"Note {number:02}.md": text.format(number=number) for number in range(count)}


def _canvas(*nodes: Mapping[str, object]) -> str:
    return json.dumps({"nodes": list(nodes), "edges": []}, indent="\t")


def _node(name: str, **more: object) -> dict[str, object]:
    return {"id": name, "x": 0, "y": 0, "width": 100, "height": 50, **more}


_TEA_NODE = _node("1", type="file", file="Tea.md")
_TEXT_NODE = _node("2", type="text", text="Boil water, see [[Kettle]].")

RENAMES = (
    Scenario(
        "rename; edit",
        BASE,
        [rename("Tea", "Green tea")],
        [swap("Tea.md", ("three minutes", "four minutes"))],
        Expected(
            RENAMED,
            {"Kettle.md": ["Green tea.md"], "Cup.md": ["Green tea.md"]},
            {"Green tea.md": ["Wait four minutes."]},
        ),
    ),
    Scenario(
        "rename; new links",
        BASE,
        [rename("Tea", "Green tea")],
        [
            add("Kettle.md", "\nAlso for more [[Tea]].\n"),
            set_note("Pot", "# Pot\n\nFor [[Tea#Brewing]] and [it](Tea.md).\n"),
        ],
        Expected(
            (*RENAMED, "Pot.md"),
            {
                "Kettle.md": ["Green tea.md", "Green tea.md"],
                "Cup.md": ["Green tea.md"],
                "Pot.md": ["Green tea.md#Brewing", "Green tea.md"],
            },
            {"Cup.md": ["|hot tea]]"]},
        ),
    ),
    Scenario(
        "rename that rewrites 50 notes; edits of the same lines",
        {"Tea.md": TEA, **_lines(50, "# Note {number}\n\nSee [[Tea]] often, case {number}.\n")},
        [rename("Tea", "Green tea")],
        [swap(f"Note {number:02}.md", ("often", "very often")) for number in range(50)],
        Expected(
            ("Green tea.md", "Note *.md"),
            {f"Note {number:02}.md": ["Green tea.md"] for number in range(50)},
            {f"Note {number:02}.md": [f"very often, case {number}."] for number in range(50)},
        ),
    ),
    Scenario(
        "one-line note renamed and rewritten; edit",
        {"Idea.md": "Buy tea.\n", "List.md": "- [[Idea]]\n"},
        [rename("Idea", "Plan"), set_note("Plan", "Go to the shop in town before noon.\n")],
        [add("Idea.md", "Also milk.\n"), add("List.md", "- again [[Idea]]\n")],
        Expected(
            ("Plan.md", "List.md"), {"List.md": ["Plan.md", "Plan.md"]}, {"Plan.md": ["Go to the shop", "Also milk."]}
        ),
    ),
    Scenario(
        "folder renamed by tools; new note in it",
        {"drinks/Tea.md": TEA, "drinks/Mate.md": "# Mate\n\nLike [[Tea]].\n", "n.md": "[[drinks/Tea]]\n"},
        [rename("drinks/Tea", "beverages/Tea"), rename("drinks/Mate", "beverages/Mate")],
        [set_note("drinks/Cocoa", "# Cocoa\n\nUnlike [[drinks/Tea]] and [mate](Mate.md).\n")],
        Expected(
            ("beverages/Tea.md", "beverages/Mate.md", "beverages/Cocoa.md", "n.md"),
            {
                "beverages/Cocoa.md": ["beverages/Tea.md", "beverages/Mate.md"],
                "n.md": ["beverages/Tea.md"],
                "beverages/Mate.md": ["beverages/Tea.md"],
            },
        ),
    ),
    Scenario(
        "folder renamed by hand; new note in it",
        {"drinks/Tea.md": TEA, "drinks/Mate.md": "# Mate\n\nLike [[Tea]].\n", "n.md": "[[drinks/Tea]]\n"},
        [move("drinks", "beverages")],
        [put("drinks/Cocoa.md", "# Cocoa\n\nUnlike [[drinks/Tea]] and [mate](Mate.md).\n")],
        Expected(
            ("beverages/Tea.md", "beverages/Mate.md", "beverages/Cocoa.md", "n.md"),
            {"beverages/Cocoa.md": ["beverages/Tea.md", "beverages/Mate.md"], "n.md": ["beverages/Tea.md"]},
        ),
    ),
    Scenario(
        "folder moved into another; new note with a name in use there",
        {"a/Tea.md": TEA, "b/Mate.md": "# Mate\n\nA drink of the south.\n"},
        [move("a/Tea.md", "b/Tea.md")],
        [put("a/Mate.md", "# Mate\n\nA friend.\n")],
        Expected(
            ("b/Tea.md", "b/Mate.md", "a/Mate.md"),
            texts={"b/Mate.md": ["A drink of the south."], "a/Mate.md": ["A friend."]},
        ),
    ),
    Scenario(
        "both rename one note differently",
        BASE,
        [rename("Tea", "Green tea"), append("Cup", "\nOr [[Green tea]] again.\n")],
        [rename("Tea", "Hot tea"), append("Kettle", "\nAnd [[Hot tea]] again.\n")],
        [
            Expected(
                (name + ".md", "Kettle.md", "Cup.md"),
                {"Kettle.md": [name + ".md"] * 2, "Cup.md": [name + ".md"] * 2},
                properties={name + ".md": {"aliases": [other]}},
            )
            for name, other in (("Hot tea", "Green tea"), ("Green tea", "Hot tea"))
        ],
    ),
    Scenario(
        "both rename one note alike",
        BASE,
        [rename("Tea", "Green tea"), append("Cup", "\nOr [[Green tea]] again.\n")],
        [rename("Tea", "Green tea"), append("Kettle", "\nAnd [[Green tea]] again.\n")],
        Expected(RENAMED, {"Kettle.md": ["Green tea.md"] * 2, "Cup.md": ["Green tea.md"] * 2}),
    ),
    Scenario(
        "two notes renamed to one name",
        TWO,
        [rename("Oolong", "Best")],
        [rename("Black", "Best"), put("New.md", "See [[Oolong]] and [[Best]].\n")],
        Expected(("Best.md", "List.md", "New.md"), {"List.md": ["Best.md"] * 2, "New.md": ["Best.md"] * 2}),
    ),
    Scenario(
        "rename onto a name that the other created",
        TWO,
        [rename("Oolong", "Best")],
        [set_note("Best", "# Best\n\nThe best is yet to come, see [[Oolong]].\n"), append("List", "- [[Best]]\n")],
        Expected(
            ("Best.md", "Black.md", "List.md"), {"List.md": ["Best.md", "Black.md", "Best.md"], "Best.md": ["Best.md"]}
        ),
    ),
    Scenario(
        "renamed thrice; edit",
        BASE,
        [rename("Tea", "Green tea"), rename("Green tea", "Sencha"), rename("Sencha", "Gyokuro")],
        [swap("Tea.md", ("three minutes", "four minutes")), add("Cup.md", "\nNot [[Tea#History]].\n")],
        Expected(
            ("Gyokuro.md", "Kettle.md", "Cup.md"),
            {"Kettle.md": ["Gyokuro.md"], "Cup.md": ["Gyokuro.md", "Gyokuro.md#History"]},
            {"Gyokuro.md": ["Wait four minutes."]},
        ),
    ),
    Scenario(
        "renamed, and another note gets the old name; edit and link",
        BASE,
        [rename("Tea", "Green tea"), set_note("Tea", "# Tea\n\nA word of many meanings, such as [[Green tea]].\n")],
        [swap("Tea.md", ("three minutes", "four minutes")), add("Cup.md", "\nNot [[Tea#History]].\n")],
        Expected(
            ("Tea.md", "Green tea.md", "Kettle.md", "Cup.md"),
            {"Kettle.md": ["Green tea.md"], "Cup.md": ["Green tea.md", "Green tea.md#History"]},
            {"Green tea.md": ["Wait four minutes."], "Tea.md": ["A word of many meanings"]},
        ),
    ),
    Scenario(
        "two notes swap their names; edits of both",
        TWO,
        [rename("Oolong", "Third"), rename("Black", "Oolong"), rename("Third", "Black")],
        [
            swap("Oolong.md", ("rolled", "rolled up")),
            swap("Black.md", ("dried", "dried out")),
            put("New.md", "Half green is [[Oolong]].\n"),
        ],
        Expected(
            ("Oolong.md", "Black.md", "List.md", "New.md"),
            {"New.md": ["Black.md"], "List.md": ["Black.md", "Oolong.md"]},
            {"Black.md": ["half green", "rolled up"], "Oolong.md": ["strong", "dried out"]},
        ),
    ),
    Scenario(
        "renamed and renamed back; edit and link",
        BASE,
        [rename("Tea", "Green tea"), rename("Green tea", "Tea"), append("Tea", "\nThe end.\n")],
        [swap("Tea.md", ("three minutes", "four minutes")), add("Cup.md", "\nNot [[Tea#History]].\n")],
        Expected(
            BASE,
            {"Kettle.md": ["Tea.md"], "Cup.md": ["Tea.md", "Tea.md#History"]},
            {"Tea.md": ["Wait four minutes.", "The end."]},
        ),
    ),
    Scenario(
        "rename by case only; edit",
        BASE,
        [rename("Tea", "TEA")],
        [swap("Tea.md", ("three minutes", "four minutes")), add("Cup.md", "\nNot [[Tea#History]].\n")],
        Expected(
            ("TEA.md", "Kettle.md", "Cup.md"),
            {"Kettle.md": ["TEA.md"], "Cup.md": ["TEA.md", "TEA.md#History"]},
            {"TEA.md": ["Wait four minutes."]},
        ),
    ),
    Scenario(
        "moved to another folder; relative links in it and to it",
        {**BASE, "n/Deep.md": "# Deep\n\nSee [tea](../Tea.md).\n"},
        [rename("Tea", "drinks/hot/Tea")],
        [
            add("Tea.md", "\nSee [the kettle](Kettle.md) and [[./Cup]].\n"),
            add("n/Deep.md", "\nSee [more](../Tea.md) and [[../Tea#Brewing]].\n"),
        ],
        Expected(
            ("drinks/hot/Tea.md", "Kettle.md", "Cup.md", "n/Deep.md"),
            {
                "drinks/hot/Tea.md": ["Kettle.md", "Cup.md"],
                "n/Deep.md": ["drinks/hot/Tea.md"] * 2 + ["drinks/hot/Tea.md#Brewing"],
            },
            {"drinks/hot/Tea.md": ["(../../Kettle.md)"], "n/Deep.md": ["[more](../drinks/hot/Tea.md)"]},
        ),
    ),
    Scenario(
        "git mv without updating links; new links",
        BASE,
        [git_move("Tea.md", "Green tea.md")],
        [add("Kettle.md", "\nAlso for more [[Tea]].\n"), put("Pot.md", "For [[Tea#Brewing]].\n")],
        Expected(
            (*RENAMED, "Pot.md"),
            {"Kettle.md": ["Green tea.md"] * 2, "Cup.md": ["Green tea.md"], "Pot.md": ["Green tea.md#Brewing"]},
        ),
    ),
    Scenario(
        "git mv without updating links; rename by a tool",
        BASE,
        [git_move("Tea.md", "Green tea.md")],
        [rename("Tea", "Hot tea")],
        [
            Expected((name + ".md", "Kettle.md", "Cup.md"), {"Kettle.md": [name + ".md"], "Cup.md": [name + ".md"]})
            for name in ("Hot tea", "Green tea")
        ],
    ),
    Scenario(
        "git mv of a folder; edits and links by path",
        {"drinks/Tea.md": TEA, "n.md": "[[drinks/Tea]]\n", "drinks/Mate.md": "# Mate\n\nLike [tea](Tea.md).\n"},
        [git_move("drinks", "hot")],
        [swap("drinks/Tea.md", ("three minutes", "four minutes")), add("n.md", "\nAnd [mate](drinks/Mate.md).\n")],
        Expected(
            ("hot/Tea.md", "hot/Mate.md", "n.md"),
            {"n.md": ["hot/Tea.md", "hot/Mate.md"], "hot/Mate.md": ["hot/Tea.md"]},
            {"hot/Tea.md": ["Wait four minutes."]},
        ),
    ),
    Scenario(
        "rename; link in a property added",
        BASE,
        [rename("Tea", "Green tea")],
        [
            put("Pot.md", '---\nup: "[[Tea]]"\n---\n# Pot\n'),
            swap("Cup.md", ("# Cup", '---\nup: "[[Tea]]"\n---\n# Cup')),
        ],
        Expected(
            (*RENAMED, "Pot.md"),
            {"Pot.md": ["Green tea.md"], "Cup.md": ["Green tea.md"] * 2, "Kettle.md": ["Green tea.md"]},
        ),
    ),
    Scenario(
        "both rename a folder differently",
        {"drinks/Tea.md": TEA, "drinks/Mate.md": "# Mate\n\nLike [[Tea]].\n", "n.md": "[[drinks/Tea]]\n"},
        [rename("drinks/Tea", "cold/Tea"), rename("drinks/Mate", "cold/Mate")],
        [rename("drinks/Tea", "hot/Tea"), rename("drinks/Mate", "hot/Mate"), append("n", "\n[[hot/Mate]]\n")],
        [
            Expected(
                (f"{folder}/Tea.md", f"{folder}/Mate.md", "n.md"), {"n.md": [f"{folder}/Tea.md", f"{folder}/Mate.md"]}
            )
            for folder in ("hot", "cold")
        ],
    ),
)

TEXTS = (
    Scenario(
        "both append",
        BASE,
        [add("Cup.md", "\nCups are of clay.\n")],
        [append("Cup", "\nMugs are larger.\n")],
        Expected(BASE, {"Cup.md": ["Tea.md"]}, {"Cup.md": ["Cups are of clay.", "Mugs are larger."]}),
    ),
    Scenario(
        "both add to a list",
        TWO,
        [add("List.md", "- [[Oolong|first]]\n")],
        [add("List.md", "- [[Black|second]]\n")],
        Expected(TWO, {"List.md": ["Oolong.md", "Black.md"] * 2}, {"List.md": ["- [[Black]]\n- [["]}),
    ),
    Scenario(
        "both create the same note",
        BASE,
        [set_note("2026-11-22", "# 2026-11-22\n\nDrank [[Tea]] at home.\n")],
        [put("2026-11-22.md", "# 2026-11-22\n\nLost a [[Cup]] at work.\n")],
        Expected(
            (*BASE, "2026-11-22.md"),
            {"2026-11-22.md": ["Tea.md", "Cup.md"]},
            {"2026-11-22.md": ["# 2026-11-22", "Drank ", "Lost a "]},
        ),
    ),
    Scenario(
        "both create a note with one name in two folders",
        {"p/One.md": "# One\n", "q/Two.md": "# Two\n"},
        [set_note("p/Plan", "# Plan P\n"), append("p/One", "\nSee [[Plan]].\n"), put("r.md", "First: [[Plan]].\n")],
        [
            set_note("q/Plan", "# Plan Q\n"),
            append("q/Two", "\nSee [[Plan]].\n"),
            put("s.md", "The second: [[Plan]].\n"),
        ],
        Expected(
            ("p/One.md", "q/Two.md", "p/Plan.md", "q/Plan.md", "r.md", "s.md"),
            {"p/One.md": ["p/Plan.md"], "q/Two.md": ["q/Plan.md"], "r.md": ["p/Plan.md"], "s.md": ["q/Plan.md"]},
        ),
    ),
    Scenario(
        "new note whose name shadows a link; that link",
        {"plants/shrubs/Tea.md": "# The shrub\n", "n.md": "# n\n\nA [[Tea]].\n", "m.md": "# m\n"},
        [set_note("/Tea", "# The drink\n")],
        [append("m", "\nThe shrub: [[Tea]].\n"), put("new.md", "Also the shrub: [[Tea]].\n")],
        Expected(
            ("plants/shrubs/Tea.md", "Tea.md", "n.md", "m.md", "new.md"),
            {name: ["plants/shrubs/Tea.md"] for name in ("n.md", "m.md", "new.md")},
        ),
    ),
    Scenario(
        "same line changed by both",
        BASE,
        [swap("Tea.md", ("It is made of leaves.", "It is made of green leaves."))],
        [replace("Tea", "It is made of leaves.", "It is made of dried leaves.")],
        Expected(BASE, {}, {"Tea.md": ["of green leaves.", "of dried leaves."]}, conflicts=["Tea.md"]),
    ),
    Scenario(
        "same line changed by both, and its note renamed",
        BASE,
        [swap("Kettle.md", ("A kettle boils", "A pot boils")), rename("Tea", "Green tea")],
        [swap("Kettle.md", ("A kettle boils", "A stove boils"))],
        Expected(
            RENAMED,
            {"Kettle.md": ["Green tea.md"] * 2},
            {"Kettle.md": ["A pot boils", "A stove boils"]},
            conflicts=["Kettle.md"],
        ),
    ),
    Scenario(
        "edits in different places of a note",
        BASE,
        [swap("Tea.md", ("Tea is a drink.", "Tea is a warm drink."))],
        [swap("Tea.md", ("from China.", "from the south of China."))],
        Expected(BASE, {}, {"Tea.md": ["a warm drink.", "the south of China."]}),
    ),
    Scenario(
        "edits of neighbouring lines",
        BASE,
        [swap("Tea.md", ("Tea is a drink.", "Tea is a warm drink."))],
        [swap("Tea.md", ("made of leaves.", "made of dried leaves."))],
        Expected(BASE, {}, {"Tea.md": ["a warm drink.\nIt is made of dried"]}),
    ),
    Scenario(
        "both make the same edit",
        BASE,
        [swap("Tea.md", ("three minutes", "four minutes")), add("Cup.md", "\nThe end.\n")],
        [swap("Tea.md", ("three minutes", "four minutes")), add("Cup.md", "\nThe end.\n")],
        Expected(BASE, {}, {"Tea.md": ["Wait four minutes."], "Cup.md": ["The end."]}),
    ),
    Scenario(
        "lines removed; one of them changed",
        BASE,
        [swap("Tea.md", ("Tea is a drink.\nIt is made of leaves.\n\n", ""))],
        [swap("Tea.md", ("made of leaves.", "made of dried leaves."))],
        Expected(BASE, {}, {"Tea.md": ["made of dried leaves."]}, {"Tea.md": ["Tea is a drink."]}),
    ),
    Scenario(
        "same line in code changed by both",
        {"Code.md": CODE},
        [swap("Code.md", ("two", "two by A"))],
        [swap("Code.md", ("two", "two by B"))],
        Expected(("Code.md",), {}, {"Code.md": ["two by A", "two by B", "three\n```\n"]}, conflicts=["Code.md"]),
    ),
    Scenario(
        "both add rows to a table",
        {"Prices.md": TABLE},
        [swap("Prices.md", ("| black | 4 |\n", "| black | 4 |\n| white | 5 |\n"))],
        [swap("Prices.md", ("| black | 4 |\n", "| black | 4 |\n| mate | 2 |\n"))],
        [
            Expected(("Prices.md",), {}, {"Prices.md": [two]})
            for two in ("| 4 |\n| white | 5 |\n| mate | 2 |\n\n", "| 4 |\n| mate | 2 |\n| white | 5 |\n\n")
        ],
    ),
    Scenario(
        "notes with CRLF: rename and edits",
        {path: text.replace("\n", "\r\n") for path, text in BASE.items() if isinstance(text, str)},
        [rename("Tea", "Green tea"), replace("Green tea", "Tea is a drink.", "Tea is a warm drink.")],
        [put("Tea.md", TEA.replace("three", "four").replace("\n", "\r\n")), add("Cup.md", "\r\nNot [[Tea]].\r\n")],
        Expected(
            RENAMED,
            {"Cup.md": ["Green tea.md"] * 2, "Kettle.md": ["Green tea.md"]},
            {"Green tea.md": ["a warm drink.", "four minutes."]},
        ),
    ),
    Scenario(
        "line ends become CRLF; edit",
        BASE,
        [put("Tea.md", TEA.replace("\n", "\r\n"))],
        [swap("Tea.md", ("three minutes", "four minutes"))],
        Expected(BASE, {}, {"Tea.md": ["four minutes."]}),
    ),
    Scenario(
        "callout resolved; edits elsewhere",
        {**BASE, "Tea.md": TEA_WITH_CALLOUT},
        [swap("Tea.md", (CALLOUT, ""))],
        [swap("Tea.md", ("three minutes", "four minutes"))],
        Expected(BASE, {}, {"Tea.md": ["four minutes."]}, {"Tea.md": ["made of buds."]}),
    ),
    Scenario(
        "a vault below the top of a repository: rename and edit",
        BASE,
        [rename("Tea", "Green tea"), git_commit("../src/main.py", "print(1)\n")],
        [swap("Tea.md", ("three minutes", "four minutes")), add("Cup.md", "\nNot [[Tea]].\n")],
        Expected(
            RENAMED,
            {"Cup.md": ["Green tea.md"] * 2, "Kettle.md": ["Green tea.md"]},
            {"Green tea.md": ["four minutes."]},
        ),
        below="notes",
        outside={".gitignore": ".trash/\n", "README.md": "A program.\n", "src/main.py": "print(0)\n"},
    ),
)

STRUCTURE = (
    Scenario(
        "delete; edit",
        BASE,
        [delete("Cup")],
        [append("Cup", "\nCups are of clay.\n")],
        Expected(BASE, {"Cup.md": ["Tea.md"]}, {"Cup.md": ["Drink [[Tea|hot tea]]", "Cups are of clay."]}),
    ),
    Scenario(
        "delete; mere link rewrite",
        BASE,
        [delete("Cup")],
        [rename("Tea", "Green tea")],
        Expected(("Green tea.md", "Kettle.md"), {"Kettle.md": ["Green tea.md"]}),
    ),
    Scenario(
        "delete; new links",
        BASE,
        [remove("Tea.md")],
        [add("Kettle.md", "\nAlso for more [[Tea]].\n")],
        Expected(("Kettle.md", "Cup.md"), {}, {"Kettle.md": ["Also for more [[Tea]]."]}, dangling=["Tea"]),
    ),
    Scenario(
        "delete; rename and edit",
        BASE,
        [delete("Tea")],
        [rename("Tea", "Green tea"), append("Green tea", "\nIt is green.\n")],
        Expected(RENAMED, {"Kettle.md": ["Green tea.md"], "Cup.md": ["Green tea.md"]}),
    ),
    Scenario(
        "both delete one note",
        BASE,
        [delete("Cup")],
        [remove("Cup.md"), append("Kettle", "\nThe end.\n")],
        Expected(("Tea.md", "Kettle.md"), {"Kettle.md": ["Tea.md"]}),
    ),
    Scenario(
        "merge of a note; edit of it and link to it",
        TWO,
        [rename("Oolong", "Black")],
        [swap("Oolong.md", ("It is rolled.", "It is rolled by hand.")), put("New.md", "See [[Oolong]].\n")],
        Expected(
            ("Black.md", "List.md", "New.md"),
            {"List.md": ["Black.md"] * 2, "New.md": ["Black.md"]},
            {"Black.md": ["rolled by hand."]},
            {"Black.md": ["It is rolled."]},
        ),
    ),
    Scenario(
        "merge of a note; link to a heading of it",
        {**BASE, "Drinks.md": "# Drinks\n\nThere are many.\n"},
        [rename("Tea", "Drinks")],
        [put("New.md", "See [[Tea#Brewing]].\n")],
        Expected(
            ("Drinks.md", "Kettle.md", "Cup.md", "New.md"),
            {"New.md": ["Drinks.md#Brewing"], "Kettle.md": ["Drinks.md"], "Cup.md": ["Drinks.md"]},
        ),
    ),
    Scenario(
        "both merge one note, into different notes",
        {**TWO, "White.md": "# White\n\nWhite tea is mild.\n"},
        [rename("Oolong", "Black")],
        [rename("Oolong", "White"), append("White", "\nThe end.\n")],
        [
            Expected(
                ("Black.md", "White.md", "List.md"),
                {"List.md": [into, "Black.md"]},
                {into: ["It is rolled."], "White.md": ["The end."]},
            )
            for into in ("White.md", "Black.md")
        ],
    ),
    Scenario(
        "both merge one note, into different notes, and edit it there",
        {**TWO, "White.md": "# White\n\nWhite tea is mild.\n"},
        [rename("Oolong", "Black"), replace("Black", "It is rolled.", "It is rolled by hand.")],
        [rename("Oolong", "White"), replace("White", "half green", "half black")],
        [
            Expected(
                ("Black.md", "White.md", "List.md"),
                {"List.md": [into, "Black.md"]},
                {into: ["is half black.\nIt is rolled by hand."]},
                {other: ["rolled"]},
            )
            for into, other in (("White.md", "Black.md"), ("Black.md", "White.md"))
        ],
    ),
    Scenario(
        "both merge one note into the same note",
        TWO,
        [rename("Oolong", "Black")],
        [rename("Oolong", "Black"), append("Black", "\nThe end.\n")],
        Expected(("Black.md", "List.md"), {"List.md": ["Black.md"] * 2}, {"Black.md": ["It is rolled.", "The end."]}),
    ),
    Scenario(
        "merges in opposite directions",
        TWO,
        [rename("Oolong", "Black"), append("Black", "\nThe end by A.\n")],
        [rename("Black", "Oolong"), append("Oolong", "\nThe end by B.\n"), put("New.md", "See [[Oolong]].\n")],
        [
            Expected(
                (name, "List.md", "New.md"),
                {"List.md": [name] * 2, "New.md": [name]},
                {name: ["It is rolled.", "It is dried.", "The end by A.", "The end by B."]},
            )
            for name in ("Oolong.md", "Black.md")
        ],
    ),
    Scenario(
        "merge of a note; rename of it",
        TWO,
        [rename("Oolong", "Black")],
        [rename("Oolong", "Blue"), append("Blue", "\nIt is blue.\n"), put("New.md", "See [[Blue]].\n")],
        Expected(
            ("Black.md", "List.md", "New.md"),
            {"List.md": ["Black.md"] * 2, "New.md": ["Black.md"]},
            {"Black.md": ["It is rolled.", "It is blue."]},
        ),
    ),
    Scenario(
        "merge into a note; rename of that note",
        TWO,
        [rename("Oolong", "Black")],
        [rename("Black", "Strong"), put("New.md", "See [[Strong]] and [[Oolong]].\n")],
        Expected(
            ("Strong.md", "List.md", "New.md"),
            {"List.md": ["Strong.md"] * 2, "New.md": ["Strong.md"] * 2},
            {"Strong.md": ["It is rolled.", "It is dried."]},
        ),
    ),
    Scenario(
        "merge into a note; deletion of that note",
        TWO,
        [rename("Oolong", "Black")],
        [delete("Black")],
        Expected(("Black.md", "List.md"), {"List.md": ["Black.md"] * 2}, {"Black.md": ["It is rolled."]}),
    ),
    Scenario(
        "extract; edit inside of the passage",
        {**BASE, "Tea.md": TEA},
        [extract("Tea", "## Brewing\n\nPour hot water.\nWait three minutes.", "Brewing")],
        [swap("Tea.md", ("three minutes", "four minutes"), ("from China", "from the south of China"))],
        Expected(
            (*BASE, "Brewing.md"),
            {"Tea.md": ["Brewing.md"]},
            {"Brewing.md": ["Wait four minutes."], "Tea.md": ["the south of China."]},
            {"Tea.md": ["minutes"], "Brewing.md": ["three"]},
        ),
    ),
    Scenario(
        "extract; new link to the extracted heading",
        {**BASE, "Tea.md": TEA},
        [extract("Tea", "## Brewing\n\nPour hot water.\nWait three minutes.", "Brewing")],
        [add("Cup.md", "\nFirst [[Tea#Brewing]], then [[Tea#History]].\n")],
        Expected(
            (*BASE, "Brewing.md"),
            {"Cup.md": ["Tea.md", "Brewing.md#Brewing", "Tea.md#History"], "Tea.md": ["Brewing.md"]},
        ),
    ),
    Scenario(
        "extract; rename of the note",
        {**BASE, "Tea.md": TEA},
        [extract("Tea", "## Brewing\n\nPour hot water.\nWait three minutes.", "Brewing")],
        [rename("Tea", "Green tea"), replace("Green tea", "three minutes", "four minutes")],
        Expected(
            (*RENAMED, "Brewing.md"),
            {"Green tea.md": ["Brewing.md"], "Cup.md": ["Green tea.md"], "Kettle.md": ["Green tea.md"]},
            {"Brewing.md": ["Wait four minutes."]},
            {"Green tea.md": ["minutes"]},
        ),
    ),
    Scenario(
        "extract; line added inside of the passage",
        {**BASE, "Tea.md": TEA},
        [extract("Tea", "## Brewing\n\nPour hot water.\nWait three minutes.", "Brewing")],
        [swap("Tea.md", ("Pour hot water.\n", "Pour hot water.\nStir it once.\n"))],
        Expected(
            (*BASE, "Brewing.md"),
            {"Tea.md": ["Brewing.md"]},
            {"Brewing.md": ["Pour hot water.\nStir it once.\nWait three minutes."]},
            {"Tea.md": ["minutes", "Stir"]},
        ),
    ),
    Scenario(
        "extract to an existing note; edit of both",
        {**BASE, "Brewing.md": "# How to brew\n\nWith care.\n"},
        [extract("Tea", "Pour hot water.\nWait three minutes.", "Brewing")],
        [swap("Tea.md", ("three minutes", "four minutes")), swap("Brewing.md", ("With care.", "With great care."))],
        Expected(
            (*BASE, "Brewing.md"),
            {"Tea.md": ["Brewing.md"]},
            {"Brewing.md": ["Wait four minutes.", "With great care."]},
            {"Tea.md": ["minutes"]},
        ),
    ),
    Scenario(
        "extract; deletion of the passage",
        BASE,
        [extract("Tea", "## Brewing\n\nPour hot water.\nWait three minutes.", "Brewing")],
        [swap("Tea.md", ("Pour hot water.\nWait three minutes.\n", "")), append("Cup", "\nThe end.\n")],
        Expected((*BASE, "Brewing.md"), {"Tea.md": ["Brewing.md"]}, lacks={"Tea.md": ["minutes"]}),
    ),
    Scenario(
        "extract; merge of the note into another",
        {**BASE, "Drinks.md": "# Drinks\n\nThere are many.\n"},
        [extract("Tea", "Pour hot water.\nWait three minutes.", "How to brew")],
        [rename("Tea", "Drinks")],
        Expected(
            ("Drinks.md", "Kettle.md", "Cup.md", "How to brew.md"),
            {"Drinks.md": ["How to brew.md"], "Kettle.md": ["Drinks.md"], "Cup.md": ["Drinks.md"]},
            {"How to brew.md": ["Wait three minutes."], "Drinks.md": ["It came from China."]},
            {"Drinks.md": ["minutes"]},
        ),
    ),
    Scenario(
        "both extract from one note, different passages",
        BASE,
        [extract("Tea", "Pour hot water.\nWait three minutes.", "How to brew")],
        [extract("Tea", "It came from China.", "Whence it came"), append("Cup", "\nSee [[Whence it came]].\n")],
        Expected(
            (*BASE, "How to brew.md", "Whence it came.md"),
            {"Tea.md": ["How to brew.md", "Whence it came.md"], "Cup.md": ["Tea.md", "Whence it came.md"]},
            {"How to brew.md": ["Wait three minutes."], "Whence it came.md": ["It came from China."]},
            {"Tea.md": ["minutes", "China"]},
        ),
    ),
    Scenario(
        "both extract one passage, to the same note",
        BASE,
        [extract("Tea", "Pour hot water.\nWait three minutes.", "How to brew")],
        [extract("Tea", "Pour hot water.\nWait three minutes.", "How to brew"), append("Cup", "\nThe end.\n")],
        Expected(
            (*BASE, "How to brew.md"),
            {"Tea.md": ["How to brew.md"], "How to brew.md": []},
            {"How to brew.md": ["Wait three minutes."]},
            {"Tea.md": ["minutes"]},
        ),
    ),
    Scenario(
        "both extract one passage, to different notes",
        {**BASE, "Tea.md": TEA},
        [extract("Tea", "Pour hot water.\nWait three minutes.", "Brewing")],
        [
            extract("Tea", "Pour hot water.\nWait three minutes.", "How to brew"),
            append("Cup", "\nSee [[How to brew]].\n"),
        ],
        Expected(
            (*BASE, "Brewing.md", "How to brew.md"),
            {"Cup.md": ["Tea.md", "How to brew.md"]},
            {one: ["Pour hot water.\nWait three minutes."] for one in ("Brewing.md", "How to brew.md")},
            {"Tea.md": ["minutes"]},
            conflicts=["Tea.md"],
        ),
        may_be_doubled=("Pour hot water.", "Wait three minutes."),
    ),
)

OTHER = (
    Scenario(
        "frontmatter: different keys",
        {"Tea.md": PROPERTIES},
        [swap("Tea.md", ("rating: 3", "rating: 5"))],
        [swap("Tea.md", ("title: Tea\n", "title: Tea\norigin: China\n"))],
        Expected(
            ("Tea.md",),
            properties={"Tea.md": {"rating": 5, "origin": "China", "title": "Tea", "tags": ["drink", "hot"]}},
        ),
    ),
    Scenario(
        "frontmatter: both add tags",
        {"Tea.md": PROPERTIES},
        [swap("Tea.md", ("[drink, hot]", "[drink, hot, green]"))],
        [swap("Tea.md", ("[drink, hot]", "[drink, hot, asian]"))],
        Expected(("Tea.md",), properties={"Tea.md": {"tags": ["drink", "hot", "green", "asian"], "rating": 3}}),
    ),
    Scenario(
        "frontmatter: a tag removed; a tag added",
        {"Tea.md": PROPERTIES},
        [swap("Tea.md", ("[drink, hot]", "[drink]"))],
        [swap("Tea.md", ("[drink, hot]", "[drink, hot, asian]"))],
        Expected(("Tea.md",), properties={"Tea.md": {"tags": ["drink", "asian"]}}),
    ),
    Scenario(
        "frontmatter: both set one key",
        {"Tea.md": PROPERTIES},
        [swap("Tea.md", ("rating: 3", "rating: 4"))],
        [swap("Tea.md", ("rating: 3", "rating: 5"))],
        Expected(("Tea.md",), {}, {"Tea.md": ["rating: 4", "rating: 5"]}, conflicts=["Tea.md"]),
    ),
    Scenario(
        "frontmatter: both create it",
        BASE,
        [swap("Cup.md", ("# Cup", "---\ntags: [dish]\n---\n# Cup"))],
        [swap("Cup.md", ("# Cup", "---\nrating: 2\ntags: [clay]\n---\n# Cup"))],
        Expected(BASE, {"Cup.md": ["Tea.md"]}, properties={"Cup.md": {"tags": ["dish", "clay"], "rating": 2}}),
    ),
    Scenario(
        "attachment changed by both",
        {**BASE, "cup.png": PICTURE, "Cup.md": "# Cup\n\n![[cup.png]]\n"},
        [put("cup.png", ANOTHER)],
        [put("cup.png", THIRD)],
        Expected((*BASE, "cup.png", "cup (machine * *).png"), {"Cup.md": ["cup.png"]}),
    ),
    Scenario(
        "attachment created by both",
        BASE,
        [put("cup.png", ANOTHER), add("Cup.md", "\n![[cup.png]]\n")],
        [put("cup.png", THIRD), add("Kettle.md", "\n![[cup.png]]\n")],
        [
            Expected(
                (*BASE, "cup.png", "cup (machine * *).png"),
                {one: ["Tea.md", "cup.png"], other: ["Tea.md", "cup (machine * *).png"]},
            )
            for one, other in (("Cup.md", "Kettle.md"), ("Kettle.md", "Cup.md"))
        ],
    ),
    Scenario(
        "attachment renamed by hand; embeds added",
        {**BASE, "cup.png": PICTURE, "Cup.md": "# Cup\n\n![[cup.png]]\n"},
        [move("cup.png", "files/my cup.png")],
        [add("Kettle.md", "\n![[cup.png]]\n"), put("New.md", "![a cup](cup.png)\n")],
        Expected(
            (*BASE, "files/my cup.png", "New.md"),
            {
                "Cup.md": ["files/my cup.png"],
                "Kettle.md": ["Tea.md", "files/my cup.png"],
                "New.md": ["files/my cup.png"],
            },
        ),
    ),
    Scenario(
        "attachment deleted; embeds added",
        {**BASE, "cup.png": PICTURE},
        [remove("cup.png")],
        [add("Kettle.md", "\n![[cup.png]]\n")],
        Expected(BASE, dangling=["cup.png"]),
    ),
    Scenario(
        "canvas changed by both",
        {**BASE, "Board.canvas": _canvas(_TEA_NODE, _TEXT_NODE)},
        [put("Board.canvas", _canvas({**_TEA_NODE, "x": 500}, _TEXT_NODE, _node("3", type="file", file="Cup.md")))],
        [put("Board.canvas", _canvas(_TEA_NODE, _TEXT_NODE, _node("4", type="file", file="Kettle.md")))],
        Expected(
            (*BASE, "Board.canvas"),
            {"Board.canvas": ["Tea.md", "Kettle.md", "Cup.md", "Kettle.md"]},
            {"Board.canvas": ['"x": 500']},
        ),
    ),
    Scenario(
        "rename; note added to a canvas",
        {**BASE, "Board.canvas": _canvas(_TEXT_NODE)},
        [rename("Tea", "Green tea")],
        [put("Board.canvas", _canvas(_TEA_NODE, {**_TEXT_NODE, "text": "See [[Kettle]] and [[Tea]]."}))],
        Expected(
            (*RENAMED, "Board.canvas"),
            {"Board.canvas": ["Green tea.md", "Green tea.md", "Kettle.md"], "Kettle.md": ["Green tea.md"]},
        ),
    ),
    Scenario(
        "git mv without updating links; canvas edited",
        {**BASE, "Board.canvas": _canvas(_TEA_NODE)},
        [git_move("Tea.md", "Green tea.md")],
        [put("Board.canvas", _canvas(_TEA_NODE, _TEXT_NODE))],
        Expected((*RENAMED, "Board.canvas"), {"Board.canvas": ["Green tea.md", "Kettle.md"]}),
    ),
    Scenario(
        "only one machine edits",
        BASE,
        [],
        [rename("Tea", "Green tea"), append("Cup", "\nOr [[Green tea]] again.\n")],
        Expected(RENAMED, {"Kettle.md": ["Green tea.md"], "Cup.md": ["Green tea.md"] * 2}),
    ),
)

SCENARIOS: Sequence[Scenario] = (*RENAMES, *TEXTS, *STRUCTURE, *OTHER)
