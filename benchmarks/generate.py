"""Make a vault of any size to measure with: every byte of it follows from the seed and the number of notes.

Bodies are lognormal in length (median 1.2 KB, mean 2 KB). A note has about six links, most of them to notes that are
linked to much already. 5 % of the links lead nowhere; 10 % of the notes have frontmatter, 5 % show links in code that
are none, 10 % are Chinese; half of them lie three folders deep.

Sentences come from a small stock of words, which suits what is measured of links. `natural` text, for search, has a
vocabulary of 50,000 words with the frequencies that words have (Zipf's law), the commonest of them English stop words.
"""

import argparse
import itertools
import math
import os
from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple
from urllib.parse import quote

_WORDS = """
able acorn after again almost amber among anchor answer apple april arrow autumn away bamboo barley basket beacon
become before begin behind bell below bench beside better birch bird blue boat bottle branch bread bridge bright
brook build butter cabin calm candle canyon carry castle cedar change chapel cherry circle clay clear cliff cloud
coast copper coral corner cotton country cradle crane creek crystal current daily dance dawn deep desert distant
door draw dream drift early earth echo edge ember empty engine evening every fabric falcon family feather fern field
fire first flint flower fog follow forest fountain fox garden gather gentle ginger glass golden grain granite grass
green harbor harvest hazel heavy hidden hill hollow honey horizon house iron island ivory jasmine journey kettle
kitchen lake lantern large later laurel leaf learn lemon letter light linen listen little maple marble market meadow
mellow metal middle mirror morning mountain music narrow needle never night north ocean often olive open orchard
other paper pebble pepper plain planet pocket quiet rain raven reason remember ribbon river road root saddle salt
season second shadow shell silver simple slow small snow soft song south spring stone story summer thread timber
tower travel valley velvet village violet walk warm water willow winter wonder
"""
_HAN = """
山 水 河 海 风 雨 雪 月 春天 夏天 秋天 冬天 早晨 夜晚 城市 村庄 道路 桥梁 树林 花园 石头 灯光 记忆 语言 文字 笔记
问题 答案 方法 时间 空间 开始 结束 学习 思考 阅读 写作 旅行 朋友 家庭 孩子 老师 历史 音乐 图画 故事 知识 结构 关系
变化 自然 世界 生活 工作 技术 数据 模型 系统 安静 明亮 遥远 简单
"""
WORDS, HAN = tuple(_WORDS.split()), tuple(_HAN.split())
LEADS = ("See", "Compare", "It follows from", "This continues", "Against this stands", "More in")
HAN_LEADS = ("参见", "比较", "来自", "接着", "详见")

_MEDIAN, _MEAN = 1200, 2000  # bytes of a body
_SIGMA = math.sqrt(2 * math.log(_MEAN / _MEDIAN))
_LINKS = 6  # a note, on average
_NEWCOMER = 3  # a note without any link to it is as attractive as one with this many
_ANYWHERE = 0.15  # of the links go to any note, and so forward too: without them there would be no cycle
_SENTENCES = 4000
_PARAGRAPH = 4  # sentences
_VOCABULARY = 50_000
_LENGTHS = range(8, 17)  # words of a natural sentence
_COMMON = """
the of and to a in is it you that he was for on are with as his they be at one have this from or had by not but what
all were when we there can an your which their said if do will each about how up out them then she many some so these
would other into has more her two like him see time could no make than first been its who now people my made over did
down only way find use may water long little very after words called just where most know get through back much go
good new write our me man too any day same right look think also around another came come work three word must because
does part even
"""
_SYLLABLES = [
    first + vowel + last for first in "bdfgklmnprstvz" for vowel in "aeiou" for last in ("", "n", "r", "s", "l")
]


class Note(NamedTuple):
    """A note before it is written: its name, its folder ("" or "a/b/c/") and whether it is Chinese."""

    name: str
    folder: str
    han: bool

    @property
    def path(self) -> str:
        """Its path in the vault, without `.md`."""
        return self.folder + self.name


class Prose(NamedTuple):
    """A stock of sentences in one language, and their mean length in bytes."""

    sentences: list[str]
    mean: float

    def some(self, rng: Random, size: float) -> list[str]:
        """Sentences of about `size` bytes in all."""
        return rng.choices(self.sentences, k=max(0, round(size / self.mean)))


class Natural:
    """Sentences made as they are asked for, with words as frequent as they are in natural text."""

    def __init__(self, rng: Random) -> None:
        made = {"".join(rng.choices(_SYLLABLES, k=rng.choice((2, 2, 3, 3, 4)))): None for _ in range(2 * _VOCABULARY)}
        self._words = [*_COMMON.split(), *made][:_VOCABULARY]
        weights = [1 / (rank + 2.7) for rank in range(len(self._words))]
        self._shares = list(itertools.accumulate(weights))
        letters = sum(len(word) * weight for word, weight in zip(self._words, weights, strict=True)) / sum(weights)
        self.mean = (letters + 1) * sum(_LENGTHS) / len(_LENGTHS) + 1  # bytes of a sentence, with the blank after it

    def some(self, rng: Random, size: float) -> list[str]:
        """Sentences of about `size` bytes in all."""
        return [self.sentence(rng) for _ in range(max(0, round(size / self.mean)))]

    def sentence(self, rng: Random) -> str:
        """One of them."""
        return " ".join(rng.choices(self._words, cum_weights=self._shares, k=rng.choice(_LENGTHS))).capitalize() + "."


def generate(folder: str, notes: int, seed: int, *, natural: bool = False) -> None:
    """Fill a folder, which need not exist, with a vault.

    Raises:
        FileExistsError: when a note of the vault is there already.
    """
    rng = Random(seed)
    writer = Writer(rng, list(itertools.islice(_notes(rng), notes)), natural=natural)
    os.makedirs(folder, exist_ok=True)
    for below in sorted({note.folder for note in writer.notes}):
        os.makedirs(os.path.join(folder, below), exist_ok=True)
    for note, targets in zip(writer.notes, _targets(rng, notes), strict=True):
        with open(os.path.join(folder, note.path + ".md"), "xb") as file:
            file.write(writer.text(note, targets).encode())


def _notes(rng: Random) -> Iterator[Note]:
    """Notes without end, no two with the same name."""
    taken: set[str] = set()
    while True:
        han = rng.random() < 0.1
        while (name := _name(rng, han)) in taken:
            pass
        taken.add(name)
        yield Note(name, _folder(rng) if rng.random() < 0.5 else "", han)


def _name(rng: Random, han: bool) -> str:
    """A name; one in ten of those of Chinese notes is Chinese (more, and most other notes would hold one in a link)."""
    if han and rng.random() < 0.1:
        return "".join(rng.choices(HAN, k=rng.choice((2, 3, 4))))
    return " ".join(rng.choices(WORDS, k=rng.choice((2, 3, 3))))


def _folder(rng: Random) -> str:
    """One of 192 folders, three deep."""
    return f"{WORDS[rng.randrange(8)]}/{WORDS[rng.randrange(100, 106)]}/{WORDS[rng.randrange(190, 194)]}/"


def _targets(rng: Random, notes: int) -> Iterator[list[int]]:
    """The targets of each note in turn, by number: those that are linked to much are linked to more."""
    pool: list[int] = []
    for number in range(notes):
        count = int(rng.expovariate(1 / _LINKS) + 0.5)
        targets = [
            rng.choice(pool) if pool and rng.random() > _ANYWHERE else rng.randrange(notes) for _ in range(count)
        ]
        yield targets
        pool += targets
        pool += [number] * _NEWCOMER


class Writer:
    """Writes the texts of notes."""

    def __init__(self, rng: Random, notes: list[Note], *, natural: bool = False) -> None:
        self.notes = notes
        self._rng = rng
        self._plain = Natural(rng) if natural else self._stock(WORDS, " ", ".", 14)
        self._han = self._stock(HAN, "", "。", 12)

    def _stock(self, words: Sequence[str], gap: str, end: str, most: int) -> Prose:
        lengths = self._rng.choices(range(5, most + 1), k=_SENTENCES)
        sentences = [gap.join(self._rng.choices(words, k=length)).capitalize() + end for length in lengths]
        return Prose(sentences, sum(len(sentence.encode()) + 1 for sentence in sentences) / _SENTENCES)

    def text(self, note: Note, targets: list[int]) -> str:
        """The text of a note with links to these notes."""
        rng = self._rng
        targets = list(targets)
        size = rng.lognormvariate(math.log(_MEDIAN), _SIGMA)
        head = self._frontmatter(targets) if rng.random() < 0.1 else ""
        links = [self._link_sentence(note, target) for target in targets]
        room = size - sum(len(link.encode()) + 1 for link in links) - len(head) - len(note.name) - 4
        pieces = (self._han if note.han else self._plain).some(rng, room)
        for link in links:
            pieces.insert(rng.randint(0, len(pieces)), link)
        blocks = list(self._blocks(pieces))
        if rng.random() < 0.05:
            blocks.insert(rng.randint(0, len(blocks)), self._code())
        return head + "\n\n".join([f"# {note.name}", *blocks]) + "\n"

    def _frontmatter(self, targets: list[int]) -> str:
        """Aliases and tags, and now and then a property that is a link, which takes the last of the targets."""
        rng = self._rng
        lines = []
        if rng.random() < 0.6:
            lines.append(f"aliases: [{self._words(2)}, {self._words(3)}]")
        if rng.random() < 0.7 or not lines:
            lines += ["tags:", f"  - {self._words(1)}", f"  - {self._words(1)}"]
        if targets and rng.random() < 0.3:
            lines.append(f'up: "[[{self.notes[targets.pop()].name}]]"')
        return "\n".join(["---", *lines, "---", ""]) + "\n"

    def _link_sentence(self, note: Note, target: int) -> str:
        """A sentence around a link."""
        lead, end = (self._rng.choice(HAN_LEADS), "。") if note.han else (self._rng.choice(LEADS) + " ", ".")
        return lead + self._link(self.notes[target]) + end

    def _link(self, target: Note) -> str:
        """A link to a note, or to none, in one of the forms that people write."""
        kind = self._rng.random()
        if kind < 0.05:
            return f"[[unwritten {self._words(2)}]]"
        if kind < 0.14:
            return f"[[{target.path}]]"
        if kind < 0.24:
            return f"[[{target.name}|{self._words(2)}]]"
        if kind < 0.28:
            return f"![[{target.name}]]"
        if kind < 0.33:
            return f"[{self._words(2)}]({quote(target.path)}.md)"
        return f"[[{target.name}]]"

    def _blocks(self, pieces: list[str]) -> Iterator[str]:
        """Sentences as paragraphs, some under a heading, some as a list."""
        for start in range(0, len(pieces), _PARAGRAPH):
            part = pieces[start : start + _PARAGRAPH]
            kind = self._rng.random()
            if kind < 0.1:
                yield f"## {self._words(2).capitalize()}"
            yield "\n".join(f"- {piece}" for piece in part) if kind > 0.85 else " ".join(part)

    def _code(self) -> str:
        """Code with what looks like links and is none."""
        fake = self._words(2)
        if self._rng.random() < 0.5:
            return f"Write `[[{fake}]]` for a link, `![[{fake}]]` to embed."
        return f"```text\nsee [[{fake}]]\nor [{fake}]({quote(fake)}.md)\n```"

    def _words(self, count: int) -> str:
        return " ".join(self._rng.choices(WORDS, k=count))


def main() -> None:
    """Make a vault as the command line says."""
    parser = argparse.ArgumentParser(description="Make a vault to measure with.")
    parser.add_argument("folder", metavar="FOLDER", help="where; it must be new or empty")
    parser.add_argument("--notes", type=int, default=10_000, help="how many notes (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="another seed, another vault (default: %(default)s)")
    parser.add_argument("--natural", action="store_true", help="with words as frequent as in natural text")
    arguments = parser.parse_args()
    if os.path.exists(arguments.folder) and (not os.path.isdir(arguments.folder) or os.listdir(arguments.folder)):
        parser.error(f"{arguments.folder} is there already; name a folder that is new or empty.")
    generate(arguments.folder, arguments.notes, arguments.seed, natural=arguments.natural)


if __name__ == "__main__":
    main()
