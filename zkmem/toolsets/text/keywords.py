"""The keywords of a text: its words without those that say nothing. Pure, and without a model."""

import re
import unicodedata
from collections.abc import Iterator

_HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_HIRAGANA = "\u3041-\u309f"
_KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff"
_RUN = re.compile(  # C++ and C# are words too
    rf"(?P<han>[{_HAN}]+)|[{_HIRAGANA}]+|[{_KATAKANA}]+|(?:(?![{_HAN}{_HIRAGANA}{_KATAKANA}])[^\W_])+(?:\+\+|#(?!\w))?"
)
_KANA = re.compile(f"[{_HIRAGANA}]")
_SHORTEST = 2

_STOP_WORDS = """
a about above actually after again against ain all almost also although always am among an and another any anyone
anything are aren around as ask at away back be became because been before being below between both but by came can
cannot come could couldn did didn do does doesn doing don done down during each either else etc even ever every
everyone everything few for from further get gets getting give given go goes going gonna got had hadn has hasn have
haven having he hello help her here hers herself hey hi him himself his how however i if im in instead into is isn
it its itself just know let lets like ll look made make makes many may maybe me might mine more most much must my
myself need never no nor not now of off often oh ok okay on once one only onto or other others our ours ourselves
out over own per please put quite rather re really said same say see seem shall she should shouldn since so some
someone something still such sure take tell than thank thanks that the their theirs them themselves then there these
they thing things think this those though through thus till to together too try under until up upon us use used
using ve very via want wants was wasn way we well went were weren what when where whether which while who whom whose
why will with within without won would wouldn yeah yes yet you your yours yourself yourselves
的 是 在 了 有 和 与 我 你 他 她 它 们 这 那 什么 怎么 为什么 一 不 也 都 就 很 还 又 再 才 只 更 最 太 把 被 给 让
对 向 从 到 跟 同 及 或 而 且 但 若 则 之 其 所 以 于 为 等 个 些 吗 呢 吧 啊 哦 嗯 呀 嘛 着 过 得 地 上 下 里 中 来
去 说 要 会 能 可 该 想 请 帮 用 好 没 无 您 咱 谁 哪 几 多 少 我们 你们 他们 她们 它们 咱们 自己 大家 别人 人家
这个 那个 这些 那些 这里 那里 这儿 那儿 这样 那样 这么 那么 这种 那种 这是 那是 此 此外 什麼 怎麼 為什麼 哪个 哪些
哪里 哪儿 怎样 怎么样 怎么办 如何 为何 为啥 啥 多少 几个 是否 能否 是不是 有没有 能不能 可不可以 一个 一些 一下 一种
一样 一直 一定 一点 一起 有些 有点 有的 没有 不是 不会 不能 不要 不用 不过 不但 不仅 可以 可能 能够 应该 应当 需要
必须 想要 希望 觉得 认为 知道 告诉 帮忙 帮助 帮我 请问 麻烦 谢谢 感谢 你好 您好 因为 所以 但是 可是 然而 而且 并且
或者 还是 如果 假如 虽然 即使 只要 只有 除了 关于 对于 由于 为了 以及 然后 接着 于是 因此 其实 其中 其他 其它 另外
已经 正在 曾经 刚刚 现在 之前 之后 以前 以后 时候 目前 非常 十分 特别 比较 更加 还有 就是 都是 只是 也是 的话 东西
事情 进行 使用 有关 之间 作为 我們 你們 他們 這個 那個 這些 這裡 這樣 這麼 沒有 不會 應該 因為 還是 雖然 關於 對於
為了 然後 已經 現在 時候 還有 請問 謝謝
です ます でした ました ません する して した から まで より ので のに けど でも この その あの どの これ それ あれ
どれ ここ そこ あそこ どこ こと もの とき ください という ている ています について どう なに なぜ いつ だれ ある
いる なる よう
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())


def normal(text: str) -> str:
    """The form in which keywords and texts compare: NFKC, lower case."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).lower()


def extract_keywords(text: str) -> list[str]:
    """The keywords of a text in its order, each once, in the form in which they compare.

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
