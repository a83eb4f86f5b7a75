"""Words near those that no note has: which are found, what the answer says, and that nothing else changes."""

import pathlib
import sqlite3
import string
import subprocess
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.tools.inner import search_cache, search_of
from tests.tools.vaults import write
from zkmem.caller import Grant
from zkmem.index.store import database
from zkmem.index.store.database import writing
from zkmem.memory import Memory
from zkmem.search import fulltext, retrieval, vocabulary
from zkmem.search.entry import entry_of
from zkmem.search.retrieval import RareWord
from zkmem.search.stems import stem_of, terms_of

OTHERS = {f"o{number}.md": f"A plain text about trees, hats and ships, number {number}.\n" for number in range(12)}


def index_of(texts: dict[str, str]) -> sqlite3.Connection:
    """The index of notes, in memory, with their vocabulary."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    for statement in database.SEARCH_TABLES.split(";"):
        connection.execute(statement)
    with writing(connection):
        for path, text in texts.items():
            entry = entry_of(path, text.encode(), "etag")
            fulltext.put(connection, path, entry, "2026-11-20")
            vocabulary.add(connection, entry.vocabulary.split())
    return connection


def asked(connection: sqlite3.Connection, query: str, limit: int = 10) -> tuple[list[str], list[RareWord]]:
    hits, rare = retrieval.find(retrieval.Counts(connection), terms_of(query), limit, near_words=True)
    return [hit.path for hit in hits], rare


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("kubernetis", "We run Kubernetes at home"),
        ("Wensday", "Choir is on Wednesday"),
        ("Luhman", "Niklas Luhmann wrote slips"),
        ("elasticsaerch", "Elasticsearch needs much memory"),
        ("phyton", "Python collects garbage"),
        ("кубернетис", "Мы ставим Кубернетес дома"),
        ("Steuererklärung", "Die Erklärung für die Steuer ist fertig"),
        ("Erklärung", "Die Steuererklärung ist fertig"),
        ("Versicherungen", "Die Haftpflichtversicherung kostet viel"),
        ("Kartoffelsuppe", "Eine Suppe aus Kartoffeln"),
        ("Häuser", "Das Haus am See"),
        ("Haus", "Die Häuser am See"),
        ("Museen", "Das Museum am See"),
        ("chevaux", "Un cheval blanc"),
        ("canciones", "Una canción triste"),
        ("kuber", "We run Kubernetes at home"),
        ("Mueller", "Herr Müller ruft an"),
        ("Müller", "Herr Mueller ruft an"),
        ("Muller", "Herr Mueller ruft an"),
        ("Wörterbuch", "Woerterbücher im Regal"),
        ("Öl", "Oel im Tank"),
        ("Aerzte", "Das Ärztehaus am See"),
        ("Oersted", "Ørsted found it"),
        ("Århus", "A week in Aarhus"),
        ("Djordje", "Đorđe plays"),
        ("DIYARBAKIR", "Diyarbakır yolu"),
        ("ネコ", "ねこの写真"),
        ("りんご", "リンゴを買った"),
        ("圖書館", "图书馆在河边"),
        ("机器学习", "機器學習的書"),
        ("猫咪", "家里的猫很懒"),
        ("먹다", "점심을 먹었다"),
    ],
)
def test_a_word_finds_the_note_with_a_word_near_it(tmp_path: pathlib.Path, query: str, text: str) -> None:
    with Memory(write(tmp_path, OTHERS | {"n.md": f"{text}.\n"})) as memory:
        assert [hit.path for hit in memory.search(query)] == ["n.md"]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("neue", "Neu ist das nicht"),  # which is known, so it is not an ü
        ("cat", "The dog sleeps"),
        ("house", "The mouse sleeps in a horse"),
        ("abc1234", "abc1235"),
        ("x" * 65_536, "x" * 65_535),
    ],
)
def test_a_word_that_is_far_from_all_others_is_replaced_by_none(tmp_path: pathlib.Path, query: str, text: str) -> None:
    files = OTHERS | {"n.md": f"{text}.\n", "house.md": "house neue\n"}
    with Memory(write(tmp_path, files)) as memory:
        assert not any("searched" in remark for remark in memory.search(f"{query} hats").remarks)


@pytest.mark.parametrize(
    ("query", "remarks"),
    [
        ("kubernetis", ["No note has 'kubernetis'; searched for 'kubernetes' too."]),
        ("hats Kubernetis", ["No note has 'Kubernetis'; searched for 'kubernetes' too."]),
        ("Hausboot", ["No note has 'Hausboot'; searched for 'boot' and 'haus' too."]),
        ("hats qwyzz vqqk", ["No note has 'qwyzz' or 'vqqk'."]),
        ("hats https://xxyyzz.example", []),
        ("kubernetes hats", []),
        ("Handwerkers", []),  # a form that the note has: the same stem
    ],
)
def test_what_was_searched_for_beside_a_word_is_said(tmp_path: pathlib.Path, query: str, remarks: list[str]) -> None:
    files = OTHERS | {"n.md": "Kubernetes\n", "h.md": "Das Haus\n", "b.md": "Ein Boot\n", "w.md": "Handwerker\n"}
    with Memory(write(tmp_path, files)) as memory:
        assert memory.search(query).remarks == memory.search(query, filters=False).remarks == remarks


def test_a_mistake_that_a_note_has_too_hides_no_other_note(tmp_path: pathlib.Path) -> None:
    files = OTHERS | {f"k{number}.md": "Kubernetes is up\n" for number in range(6)} | {"wrong.md": "Kubernetis is up\n"}
    with Memory(write(tmp_path, files)) as memory:
        hits = memory.search("kubernetis")
    assert hits[0].path == "wrong.md"
    assert {hit.path for hit in hits[1:]} == {f"k{number}.md" for number in range(6)}
    assert hits.remarks == ["Only 1 note has 'kubernetis'; searched for 'kubernetes' too."]


LETTERS = "abcdefghijklmnopqrstuvwxyzäöüéабвгд"


@st.composite
def mistakes(draw: st.DrawFn) -> tuple[str, str]:
    """A word, and the same word with one mistake."""
    word = draw(st.text(LETTERS, min_size=5, max_size=16))
    at = draw(st.integers(0, len(word) - 1))
    letter = draw(st.sampled_from(LETTERS))
    edited = [
        word[:at] + word[at + 1 :],
        word[:at] + letter + word[at:],
        word[:at] + letter + word[at + 1 :],
        word[: max(0, at - 1)] + word[at] + word[at - 1 : at] + word[at + 1 :],
    ]
    return word, draw(st.sampled_from(edited))


@example(("aaeaa", "aaaa"))
@example(("wednesday", "wedensday"))
@given(mistakes())
def test_any_one_mistake_in_a_word_of_five_letters_finds_it(pair: tuple[str, str]) -> None:
    word, wrong = pair
    with index_of({"n.md": word, "o.md": "12 34 56"}) as connection:
        found, _ = asked(connection, wrong)
    assert found == ["n.md"]


@given(st.lists(st.sampled_from(["haus", "hauser", "hause", "maus", "mueller", "muller", "tree"]), min_size=1))
def test_a_known_word_is_never_replaced(words: list[str]) -> None:
    notes = {f"n{number}.md": word for number, word in enumerate(words)}
    with index_of(notes) as connection:
        for word in set(words):
            alone = [hit.path for hit in retrieval.find(retrieval.Counts(connection), terms_of(word), 50)[0]]
            beside, rare = asked(connection, word, 50)
            assert set(alone) == {path for path, other in notes.items() if stem_of[other] == stem_of[word]}
            assert beside[: len(alone)] == alone
            assert all(one.notes == len(alone) for one in rare)


def test_nothing_comes_from_outside_of_a_callers_folder(tmp_path: pathlib.Path) -> None:
    files = OTHERS | {"in/a.md": "Trees and Terraform\n", "out/b.md": "Kubernetes, Kubernetes and Terraforming\n"}
    with Memory(write(tmp_path, files)) as whole:
        inside = whole.restricted(Grant("in"))
        assert [hit.path for hit in whole.search("kubernetis")] == ["out/b.md"]
        assert inside.search("kubernetis") == []
        assert inside.search("kubernetis").remarks == ["Nothing was found. The latest notes: [[in/a]]."]
        assert inside.search("trees kubernetis").remarks == ["No note has 'kubernetis'."]
        assert inside.search("terrafrom").remarks == ["No note has 'terrafrom'; searched for 'terraform' too."]
        assert whole.search("trees kubernetis", folders=["in"]).remarks == ["No note has 'kubernetis'."]


@pytest.mark.parametrize(
    ("word", "inside", "outside", "others"),
    [
        ("kubernetis", "Kubernatus", "Kubernetes", "'kubernatus'"),
        ("Waldhausboot", "Wald Haus Boot", "Hausboot", "'boot', 'haus' and 'wald'"),
        ("terrafrom", "Terraform", " ".join(f"terrafro{one}" for one in string.ascii_lowercase), "'terraform'"),
    ],
)
@pytest.mark.parametrize("is_gone", [False, True])
def test_a_word_that_is_not_searched_hides_no_other(
    tmp_path: pathlib.Path, word: str, inside: str, outside: str, others: str, is_gone: bool
) -> None:
    with Memory(write(tmp_path, {"in/a.md": f"Trees {inside}\n", "out/b.md": f"Ships {outside}\n"})) as memory:
        memory.load()
        if is_gone:
            memory.delete("b")
        for where in ({"folders": ["in"]}, {"without": ["out"]}):
            hits = memory.search(f"trees {word}", **where)  # type: ignore[arg-type]
            assert hits.remarks == [f"No note has '{word}'; searched for {others} too."]


def test_new_words_are_found_at_once_and_words_that_no_note_has_any_more_are_not(tmp_path: pathlib.Path) -> None:
    with Memory(write(tmp_path, OTHERS)) as memory:
        assert not memory.search("kubernetis")
        adds = "import sys; from zkmem.memory import Memory; Memory(sys.argv[1]).write('n', 'Kubernetes is up')"
        subprocess.run([sys.executable, "-c", adds, tmp_path], check=True)
        memory.load()
        assert [hit.name for hit in memory.search("kubernetis")] == ["n"]
        memory.write("n", "Kubernetiks is down\n", etag=memory.read("n").etag)
        assert memory.search("kubernetis").remarks == ["No note has 'kubernetis'; searched for 'kubernetiks' too."]


def test_words_that_nobody_types_are_left_out() -> None:
    odd = f"sha256 {'a' * 41} 9f86d081884c7d659a2feaa0c55ad015 aGVsbG8gd29ybGQ1 東京都 กาแฟ x"
    with index_of({"plain.md": f"{odd} word Мир"}) as connection:
        words = {word for (word,) in connection.execute("SELECT word FROM search_vocabulary")}
    assert words == {"plain", "word", "мир"}


MANY = " ".join(f"{one}qzx{two}vvk" for one in LETTERS for two in LETTERS * 3)


@pytest.mark.parametrize("query", [MANY, "q" * 65_536, "猫" * 60_000, "кот" * 20_000])
def test_a_hostile_query_looks_up_few_words(query: str) -> None:
    with index_of(OTHERS) as connection:
        statements: list[str] = []
        connection.set_trace_callback(lambda one: statements.append(one) if "search_grams" in one else None)
        assert asked(connection, query)[0] == []
    assert len(statements) < 8 * 100


def test_a_damaged_vocabulary_is_built_anew(tmp_path: pathlib.Path) -> None:
    with Memory(write(tmp_path, OTHERS | {"n.md": "Kubernetes\n"})) as memory:
        assert memory.search("kubernetis")
        search_cache(search_of(memory)).use(lambda connection: connection.execute("DROP TABLE search_vocabulary"))
        assert memory.search("kubernetis")
