"""Find the keywords of a text: its words except common ones. Pure, and without a model."""

import re
import unicodedata
from collections.abc import Iterator

from zkmem.util import words

_HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_HIRAGANA = "\u3041-\u309f"
_KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff"
_RUN = re.compile(  # C++ and C# are words too
    rf"(?P<han>[{_HAN}]+)|[{_HIRAGANA}]+|[{_KATAKANA}]+|(?:(?![{_HAN}{_HIRAGANA}{_KATAKANA}])[^\W_])+(?:\+\+|#(?!\w))?"
)
_KANA = re.compile(f"[{_HIRAGANA}]")
_SHORTEST = 2

_CHATTER = """
actually ain almost always aren ask away back became came come couldn didn doesn don else etc further get gets
getting give given go goes going gonna got hadn hasn haven hello help hey hi im instead isn know let lets like ll
look made make makes many may maybe much need never often oh ok okay others put re really said say see seem shouldn
sure take tell thank thanks thing things think thus together try use used using ve want wants wasn way well went
weren won wouldn yeah yes
只 嗯 来 去 说 可 无 多 少 这是 那是 此外 什麼 怎麼 為什麼 怎么办 为何 为啥 能否 一直 一定 有些 有点 有的 不会 不能
不要 不用 不但 不仅 希望 觉得 认为 知道 帮助 谢谢 感谢 你好 接着 其实 其中 其他 其它 另外 刚刚 现在 之前 之后 以前
以后 目前 特别 比较 更加 还有 就是 都是 只是 也是 的话 东西 事情 进行 使用 有关 之间 作为 我們 你們 他們 這個 那個
這些 這裡 這樣 這麼 沒有 不會 應該 因為 還是 雖然 關於 對於 為了 然後 已經 現在 時候 還有 請問 謝謝 です ます でした
ました ません する して した から まで より ので のに けど でも この その あの どの これ それ あれ どれ ここ そこ
あそこ どこ こと もの とき ください という ている ています について どう なに なぜ いつ だれ ある いる なる よう
"""
STOP_WORDS = words.STOP_WORDS.union(_CHATTER.split())
"""Words that are too common to search for, since each keyword brings a whole section."""


def normal(text: str) -> str:
    """Return the form in which keywords and texts are compared: NFKC, lower case."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).lower()


def extract_keywords(text: str) -> list[str]:
    """Return the keywords of a text in its order, each once, in the form for comparison.

    Words are split at blanks and punctuation, Chinese is segmented, Japanese split where the script changes. Stop
    words and words of one character are dropped.
    """
    words = dict.fromkeys(_words(normal(text)))
    return [word for word in words if len(word) >= _SHORTEST and word not in STOP_WORDS]


def _words(text: str) -> Iterator[str]:
    for run in _RUN.finditer(text):
        around = text[max(0, run.start() - 1) : run.end() + 1]
        if run["han"] and not _KANA.search(around):  # beside Hiragana it is Japanese, which is another language
            yield from _segmented(run[0])
        else:
            yield run[0]


def _segmented(text: str) -> list[str]:
    import rjieba  # noqa: PLC0415 - a tenth of a second and a dictionary, for Chinese alone

    return rjieba.cut(text)
