"""Full-text search: what is found, that it keeps to the vault, and that its cache may be lost at any time."""

import contextlib
import glob
import json
import logging
import multiprocessing
import os
import pathlib
import shutil
import sqlite3
import subprocess
import threading
import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest
from click.testing import CliRunner
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from tests.tools.forked import zkmem_command
from tests.tools.inner import engine, search_cache, search_cache_path, search_dump, search_of, untold
from tests.tools.vaults import write
from zkmem.cli.group import cli
from zkmem.engine import Engine
from zkmem.errors import StaleEtag
from zkmem.index.store import database
from zkmem.index.store.database import cache_file, writing
from zkmem.memory import Memory
from zkmem.search import fulltext, retrieval, search_index
from zkmem.search.entry import entry_of
from zkmem.search.search import Search
from zkmem.search.snippet import snippet
from zkmem.search.stems import terms_of
from zkmem.util import words

VAULT = {
    "fruit/apple.md": "Apples are red. They grow on a tree in the orchard behind our house.\n",
    "fruit/pear.md": "---\nseason: Septembre\n---\nPears are green; they grow in the orchard, too.\n",
    "music/violin.md": "She has been running a school for violinists in Genève since 2019.\n",
    "日记/周一.md": "我今天学习了向量数据库的记忆系统，使用Vue组件。\n",
    "ja.md": "東京で猫とコーヒーを飲みました。\n",
    "ko.md": "어제 서울에서 친구를 만났습니다.\n",
}


def found(memory: Memory, query: str, **arguments: object) -> list[str]:
    return [hit.path for hit in memory.search(query, **arguments)]  # type: ignore[arg-type]


@pytest.fixture(name="memory")
def opened(tmp_path: pathlib.Path) -> Memory:
    return Memory(write(tmp_path / "vault", VAULT))


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("What grows behind the house?", "fruit/apple.md"),
        ("violinist who runs", "music/violin.md"),  # English stems
        ("geneve", "music/violin.md"),
        ("GENÈVE", "music/violin.md"),
        ("Gene\u0300ve", "music/violin.md"),
        ("２０１９", "music/violin.md"),
        ("septembre", "fruit/pear.md"),  # a value in the frontmatter
        ("记忆", "日记/周一.md"),
        ("向量数据库是什么", "日记/周一.md"),
        ("库", "日记/周一.md"),
        ("统", "日记/周一.md"),  # the last of a run
        ("周一", "日记/周一.md"),
        ("vue", "日记/周一.md"),
        ("vue组件", "日记/周一.md"),
        ("帮我优化 Vue 的性能", "日记/周一.md"),
        ("猫", "ja.md"),
        ("東京", "ja.md"),
        ("コーヒー", "ja.md"),
        ("ｺｰﾋｰ", "ja.md"),
        ("서울", "ko.md"),
        ("친구", "ko.md"),
    ],
)
def test_a_word_of_a_note_finds_it_first(memory: Memory, query: str, path: str) -> None:
    assert found(memory, query)[0] == path


def test_any_word_is_enough_and_more_of_them_rank_higher(memory: Memory) -> None:
    assert found(memory, "orchard red zebra") == ["fruit/apple.md", "fruit/pear.md"]


def test_the_title_weighs_more_than_the_body(tmp_path: pathlib.Path) -> None:
    files = {"tea.md": "A drink from leaves.\n", "z.md": "We drank some tea once.\n", "other.md": "Nothing.\n"}
    assert found(Memory(write(tmp_path, files)), "tea") == ["tea.md", "z.md"]


def test_words_that_stand_together_in_the_query_count_more_where_they_do_in_the_note(tmp_path: pathlib.Path) -> None:
    filler = "plain words that say nothing of any use at all here, and go on for long. "
    files = {
        "a.md": f"The support was broad. {filler * 3}A group came. {filler}\n",
        "b.md": f"The support group came. {filler * 3}It was broad. {filler}\n",
        "c.md": "Another text.\n",
    }
    hits = Memory(write(tmp_path, files)).search("support group")
    assert [hit.path for hit in hits] == ["b.md", "a.md"]
    assert hits[0].score > 1.2 * hits[1].score


def test_scores_in_a_folder_depend_on_no_length_of_notes_elsewhere(tmp_path: pathlib.Path) -> None:
    inside = {"in/long.md": "tea tea tea " + "word " * 600, "in/short.md": "tea " + "word " * 5}
    inside |= {f"in/{number}.md": "word " * 100 for number in range(8)}
    outside = {f"out/{number}.md": "word " * 300 for number in range(150)}
    memory = Memory(write(tmp_path, inside | outside))
    assert found(memory, "tea", folders=["in"]) == ["in/short.md", "in/long.md"]


def test_a_hit_says_which_words_match_and_when_the_note_is_from(tmp_path: pathlib.Path) -> None:
    files = {
        "a.md": "---\ndate: 2026-11-20\n---\nShe was running to the school in Genève.\n",
        "log 2026-11-21.md": "He runs.\n",
        "c.md": "They ran.\n",
    }
    memory = Memory(write(tmp_path, files))
    os.utime(tmp_path / "c.md", (1_795_262_400, 1_795_262_400))  # noon of 21 November 2026, UTC
    hits = {hit.name: hit for hit in memory.search("Who ran to Geneve?")}
    assert hits["a"].words == ["running", "geneve"]
    assert (hits["a"].date, hits["a"].date_source) == ("2026-11-20", "property")
    assert (hits["log 2026-11-21"].date, hits["log 2026-11-21"].date_source) == ("2026-11-21", "name")
    assert (hits["c"].date[:8], hits["c"].date_source) == ("2026-11-", "file")
    assert hits["c"].words == ["ran"]


def test_a_query_of_stop_words_alone_is_answered(memory: Memory) -> None:
    assert "fruit/apple.md" in found(memory, "they are in the")
    assert found(memory, "我 了")[0] == "日记/周一.md"


@pytest.mark.parametrize(
    ("text", "queries"),
    [
        ("İstanbul", ["İstanbul", "istanbul", "ISTANBUL", "i\u0307stanbul"]),
        ("ISTANBUL", ["İstanbul"]),
        ("за\u0301мок", ["за\u0301мок", "замок"]),
        ("ọ̀rẹ́", ["ọ̀rẹ́", "o\u0323\u0300re\u0323\u0301", "ọrẹ"]),
        ("مُحَمَّد", ["مُحَمَّد", "محمد"]),
        ("हिन्दी", ["हिन्दी"]),
        ("ΟΔΟΣ", ["οδός", "οδος"]),
        ("ёлка", ["елка", "ЁЛКА"]),
        ("ガギ", ["ガ", "カ\u3099キ\u3099", "ｶﾞｷﾞ"]),
        ("か\u3099き\u3099", ["がぎ", "ぎ"]),
        ("한국어를", ["한국", "\u1112\u1161\u11ab\u1100\u116e\u11a8"]),
    ],
)
def test_a_word_with_combining_marks_finds_its_note(tmp_path: pathlib.Path, text: str, queries: list[str]) -> None:
    memory = Memory(write(tmp_path, {"a.md": f"Here, {text} is.\n", "b.md": "Кто м, хи, д, カキ, かき, 日, r; ا م.\n"}))
    for query in queries:
        assert found(memory, query) == ["a.md"], query


@pytest.mark.parametrize(
    ("text", "words", "others"),
    [
        ("ฉันชอบกินข้าวเช้าทุกวัน", ["ข้าว", "กินข้าว", "เช้า", "ทุกวัน", "ฉัน", "ข้า"], ["ข่าว", "ขาว", "เข้า"]),
        ("ต้องดื่มน้ำ", ["น้ำ", "ดื่มน้ำ", "ดื่ม"], ["นำ", "ดืม"]),
        ("ຂ້ອຍຮຽນພາສາລາວທຸກມື້", ["ລາວ", "ພາສາ", "ພາສາລາວ", "ທຸກມື້"], ["ລາຍ", "ພາສີ"]),
        ("ខ្ញុំរៀនភាសាខ្មែររាល់ថ្ងៃ", ["ខ្មែរ", "ភាសាខ្មែរ", "រៀន", "ថ្ងៃ"], ["ខ្មៅ", "រាន"]),
        ("ខ្ញុំ\u200bរៀន\u200bភាសា\u200bខ្មែរ", ["ភាសាខ្មែរ", "រៀនភាសា"], ["ខ្មៅ"]),  # with breaks between words
        ("ကျွန်တော် မြန်မာစာ သင်နေတယ်", ["မြန်မာ", "မြန်မာစာ", "သင်နေ"], ["မြန်းမာ", "သန်နေ"]),
        ("Østergård og Łódź", ["ostergard", "Østergård", "lodz", "ŁÓDŹ"], ["astergard", "sodz"]),
        ("đường, Straße, Æther, œuvre, ıssız", ["duong", "STRASSE", "aether", "oeuvre", "issiz"], ["luong", "strase"]),
    ],
)
def test_words_of_scripts_without_blanks_and_letters_with_strokes_are_found(
    tmp_path: pathlib.Path, text: str, words: list[str], others: list[str]
) -> None:
    far = f"{'Other things. ' * 40}{text}. {'More things. ' * 40}"
    with Memory(write(tmp_path, {"short.md": text, "far.md": far})) as memory:
        for word in words:
            hits = {hit.path: hit.snippet for hit in memory.search(word)}
            assert {"short.md", "far.md"} <= hits.keys(), word
            assert text[:20] in hits["far.md"], word
            assert {"short.md", "far.md"} <= {hit.path for hit in memory.search(f'"{word}"')}, word
        assert [word for word in others if (other := memory.search(word)) and not other.remarks] == []


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("munro", "author: Alice Munro"),
        ("[author]", "author: Alice Munro"),
        ("[AUTHOR:alice munro]", "author: Alice Munro"),
        ("[author] [tags:story]", "author: Alice Munro tags: - story - old"),
        ("old", "tags: - story - old"),
        ("long munro", "A long text."),
        ("long [author]", "A long text."),
        ("-[nosuch]", "A long text."),
    ],
)
def test_a_hit_in_a_property_shows_the_property(tmp_path: pathlib.Path, query: str, shown: str) -> None:
    yaml = "---\nauthor: Alice Munro\ntags:\n  - story\n  - old\nyear: 1968\n---\n"
    write(tmp_path, {"with text.md": f"{yaml}A long text.\n", "bare.md": yaml})
    with Memory(str(tmp_path)) as memory:
        hits = {hit.name: hit.snippet for hit in memory.search(query)}
    assert hits["with text"] == shown
    assert hits.get("bare", "author: Alice Munro") in {shown, "author: Alice Munro", ALL}


ALL = "author: Alice Munro tags: - story - old year: 1968"


def test_a_note_without_a_body_shows_its_frontmatter(tmp_path: pathlib.Path) -> None:
    write(tmp_path, {"a.md": "---\ntags: [tea]\n---\n\n", "b.md": "---\nbroken: [tea\n---\n"})
    with Memory(str(tmp_path)) as memory:
        assert [hit.snippet for hit in memory.search("tag:tea")] == ["tags: [tea]"]
        assert {hit.snippet for hit in memory.search("tea")} == {"tags: [tea]", "broken: [tea"}


@pytest.mark.parametrize("query", ["", "  ", "?!", "\0", "\ud800", '"', "* ()"])
def test_a_query_without_words_finds_nothing(memory: Memory, query: str) -> None:
    assert memory.search(query) == []


@given(query=st.text(max_size=60) | st.text(alphabet="ab \"*()^:-+{}NEAR記\0\ud800’'", max_size=30))
@example(query='apple" OR "pear')
@example(query="NEAR(apple pear, 5) AND NOT title:*")
@example(query="ﷺ" * 40)
def test_any_query_is_safe(query: str) -> None:
    _ANY.search(query)


@pytest.fixture(scope="module", autouse=True)
def any_memory(tmp_path_factory: pytest.TempPathFactory) -> None:
    global _ANY  # noqa: PLW0603 - hypothesis would make a vault for each example
    _ANY = Memory(write(tmp_path_factory.mktemp("any"), VAULT))


_ANY: Memory


def test_long_queries_and_many_folders_are_answered(memory: Memory) -> None:
    long = " ".join(f"word{number}" for number in range(5_000))
    assert found(memory, "orchard " + long, folders=[f"folder{number}" for number in range(3_000)] + ["fruit"])


def test_folders_narrow_the_search_and_without_leaves_out(memory: Memory) -> None:
    both = ["fruit/apple.md", "fruit/pear.md"]
    assert sorted(found(memory, "orchard violin", folders=["fruit"])) == both
    assert sorted(found(memory, "orchard violin", folders=["/fruit/", "music"])) == [*both, "music/violin.md"]
    assert found(memory, "orchard violin", without=["fruit"]) == ["music/violin.md"]
    assert found(memory, "orchard", folders=["fruit"], without=["fruit"]) == []
    assert found(memory, "orchard", folders=["fru"]) == []
    assert found(memory, "orchard", folders=[]) == []
    assert sorted(found(memory, "orchard", folders=[""])) == both
    assert found(memory, "周一", folders=["日记"]) == ["日记/周一.md"]


def test_the_limit_holds_and_scores_fall(memory: Memory) -> None:
    hits = memory.search("orchard apple green", limit=10)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert memory.search("orchard apple green", limit=1) == hits[:1]
    assert memory.search("orchard", limit=0) == []


def test_a_hit_has_the_name_that_means_the_note(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, {"x.md": "At the root.\n", "a/x.md": "Below a: zebra.\n", "a/y.png": b""}))
    (hit,) = memory.search("zebra")
    assert memory.read(hit.name).text == "Below a: zebra.\n"
    assert (hit.path, hit.snippet) == ("a/x.md", "Below a: zebra.")


def test_notes_are_found_as_they_are_edited_by_tools(memory: Memory) -> None:
    assert found(memory, "zebra") == []
    memory.write("animals", "A zebra.\n")
    assert found(memory, "zebra") == ["animals.md"]
    memory.write("animals", "A lion.\n")
    assert (found(memory, "zebra"), found(memory, "lion")) == ([], ["animals.md"])
    memory.rename("animals", "cats/lions")
    assert found(memory, "lion") == ["cats/lions.md"]
    memory.delete("cats/lions")
    assert found(memory, "lion") == []
    memory.undo(2)
    assert found(memory, "lion") == ["animals.md"]


def test_a_note_that_is_gone_is_left_out_of_the_answer(memory: Memory) -> None:
    assert len(found(memory, "orchard")) == 2
    os.remove(os.path.join(memory.vault, "fruit/pear.md"))  # nobody has told the index
    assert found(memory, "orchard") == ["fruit/apple.md"]


def test_a_link_out_of_the_vault_in_the_place_of_a_note_is_not_followed(memory: Memory, tmp_path: pathlib.Path) -> None:
    memory.search("orchard")
    write(tmp_path, {"secret.md": "The orchard of the neighbour.\n"})
    path = os.path.join(memory.vault, "fruit/pear.md")
    os.remove(path)
    os.symlink(tmp_path / "secret.md", path)
    assert found(memory, "orchard") == ["fruit/apple.md"]
    memory.wait_ready()
    assert found(memory, "orchard neighbour") == ["fruit/apple.md"]


def test_a_link_out_of_the_vault_in_the_place_of_a_folder_is_not_followed(
    memory: Memory, tmp_path: pathlib.Path
) -> None:
    memory.search("violin")
    write(tmp_path, {"elsewhere/violin.md": "The violin of the neighbour.\n"})
    shutil.rmtree(os.path.join(memory.vault, "music"))
    os.symlink(tmp_path / "elsewhere", os.path.join(memory.vault, "music"))
    assert found(memory, "violin") == []


def test_a_passage_is_that_of_the_note_as_it_is_now(memory: Memory) -> None:
    memory.search("orchard")
    untold(memory)
    write(memory.vault, {"fruit/pear.md": "No more.\n"})
    assert {hit.snippet for hit in memory.search("orchard")} == {VAULT["fruit/apple.md"].strip(), "No more."}


def test_a_note_that_cannot_be_decoded_is_found_by_the_rest_of_it(tmp_path: pathlib.Path) -> None:
    odd = {"a.md": b"caf\xe9 zebra\0quagga\n", "b.md": b"\xef\xbb\xbf---\na: [\n---\r\nlion\r\n", "e.md": b""}
    memory = Memory(write(tmp_path, odd))
    assert found(memory, "zebra") == found(memory, "quagga") == ["a.md"]
    assert found(memory, "lion") == ["b.md"]


def test_reading_writes_nothing_into_the_vault(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, VAULT))
    memory.search("orchard")
    assert sorted(os.listdir(tmp_path)) == sorted({path.partition("/")[0] for path in VAULT})


def index_of(texts: dict[str, str], base: sqlite3.Connection | None = None) -> sqlite3.Connection:
    """The index of notes, in memory, put in in this order. `base`: an index that has other notes already."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    if base:
        base.backup(connection)
    else:
        for statement in database.SEARCH_TABLES.split(";"):
            connection.execute(statement)
    with writing(connection):
        for path, text in texts.items():
            fulltext.put(connection, path, entry_of(path, text.encode(), "etag"), "2026-11-20")
    return connection


def paths(connection: sqlite3.Connection, query: str, limit: int = 10, **scope: list[str]) -> list[str]:
    return [
        hit.path
        for hit in retrieval.find(retrieval.Counts(connection, retrieval.Scope(**scope)), terms_of(query), limit)[0]
    ]


@pytest.fixture(scope="module")
def many() -> sqlite3.Connection:
    """An index of short notes: each has `common`, one in five `meeting`, and of the others one in eight `item`."""
    return index_of({
        f"work/n{number}.md": f"common notes {'meeting' if number % 5 == 1 else 'other'} {'item' * (number % 10 == 3)}"
        for number in range(7_500)
    })  # fmt: skip


def test_the_rarest_word_decides_though_it_is_only_in_one_folder(many: sqlite3.Connection) -> None:
    index = index_of({f"apollo/n{number}.md": "apollo launch\n" for number in range(250)}, many)
    assert all(path.startswith("apollo/") for path in paths(index, "apollo meeting"))


def test_a_word_in_the_title_counts_though_the_rarest_words_are_others(many: sqlite3.Connection) -> None:
    index = index_of({"Meeting.md": "meeting, meeting, meeting\n"}, many)
    assert paths(index, "meeting item")[0] == "Meeting.md"
    assert paths(index, "common meeting")[0] == "Meeting.md"


def test_a_word_in_every_note_is_answered_from_some_of_them(many: sqlite3.Connection) -> None:
    index, steps = index_of({"Common.md": "common\n"}, many), [0]

    def count() -> int:
        steps[0] += 1
        return 0

    index.set_progress_handler(count, 100)
    assert paths(index, "common")[0] == "Common.md"
    assert steps[0] * 100 < 7_500 * 10  # it takes more than ten to score a note


@pytest.mark.parametrize("folder", ["knowledge_vault", "work"])
def test_a_long_query_takes_few_statements_in_any_scope(many: sqlite3.Connection, folder: str) -> None:
    index = index_of({"knowledge_vault/pin.md": "the common pin\n"}, many)
    scored: list[str] = []
    index.set_trace_callback(lambda statement: scored.append(statement) if "bm25" in statement else None)
    found = paths(index, "common meeting notes item other pin " + " ".join(map(str, range(30))), folders=[folder])
    assert found[0].startswith(folder)
    assert len(scored) <= 3


def test_which_of_equal_notes_are_found_does_not_depend_on_what_happened_before() -> None:
    names = [f"n{number}.md" for number in range(30)]
    one, other = (index_of(dict.fromkeys(order, "kiwi\n")) for order in (names, names[::-1]))
    assert paths(one, "kiwi", 5) == paths(other, "kiwi", 5)


def test_notes_with_the_same_hash_are_kept_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fulltext, "NUMBERS", fulltext._ROOM + 2)
    index = index_of({f"n{number}.md": f"kiwi word{number}\n" for number in range(9)})
    fulltext.put(index, "n3.md", entry_of("n3.md", b"kiwi pear\n", "new"), "2026-11-20")
    fulltext.remove(index, "n4.md")
    assert paths(index, "kiwi") == [f"n{number}.md" for number in range(9) if number != 4]
    assert paths(index, "pear word3 word8") == ["n3.md", "n8.md"]


def test_folders_compare_as_names_do(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, {"Knowledge_Vault/Ä/bank.md": "The password is hunter2.\n", "other.md": "None.\n"}))
    assert found(memory, "password", folders=["knowledge_vault"]) == ["Knowledge_Vault/Ä/bank.md"]
    assert found(memory, "password", folders=["knowledge_vault/a\u0308"]) == ["Knowledge_Vault/Ä/bank.md"]
    assert found(memory, "password", without=["knowledge_VAULT"]) == []


# --- the index


def from_scratch(root: str) -> Search:
    """A search over the notes in a vault, with an index of its own."""
    search = Engine(root).search
    search._index._cache = database.SpareCache(":memory:")
    search.find("anything")
    return search


class Vault(RuleBasedStateMachine):
    """A vault that is edited by tools and by hand, and searched meanwhile."""

    names = st.sampled_from(["a", "b", "x/c", "x/d", "记/忆"])
    texts = st.text(alphabet="ab cd记忆é\n-:\0", max_size=30).map(lambda text: f"---\nk: {text[:3]!r}\n---\n{text}")

    @initialize()
    def begin(self) -> None:
        self.root = str(_FOLDER / str(len(os.listdir(_FOLDER))))
        self.memory = Memory(write(self.root, {"a.md": "ab 记忆\n"}))
        self.memory.search("ab")

    @rule(name=names, text=texts)
    def write(self, name: str, text: str) -> None:
        with contextlib.suppress(StaleEtag):  # it was changed by hand in the same lines
            self.memory.write("/" + name, text)

    @rule(name=names, text=texts)
    def write_by_hand(self, name: str, text: str) -> None:
        write(self.root, {name + ".md": text})
        self.memory.wait_ready()

    @rule(name=names)
    def delete(self, name: str) -> None:
        if os.path.exists(os.path.join(self.root, name + ".md")):
            self.memory.delete("/" + name)

    @rule(old=names, new=names)
    def move_by_hand(self, old: str, new: str) -> None:
        if os.path.exists(os.path.join(self.root, old + ".md")):
            os.makedirs(os.path.dirname(os.path.join(self.root, new)), exist_ok=True)
            os.replace(os.path.join(self.root, old + ".md"), os.path.join(self.root, new + ".md"))
            self.memory.wait_ready()

    @rule(old=names, new=names)
    def rename(self, old: str, new: str) -> None:
        if os.path.exists(os.path.join(self.root, old + ".md")):
            self.memory.rename("/" + old, "/" + new, merge=True)

    @rule()
    def search(self) -> None:
        self.memory.search("ab cd 记")

    @rule()
    def begin_again(self) -> None:
        self.memory.close()
        self.memory = Memory(self.root)

    @invariant()
    def equals_one_from_scratch(self) -> None:
        if not hasattr(self, "memory"):
            return
        fresh = from_scratch(self.root)
        self.memory.search("ab")
        assert search_dump(engine(self.memory).search) == search_dump(fresh)
        for query in ("ab", "记忆", "ab 忆 cd"):
            for limit in (1, 2, 100):
                assert _scores(engine(self.memory).search, query, limit) == _scores(fresh, query, limit)
        fresh.close()


def _scores(search: Search, query: str, limit: int) -> list[tuple[str, float]]:
    return [(hit.path, hit.score) for hit in search.find(query, limit=limit)]


_FOLDER: pathlib.Path


def test_after_any_edits_the_index_equals_one_from_scratch(tmp_path: pathlib.Path) -> None:
    global _FOLDER  # noqa: PLW0603 - a machine takes no arguments
    _FOLDER = tmp_path
    run_state_machine_as_test(Vault, settings=settings(max_examples=8, stateful_step_count=12))


WORD = st.from_regex(r"[A-Za-z]{2,12}", fullmatch=True) | st.from_regex(f"[{words.CJK}]{{1,5}}", fullmatch=True).filter(
    lambda run: all(unicodedata.category(char)[0] in "LN" for char in unicodedata.normalize("NFKC", run))
)


@given(text=st.lists(WORD, min_size=1, max_size=8), glue=st.sampled_from([" ", ", ", "\n", "。", "[[", "*"]))
@settings(max_examples=60)
def test_each_word_of_a_note_finds_it(text: list[str], glue: str) -> None:
    _ANY.write("all words", glue.join(text))
    for word in map(words.plain, text):
        for part in {word, word[:1], word[-2:]} if words.is_unspaced(word) else {word, word.upper()}:
            assert "all words.md" in found(_ANY, part, limit=100), part


def test_a_search_answers_while_its_index_is_built_and_says_so(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, {f"{number}.md": "zebra" for number in range(2_500)}))
    hits = memory.search("zebra", wait_s=0)
    assert len(hits) == 10
    assert hits.remarks == ["Only 1,000 of 2,500 notes are indexed so far. Search again later to include the others."]
    memory.load_search()
    assert memory.search("zebra", limit=5_000).remarks == []
    assert len(memory.search("zebra", limit=5_000, wait_s=0)) == 2_500
    memory.close()


def test_a_thread_goes_on_with_the_index_of_a_search(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, {f"{number}.md": "zebra" for number in range(3_500)}))
    memory.search("zebra", wait_s=0)
    builder = search_of(memory)._index._builder
    assert builder is not None
    builder.join(60)
    assert len(search_cache(search_of(memory)).use(lambda connection: list(fulltext.states(connection)))) == 3_500
    memory.close()


def titles(connection: sqlite3.Connection) -> set[str]:
    return {path for (path,) in connection.execute("SELECT path FROM search_notes")}


def test_a_long_look_at_the_index_keeps_nobody_waiting_and_sees_one_state(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, {"a.md": "zebra"}))
    began, may_end = threading.Semaphore(0), threading.Event()

    def look(connection: sqlite3.Connection) -> list[set[str]]:
        before = titles(connection)
        began.release()
        assert may_end.wait(60)
        return [before, titles(connection)]

    memory.search("zebra")
    with ThreadPoolExecutor(2) as threads:
        try:
            looks = [threads.submit(search_of(memory)._index.read, look, None, None) for _ in range(2)]
            for _ in looks:
                assert began.acquire(timeout=60)
            memory.write("b", "zebra")
            hits: list[str] = []
            searching = threading.Thread(target=lambda: hits.extend(found(memory, "zebra")), daemon=True)
            searching.start()
            searching.join(20)
            assert hits == ["a.md", "b.md"], "the search does not wait for the look"
        finally:
            may_end.set()
        assert [one.result(60)[0] for one in looks] == [[{"a.md"}, {"a.md"}]] * 2
    assert search_of(memory)._index.read(titles, None, None)[0] == {"a.md", "b.md"}
    memory.close()


def test_readers_that_always_overlap_do_not_let_the_log_of_changes_grow(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_index, "_MOST_LOG_BYTES", 6_000_000)
    monkeypatch.setattr(database, "_LOG_BYTES", 1_000_000)
    memory = Memory(write(tmp_path, {"a.md": "zebra"}))
    assert found(memory, "zebra") == ["a.md"]
    index, log = search_of(memory)._index, pathlib.Path(search_cache_path(search_of(memory)) + "-wal")
    reader, sizes = None, list[int]()
    for number in range(40):
        memory.write("a", f"zebra {' '.join(f'w{number}x{word}' for word in range(10_000))}\n")
        assert found(memory, "zebra") == ["a.md"], "also if the log is full"
        sizes.append(log.stat().st_size)
        following = index._readers.begin()
        if reader:
            index._readers.end(reader)
        reader = following
    assert max(sizes) < 9_000_000
    memory.close()


@pytest.mark.parametrize("damage", ["removed", "replaced"])
def test_a_search_survives_the_loss_of_the_file_that_others_read(tmp_path: pathlib.Path, damage: str) -> None:
    memory = Memory(write(tmp_path, {"a.md": "zebra"}))
    assert found(memory, "zebra") == ["a.md"]
    path = search_cache_path(search_of(memory))
    for part in ("", "-wal", "-shm"):
        pathlib.Path(path + part).unlink(missing_ok=True)
    if damage == "replaced":
        pathlib.Path(path).write_bytes(b"no database")
    memory.write("b", "zebra")
    assert found(memory, "zebra") == ["a.md", "b.md"]
    memory.close()
    pathlib.Path(path).unlink(missing_ok=True)


def test_closing_ends_the_thread_that_builds_the_index(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, {f"{number}.md": "zebra " * 100 for number in range(6_000)}))
    memory.search("zebra", wait_s=0)
    builder = search_of(memory)._index._builder
    assert builder is not None
    memory.close()
    assert not builder.is_alive()


def test_a_second_start_puts_in_only_what_differs(memory: Memory) -> None:
    memory.search("orchard")
    memory.close()
    write(memory.vault, {"new.md": "zebra\n"})
    os.remove(os.path.join(memory.vault, "ja.md"))
    again, seen = Memory(memory.vault), []
    again.load()
    assert (
        again.on_behalf(progress=lambda done, total: seen.append((done, total))).search("zebra 東京")[0].path
        == "new.md"
    )
    assert seen == [(2, 2)]
    assert found(again, "東京") == []


def test_progress_is_told_when_the_index_is_built(memory: Memory) -> None:
    memory.load()
    seen: list[tuple[int, int]] = []
    memory.on_behalf(progress=lambda done, total: seen.append((done, total))).search("orchard")
    assert seen == [(6, 6)]


# --- the cache


def file_of(memory: Memory) -> str:
    return cache_file(memory.vault)


def test_the_cache_is_private_and_outside_the_vault(memory: Memory) -> None:
    memory.search("orchard")
    file = file_of(memory)
    assert file.startswith(os.environ["XDG_CACHE_HOME"])
    assert os.stat(os.path.dirname(file)).st_mode & 0o777 == 0o700
    for name in os.listdir(os.path.dirname(file)):
        assert os.stat(os.path.join(os.path.dirname(file), name)).st_mode & 0o077 == 0


def test_processes_that_make_the_cache_at_once_make_one(memory: Memory, caplog: pytest.LogCaptureFixture) -> None:
    memory.load()
    others = [Memory(memory.vault) for _ in range(4)]
    gate = threading.Barrier(len(others))

    def work(other: Memory) -> None:
        gate.wait()
        other.search("orchard")

    threads = [threading.Thread(target=work, args=(other,)) for other in others]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert caplog.text == ""
    assert all(len(found(other, "orchard")) == 2 for other in others)


def test_nothing_is_built_before_somebody_searches(memory: Memory) -> None:
    memory.load()
    memory.hints()
    memory.write("animals", "A zebra.\n")
    memory.close()
    assert etags(memory) == {}


def test_a_write_leaves_the_index_to_who_searches_next(memory: Memory) -> None:
    memory.search("orchard")
    before = etags(memory)
    memory.write("animals", "A zebra.\n")
    memory.write("fruit/pear", "A pear.\n")
    assert etags(memory) == before
    memory.search("zebra")
    assert etags(memory).keys() - before.keys() == {"animals.md"}


def etags(memory: Memory) -> dict[str, str]:
    """The notes in the search index, as they were put in."""
    with contextlib.closing(sqlite3.connect(file_of(memory))) as connection:
        return {path: tag for path, tag, _ in fulltext.states(connection)}


def damage(file: str, how: str) -> None:
    size = os.path.getsize(file)
    if how == "text":
        pathlib.Path(file).write_text("This is no database.\n" * 100, "utf-8")
    elif how == "empty":
        pathlib.Path(file).write_bytes(b"")
    elif how == "cut":
        os.truncate(file, size // 2)
    elif how == "holes":
        with open(file, "r+b") as opened:
            for at in range(4096, size, 4096):
                opened.seek(at)
                opened.write(b"\xff" * 2048)
    else:
        with contextlib.closing(sqlite3.connect(file)) as connection, connection:
            connection.executescript(how)


@pytest.mark.parametrize(
    "how",
    [
        "text",
        "empty",
        "cut",
        "holes",
        "PRAGMA user_version = 999",
        "DROP TABLE search_notes",
        "DELETE FROM search_size",
        "UPDATE search_size SET words = 'abc'",
        "DELETE FROM search_notes WHERE path = 'fruit/pear.md'",
        "UPDATE search_texts SET words = x'00'; UPDATE search_notes SET etag = ''",
        "UPDATE search_texts SET words = x'789c030000000001'; UPDATE search_notes SET etag = ''",  # nothing, compressed
        "UPDATE search_texts SET words = 7; UPDATE search_notes SET etag = ''",
        "DELETE FROM search_texts",
        "UPDATE search_notes SET fields = '[]', etag = ''",
    ],
)
def test_a_damaged_or_foreign_cache_is_built_anew(memory: Memory, how: str) -> None:
    before = memory.search("orchard 记忆")
    memory.close()
    damage(file_of(memory), how)
    again = Memory(memory.vault)
    assert again.search("orchard 记忆") == before
    assert sorted(found(again, "orchard")) == ["fruit/apple.md", "fruit/pear.md"]
    assert found(again, "记忆") == ["日记/周一.md"]
    again.close()
    with sqlite3.connect(file_of(memory)) as connection:  # and kept
        assert connection.execute("SELECT count(*) FROM search_notes").fetchone() == (6,)


def test_a_cache_that_is_taken_away_while_it_is_used_is_no_trouble(memory: Memory) -> None:
    memory.search("orchard")
    folder = os.path.dirname(file_of(memory))
    for file in filter(os.path.isfile, glob.glob(f"{folder}/*")):
        os.remove(file)
    memory.write("animals", "A zebra.\n")
    assert found(memory, "zebra") == ["animals.md"]
    assert len(found(memory, "orchard")) == 2
    memory.close()
    assert len(found(Memory(memory.vault), "orchard zebra")) == 3
    assert os.path.exists(file_of(memory))


def test_where_there_can_be_no_cache_folder_it_is_kept_in_memory(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with caplog.at_level(logging.WARNING):
        assert len(found(memory, "orchard")) == 2
    assert caplog.text.count("There is no cache") == 1
    memory.write("animals", "A zebra.\n")
    assert found(memory, "zebra") == ["animals.md"]


def test_two_memories_on_one_vault_see_what_each_other_writes(memory: Memory) -> None:
    other = Memory(memory.vault)
    assert found(memory, "orchard") == found(other, "orchard")
    memory.write("animals", "A zebra.\n")
    assert found(memory, "zebra") == ["animals.md"]
    assert found(other, "zebra") == ["animals.md"]  # it is in the cache that they share
    other.write("animals", "A lion.\n")
    other.search("lion")
    memory.write("fruit/apple", "More.\n", append=True)
    assert found(memory, "lion") == ["animals.md"]


def test_what_another_process_has_written_is_found_at_once(memory: Memory) -> None:
    other = Memory(memory.vault)
    other.search("orchard")
    memory.write("animals", "A zebra.\n")
    assert found(other, "zebra") == ["animals.md"]  # though it has no watcher, and nobody has put it into the cache


def test_while_another_process_keeps_the_cache_locked_what_is_there_is_searched(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("zkmem.search.search_index.PATIENCE_MS", 10)
    memory.search("orchard")
    memory.write("animals", "A zebra in the orchard.\n")
    with contextlib.closing(sqlite3.connect(file_of(memory), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert len(found(memory, "orchard")) == 2
        assert "locked" in caplog.text
        other.execute("ROLLBACK")
    assert len(found(memory, "orchard")) == 3
    assert search_cache_path(search_of(memory)) == cache_file(memory.vault)


def test_many_notes_that_come_at_once_end_in_one_piece(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, {f"n{number}.md": f"word{number}\n" for number in range(1_100)}))
    assert found(memory, "word7") == ["n7.md"]
    with contextlib.closing(sqlite3.connect(file_of(memory))) as connection:
        assert connection.execute("SELECT count(DISTINCT segid) FROM search_words_idx").fetchone() == (1,)
        assert not fulltext.are_merges_postponed(connection)


def segments(connection: sqlite3.Connection) -> int:
    (count,) = connection.execute("SELECT count(DISTINCT segid) FROM search_words_idx").fetchone()
    return int(count)


def test_segments_are_merged_when_many_notes_are_indexed_and_not_before(tmp_path: pathlib.Path) -> None:
    memory = Memory(write(tmp_path, {f"n{number}.md": f"word{number}\n" for number in range(6_500)}))
    with contextlib.closing(sqlite3.connect(file_of(memory))) as connection:
        memory.search("word7", wait_s=0)
        assert fulltext.are_merges_postponed(connection)
        most = segments(connection)
        while fulltext.are_merges_postponed(connection):
            most = max(most, segments(connection))
            assert len(found(memory, "word7", wait_s=0)) <= 1
        assert most >= 4, "FTS5 merges four segments by itself"
        assert segments(connection) == 1
    memory.close()


def test_merges_go_on_after_a_process_was_killed_in_the_middle(memory: Memory) -> None:
    found(memory, "orchard")
    with contextlib.closing(sqlite3.connect(file_of(memory), isolation_level=None)) as connection:
        fulltext.postpone_merges(connection)
        with Memory(memory.vault) as other:
            assert found(other, "orchard")
        assert not fulltext.are_merges_postponed(connection)


def _search_often(vault: str, number: int) -> None:
    memory = Memory(vault)
    for turn in range(20):
        memory.write(f"made/{number} {turn}", f"process{number} turn{turn}\n")
        assert found(memory, f"turn{turn}", limit=100)
    assert search_cache_path(search_of(memory)) == cache_file(memory.vault)  # nobody had to do without


def test_processes_that_index_one_vault_at_once_end_with_the_same_index(memory: Memory) -> None:
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_search_often, args=(memory.vault, number)) for number in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0, 0]
    assert len(found(memory, "process0 process1 process2", limit=100)) == 60
    assert search_dump(search_of(memory)) == search_dump(from_scratch(memory.vault))


def test_threads_may_search_and_write_at_once(memory: Memory) -> None:
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for turn in range(10):
                memory.write(f"made {number} {turn}", f"word{number}\n")
                assert len(found(memory, f"word{number}", limit=50)) == turn + 1
        except BaseException as error:  # noqa: BLE001 - told below
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


# --- snippets


def test_a_snippet_is_one_line_of_whole_words_around_the_hit() -> None:
    text = "Lorem ipsum dolor sit amet. " * 30 + "Here the\nzebras  were running about. " + "Sed ut perspiciatis. " * 30
    shown = snippet(text, ["running", "zebras"])
    assert "Here the zebras were running about." in shown
    assert "\n" not in shown
    assert len(shown) <= 200
    inner = shown.strip("…")
    assert all(word in text.split() for word in inner.split())


def test_a_snippet_of_chinese_text_has_the_hit() -> None:
    text = "今天的天气很好，我们去公园散步。" * 30 + "记忆系统使用向量数据库。" + "晚上回家吃饭看书。" * 30
    assert "向量数据库" in snippet(text, ["向量", "量数", "数据"])
    assert len(snippet(text, ["向量"])) <= 200


@pytest.mark.parametrize(
    ("word", "query"),
    [
        ("happy", "happiness"),
        ("run", "running"),
        ("went", "go"),
        ("violinists", "violinist"),
        ("за\u0301мок", "замок"),
        ("ọ̀rẹ́", "ọrẹ"),
        ("Straße", "straße"),
        ("λόγος", "λόγος"),
        ("喜欢 python编程", "python"),
        ("snake_case", "snake"),
    ],
)
@pytest.mark.parametrize("before", [100, 10_000])
def test_a_hit_shows_the_word_that_matched(tmp_path: pathlib.Path, word: str, query: str, before: int) -> None:
    text = "filler words here. " * before + f"Here is {word}, at last. " + "More of it. " * 100
    [hit] = Memory(write(tmp_path, {"a.md": text})).search(query)
    assert f"Here is {word}" in hit.snippet


@given(text=st.text(max_size=600), terms=st.lists(st.text(min_size=1, max_size=8), max_size=4))
def test_any_snippet_is_short_and_one_line(text: str, terms: list[str]) -> None:
    shown = snippet(text, terms)
    assert len(shown) <= 200
    assert len(shown.splitlines()) <= 1


# --- words


def test_terms_are_words_and_pairs_without_stop_words() -> None:
    assert words.terms("What did Caroline's sister do on 7 May 2023?") == ["caroline", "sister", "7", "may", "2023"]
    assert words.terms("Don't they run? It won't.") == ["run"]
    assert words.terms("是什么") == ["是什", "什么"]
    assert words.terms("目的") == ["目的"]
    assert words.terms("Apple apple APPLE") == ["apple"]
    assert words.terms("snake_case v1.0 C++") == ["snake", "case", "v1", "0", "c"]


def test_spaced_text_has_each_pair_and_the_last_character() -> None:
    assert words.spaced("plain text") == "plain text"
    assert words.spaced("学习Vue组件").split() == ["学习", "习", "Vue", "组件", "件"]


# --- faces


def test_the_command_prints_names_scores_and_passages(memory: Memory) -> None:
    done = CliRunner().invoke(cli, ["search", "-C", memory.vault, "violin school", "--count", "1"])
    first, second = done.stdout.splitlines()
    assert first.startswith("music/violin (")
    assert second == "    She has been running a school for violinists in Genève since 2019."
    done = CliRunner().invoke(cli, ["search", "-C", memory.vault, "orchard", "--json"])
    assert {hit["name"] for hit in json.loads(done.stdout)["hits"]} == {"fruit/apple", "fruit/pear"}


def test_the_command_keeps_to_folders_and_says_if_nothing_was_found(tmp_path: pathlib.Path) -> None:
    vault = write(tmp_path, {"a/x.md": "tea", "b/y.md": "tea"})

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return zkmem_command("search", "-C", vault, *arguments, check=True)

    assert "a/x" in run("tea").stdout
    assert [line.split(" ")[0] for line in run("tea", "--folder", "B").stdout.splitlines()[::2]] == ["b/y"]
    assert [line.split(" ")[0] for line in run("tea", "--folder", "/").stdout.splitlines()[::2]] == ["a/x", "b/y"]
    assert run("coffee").stderr == "Nothing was found. The latest notes: [[a/x]], [[b/y]].\n"
