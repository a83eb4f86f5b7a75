"""What a search says beside its hits: operators that it does not have, and how to go on when nothing was found."""

import contextlib
import datetime
import pathlib
import re
import tempfile
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools.vaults import write
from zkmem.caller import Grant
from zkmem.errors import BadArgument
from zkmem.memory import Memory
from zkmem.search.query import read_query
from zkmem.util.periods import WORDS, period

VAULT = {
    "soup.md": "---\nrating: 5\nstatus: open\n---\nOnions, leek, forgotten on the stove. #recipe/soup\n",
    "drinks/tea.md": "---\nrating: 3\ndate: 2026-11-20\n---\nGreen tea, forgetting nothing. #recipe #drink\n",
    "drinks/Coffee beans.md": "Beans. #drink\n",
    "secret/plan.md": "---\nzeal: 1\n---\nA hidden zebra. #recipients\n",
}


@pytest.fixture
def memory(tmp_path: pathlib.Path) -> Memory:
    return Memory(write(tmp_path, VAULT))


@pytest.mark.parametrize(
    ("query", "remark"),
    [
        ("onions NOT leek", "'NOT leek' leaves nothing out; write -leek."),
        ("NOT leek", "'NOT leek' leaves nothing out; write -leek."),
        ("onions NOT tag:drink", "'NOT' leaves nothing out; write - before the filter."),
        ("onions AND tea", "'AND' is no operator; write what a note must have in quotes, such as \"tea\"."),
        ("onions AND tag:recipe", "'AND' is no operator; leave it out: a note must pass every filter."),
        (
            '"green tea" OR onions',
            "'OR' is no operator; leave it out: a note needs one of the words, and must pass every filter.",
        ),
        ("(tea OR onions) beans", "Brackets do not group words; leave them out."),
        ("tea -(onions leek)", "'-(onions leek)' leaves nothing out; write -onions -leek."),
        ("forg* tea", "'forg*' is only the word forg; write whole words, such as forgetting, forgotten."),
        ("xyz* tea", "'xyz*' is only the word xyz; write whole words; no word begins like that."),
        ("/on.*s/ tea", "'/on.*s/' is no regular expression, only words."),
        ("/tea/", "'/tea/' is no regular expression, only words; for a folder, write path:tea/."),
        ("+tea onions", "'+tea' is only a word; for notes that must have it, write \"tea\"."),
        ("[rating>4]", "'[rating>4]' compares nothing; write [rating:>4]."),
        ("onions -[rating >= 4]", "'-[rating >= 4]' compares nothing; write -[rating:>=4]."),
        ("[rating=5]", "'[rating=5]' compares nothing; write [rating:5]."),
        ("[rating!=5]", "'[rating!=5]' compares nothing; write -[rating:5]."),
        ("tea rating>4", "'rating>4' is no filter, only words; did you mean [rating:>4]?"),
        ("tea rating==5", "'rating==5' is no filter, only words; did you mean [rating:5]?"),
        ("line:(green tea)", "'line:(green tea' is no filter, only words; did you mean \"green tea\"?"),
        ("section:tea", "'section:tea' is no filter, only words; did you mean \"tea\"?"),
        ("intitle:tea", "'intitle:tea' is no filter, only words; did you mean name:tea?"),
        ("tea site:example.org", "'site:example.org' is no filter, only words; did you mean \"example.org\"?"),
        ("tea inurl:drinks", "'inurl:drinks' is no filter, only words; did you mean path:drinks?"),
        ("tea label:drink", "'label:drink' is no filter, only words; did you mean tag:drink?"),
        ("tea date:2026-11", "'date:2026-11' is no filter, only words; did you mean on:2026-11?"),
        ("tea on:click", "'on:click' has no date, so it is only words; write one, such as on:2026-11-25."),
    ],
)
def test_an_operator_that_is_not_meant_is_said(memory: Memory, query: str, remark: str) -> None:
    remarks = memory.search(query).remarks
    assert remark in remarks
    assert len(remarks) == len(set(remarks))
    assert remark not in memory.search(query, filters=False).remarks


@pytest.mark.parametrize(
    "query",
    [
        "tea (see above) and onions",
        "why not tea, and when not?",
        "what is NOT tea",
        "do NOT drink tea",
        "TEA AND ONIONS OR NOT",
        "AND gates and tea",
        "C++ or C# with tea",
        "tea in /etc/hosts and /etc/ and ~/tea/x",
        "drinks/how-to/tea.md",
        "tea on 2026-11-25 or 25/11/2026 at 10:30",
        ":-) tea :-( ;) (-: <3",
        "24/7 tea, AC/DC and/or onions",
        "1+1=2 x^2 + y^2 +49 30 1234567 tea",
        "**tea** A* search, C* algebra",
        "tea -> onions <- leek, 3 > 2",
        "if a>b or a=b then tea",
        "tea (i.e. leaves) e.g. green",
        "[[tea]] [a](b.md)",
        "hello! tea? 5*3, 90 %",
        "turn the tea on: how?",
        "#drink me@example.org https://example.org/a?b=c* tea",
        "f(x) = x*2 tea",
        "don't (or do) drink tea",
    ],
)
def test_ordinary_text_gets_no_remark(memory: Memory, query: str) -> None:
    hits = memory.search(query)
    assert hits
    assert [each for each in hits.remarks if not each.startswith("No note has ")] == []


@pytest.mark.parametrize(
    "text", ["x* ", "(", "+a ", "/a ", "a:( ", "a>", "a OR ", "NOT (", "[a>4] ", "[a>" * 2, "-(a ", "= ", "/a*/ ", "! "]
)
def test_a_long_query_gets_few_remarks(memory: Memory, text: str) -> None:
    with contextlib.suppress(BadArgument):
        assert len(memory.search(f"tea {text * (65_536 // len(text))}").remarks) <= 8
        assert len("".join(memory.search(f"tea {text}{'x' * 65_536}{text}").remarks)) < 2_000


TODAY = datetime.date.today()
YESTERDAY, TOMORROW = (str(TODAY + datetime.timedelta(days)) for days in (-1, 1))
LAST_MONDAY = TODAY - datetime.timedelta(TODAY.weekday() + 7)


def test_dates_can_be_words(tmp_path: pathlib.Path) -> None:
    days = {"now": TODAY, "before": YESTERDAY, "next": TOMORROW, "monday": LAST_MONDAY, "old": "2020-02-29"}
    memory = Memory(write(tmp_path, {f"{name}.md": f"---\ndate: {day}\n---\ntea\n" for name, day in days.items()}))

    def found(query: str) -> set[str]:
        return {hit.name for hit in memory.search(query)}

    assert found("on:today") == {"now"}
    assert "before" in found("on:yesterday") <= {"before", "monday"}
    assert found("tea after:Today") == {"now", "next"}
    assert found("before:yesterday") == {"monday", "old"} - ({"monday"} if str(LAST_MONDAY) == YESTERDAY else set())
    assert found("after:tomorrow") == {"next"}
    assert "monday" in found('on:"last week"') == found("on:last-week")
    assert found("before:last-week") == found("before:last-year") == {"old"}
    assert found("on:2020-02") == found("on:2020") == found("on:2020-02-29") == {"old"}


@pytest.mark.parametrize("word", WORDS)
def test_the_period_of_a_word_is_whole(word: str) -> None:
    first, last = map(datetime.date.fromisoformat, period(word) or ())
    unit = word.rpartition("-")[2]
    assert (last - first).days in {"week": {6}, "month": {27, 28, 29, 30}, "year": {364, 365}}.get(unit, {0})
    assert first.weekday() == 0 or unit != "week"
    assert first.day == 1 or unit not in {"month", "year"}
    assert (first <= TODAY <= last) == (word.startswith("this") or word == "today")


@pytest.mark.parametrize(
    ("query", "step"),
    [
        ("tag:recpie", "Did you mean tag:recipe"),
        ("tag:zzz", "Tags in use: tag:drink, "),
        ("path:drnks", "Did you mean path:drinks/?"),
        ("path:zzz", "Folders in use: path:drinks/"),
        ("name:cofee", "Did you mean name:coffee"),
        ("[ratng]", "Did you mean [rating]?"),
        ("[status:opn]", "Did you mean [status:open]?"),
        ("[rating:9]", "Values in use: [rating:"),
        ("on:2019 tea", "One note matches without on:2019."),
        ("before:2019", "The dates of the notes go from 2026-11-20 to 20"),
        ("tea -tea", "One note matches without -tea."),
        ("coffxx", "Nothing was found. Similar names: [[drinks/Coffee beans]]."),
        ("qqqq", "Nothing was found. Tags in use: tag:drink, "),
    ],
)
def test_an_empty_answer_says_how_to_go_on(memory: Memory, query: str, step: str) -> None:
    hits = memory.search(query)
    assert not hits
    assert step in hits.remarks[-1]
    assert all(memory.search(one) for one in proposed(query, hits.remarks[-1]))


OUTSIDE: list[dict[str, Any]] = [{"folders": ["drinks"]}, {"without": ["secret"]}]


def test_what_is_proposed_is_from_what_the_caller_may_search(memory: Memory) -> None:
    memory.search("tea")
    confined = memory.restricted(Grant("drinks"))
    for query in ["tag:recipient", "[zea]", "path:secre", "name:plan", "plan", "zebra", "hid*", "plans"]:
        for hits in [confined.search(query), *(memory.search(query, **one) for one in OUTSIDE)]:
            said = " ".join(hits.remarks).replace(query, "")
            assert not re.search("recipients|zeal|secret|plan|zebra|hidden", said), (query, said)
    assert memory.search("tea", without=[""]).remarks == ["There are no notes to search."]
    assert memory.search("tag:x", folders=[]).remarks[-1] == "There are no notes to search."


def test_a_filter_that_leaves_notes_out_is_not_taken_for_a_misspelt_one(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, {"a.md": "#x"}))
    assert memory.search("-tag:x").remarks == [
        "No note matches -tag:x.", "Tags in use: tag:x. The latest notes: [[a]].",
    ]  # fmt: skip


def test_a_search_of_an_empty_vault_says_so(tmp_path: pathlib.Path) -> None:
    memory = Memory(str(tmp_path))
    assert memory.search("tea").remarks == ["There are no notes to search."]
    assert memory.search("tag:x").remarks[-1] == "There are no notes to search."
    assert memory.search("?!").remarks == ["The query has no word to look for."]


def proposed(query: str, step: str) -> list[str]:
    """The queries that a sentence proposes; for a note, the one that finds it by its name."""
    queries = re.findall(
        r'(?<!\S)-?(?:(?:tag|path|name|on):(?:"[^"]*"|[^\s",?]+)|\[[^\[\]:]+(?::[^\]]*)?\])(?=[,.?]|\s|$)', step
    )
    queries = [one.rstrip(".") for one in queries]
    if without := re.search(r"match(?:es)? without (.*?)\.(?: |$)", step):
        left_out = re.compile(rf"(?<!\S){re.escape(without[1])}(?!\S)")
        rest = read_query(query).words if without[1] == "filters" else left_out.sub("", query, count=1)
        queries = [rest, *(one for one in queries if one not in query)]
    return [*queries, *(f'name:"{name.rpartition("/")[2]}"' for name in re.findall(r"\[\[(.*?)\]\]", step))]


WORD = st.sampled_from(["tea", "onion", "zebra", "coffe", "green tea", "öl", "卡片", "recip", "drink", "open"])
FILTER = st.sampled_from(
    [
        'tag:"{}"',
        'path:"{}"',
        'name:"{}"',
        '"{}"',
        "[status:{}]",
        "[{}]",
        "-[{}]",
        "{}",
        "on:2026-1",
        "on:2026-11",
        "-tea",
    ]
)
HEADS = ["", "---\nstatus: open\n---\n", "---\nx y: 1\n---\n"]
FOLDERS, TAGS = ["", "drinks/", "recipes/de ep/"], ["", " #tea", " #recipes/onion", " #öl"]
NOTE = st.tuples(st.sampled_from(FOLDERS), WORD, st.sampled_from(HEADS), WORD, st.sampled_from(TAGS))


@settings(max_examples=60, deadline=None)
@given(notes=st.lists(NOTE, max_size=4), parts=st.lists(st.tuples(FILTER, WORD), min_size=1, max_size=3))
def test_each_step_that_an_empty_answer_proposes_has_a_hit(
    notes: list[tuple[str, ...]], parts: list[tuple[str, str]]
) -> None:
    query = " ".join(part.format(word) for part, word in parts)
    with tempfile.TemporaryDirectory() as folder:
        files = {f"{place}{name}.md": f"{head}{text}{tag}\n" for place, name, head, text, tag in notes}
        memory = Memory(write(pathlib.Path(folder), files))
        try:
            hits = memory.search(query)
            assert hits or hits.remarks
            if not hits and notes:
                steps = proposed(query, hits.remarks[-1])
                assert steps, hits.remarks
                assert all(memory.search(step) for step in steps), (query, hits.remarks, steps)
        except BadArgument:
            pass
        finally:
            memory.close()
