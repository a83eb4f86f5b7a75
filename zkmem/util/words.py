"""Split texts and queries into words for a search: stop words, and scripts without blanks.

Chinese, Japanese and Korean (CJK) are split into overlapping pairs of characters. That needs no dictionary and finds
every word of two characters exactly. Thai, Lao, Khmer and Burmese are split into pairs of clusters: consonants with the
vowels and marks around them, which tell words apart. Text for an index goes through `tokens`; a query through `terms`.
"""

import functools
import operator
import re
import unicodedata
from collections.abc import Sequence

_ENGLISH = """
a an the
i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
it its itself they them their theirs themselves one oneself this that these those
someone somebody something anyone anybody anything everyone everybody everything nobody nothing
am is are was were be been being have has had having do does did doing done
can could might must shall should will would ought cannot
aren't isn't wasn't weren't haven't hasn't hadn't don't doesn't didn't can't couldn't mightn't mustn't shan't shouldn't
won't wouldn't needn't ain't let's
what which who whom whose when where why how whatever whichever whoever whenever wherever however
about above across after against along among around as at before behind below beneath beside besides between beyond by
despite down during except for from in inside into near of off on onto out outside over per since than through
throughout till to toward towards under until unto up upon via with within without
and but or nor so yet if because although though while whereas unless whether either neither both
not no any some all each every few more most other another such same own only just also too very quite rather
there here then now again ever once still even please
"""
_CHINESE = """
的 地 得 了 着 过 吗 呢 吧 啊 呀 嘛 哦 哪 么 之 所 者 其 们 个 些 种 等 您好 我 你 您 他 她 它 我们 你们 您们
他们 她们 它们 咱 咱们 自己 大家 人家 别人 我的 你的 他的 她的 它的 这 那 这个 那个 这些 那些 这里 那里 这儿
那儿 这样 那样 这么 那么 这种 那种 此 该 某 某个 各 每 每个 什 什么 什么样 为什么 怎么 怎么样 怎样 如何 哪个 哪些
哪里 哪儿 谁 谁的 几 几个 多少 多久 多长时间 什么时候 何时 何 啥 咋 是否 是 是不是 有 有没有 没 没有 不 不是 别
在 要 想 想要 会 能 能够 能不能 可以 可不可以 可能 应该 应当 需要 必须 得到 和 与 及 以及 或 或者 还是 而 而且
并 并且 但 但是 不过 然而 可是 因为 由于 所以 因此 因而 如果 假如 要是 虽然 尽管 即使 无论 不管 只要 只有 除非
除了 于是 然后 那就 则 且 若 既 既然 又 也 都 就 才 还 再 很 太 更 最 非常 十分 已 已经 曾 曾经 正在 将
将要 从 自 自从 到 向 往 对 对于 关于 至于 把 被 给 让 叫 使 为 为了 以 由 于 按 按照 根据 通过 随着 跟 同 比
用 里 中 上 下 时 时候 一 一个 一些 一下 一点 一种 一样 帮 帮忙 帮我 帮助我 请 请问 请你 请帮 麻烦 告诉 告诉我
一起 好 好的
"""
# Characters of traditional Chinese and, in the same order, of simplified Chinese: the common ones that differ.
_TRADITIONAL = """
萬與專業東絲兩嚴喪個豐臨為麗舉麼義烏樂喬習鄉書買亂爭虧雲亞產畝親億僅從倉儀們價眾優會傘偉傳傷倫偽體傭俠側偵債傾償儲兒黨蘭關興養獸岡寫軍農馮沖決況凍淨準減湊幾鳳憑凱擊劃劉則剛創刪劇勸辦務動勵勁勞勢區醫華協單賣盧衛卻廠廳歷厲壓厭縣參雙發變敘
葉號嘆嚇嗎啟吳員聽嗚詠響喚團園圍國圖圓聖場壞塊堅壇壩墳墜壘牆壯聲殼壺處備復夠頭夾奪奮獎妝婦媽嬌孫寧實寵審憲宮寬賓寢對尋導壽將爾塵嘗層屬歲島嶺嶼峽幣帥師帳帶幫廣莊慶應廟庫廢開異棄張彌彎彈強歸當錄徹徑憶懷態憐總戀惡慣懸驚慘懶戰戲戶撲執擴掃揚
擾撫搶護報擔擬擁擇掛揮損換據擺攝攤敗敵數齊齋斷無舊時曠顯晉曉暫術樸機殺雜權條來楊極構槍楓櫃標棧棟欄樹樣橋檔夢檢樓歐歡殘畢氣漢湯溝沒滬濃潔澤淺測濟滿漁漸潤澀淚瀏灣濕溫滅燈靈災爐點煉爛煙煩燒熱愛爺牽犧狀猶獨獄獲獵貓環現瑪電畫暢瘋療盡監盤蓋盜
睜矚礦碼磚確禮禍離種積稱穩窮竊窩競筆築簡籃類糧緊紅約級紀純紙紛紋紐線練組細織終經綁結給絡統絕繼績續維綠網緒編緣縮繪羅罰職聯聰腎腫脹腸腦臉臘艦藝節蘇蘋範莖薦藥營蕭薩藍虛蟲雖蝦補裝褲見觀規視覺覽觸計訂認討讓訓議記講許論設訪證評識訴診詞譯試詩
話該詳語誤說請諸課誰調談謀謝謎豬貝負財責賢貨質貪貧購貴貸費賀資賊賭賞賠賴賺賽贈贏趙趕躍踐車軌轉輪軟輕較輛輝輯輸邊遼達遷過運還這進遠違連遲適選遺郵鄭醬釀釋針釣鋼鐘鈔鑰錢鐵鈴鉛銀銅銷鎖鋒錯錫鍋鍵鏡長門閃閉問間悶聞閱隊陽陰階際陸陳險隨隱難霧靜
頂項順須頑顧預領頻題顏額風飛飯飲飾飽餅餓館饒馬駕駛驗騎騙驕髮魚魯鮮鯨鳥鳴鴨鴻鵝鷹麥黃齒齡龍龜灘礎閣韓頁頓飄
"""
_SIMPLIFIED = """
万与专业东丝两严丧个丰临为丽举么义乌乐乔习乡书买乱争亏云亚产亩亲亿仅从仓仪们价众优会伞伟传伤伦伪体佣侠侧侦债倾偿储儿党兰关兴养兽冈写军农冯冲决况冻净准减凑几凤凭凯击划刘则刚创删剧劝办务动励劲劳势区医华协单卖卢卫却厂厅历厉压厌县参双发变叙
叶号叹吓吗启吴员听呜咏响唤团园围国图圆圣场坏块坚坛坝坟坠垒墙壮声壳壶处备复够头夹夺奋奖妆妇妈娇孙宁实宠审宪宫宽宾寝对寻导寿将尔尘尝层属岁岛岭屿峡币帅师帐带帮广庄庆应庙库废开异弃张弥弯弹强归当录彻径忆怀态怜总恋恶惯悬惊惨懒战戏户扑执扩扫扬
扰抚抢护报担拟拥择挂挥损换据摆摄摊败敌数齐斋断无旧时旷显晋晓暂术朴机杀杂权条来杨极构枪枫柜标栈栋栏树样桥档梦检楼欧欢残毕气汉汤沟没沪浓洁泽浅测济满渔渐润涩泪浏湾湿温灭灯灵灾炉点炼烂烟烦烧热爱爷牵牺状犹独狱获猎猫环现玛电画畅疯疗尽监盘盖盗
睁瞩矿码砖确礼祸离种积称稳穷窃窝竞笔筑简篮类粮紧红约级纪纯纸纷纹纽线练组细织终经绑结给络统绝继绩续维绿网绪编缘缩绘罗罚职联聪肾肿胀肠脑脸腊舰艺节苏苹范茎荐药营萧萨蓝虚虫虽虾补装裤见观规视觉览触计订认讨让训议记讲许论设访证评识诉诊词译试诗
话该详语误说请诸课谁调谈谋谢谜猪贝负财责贤货质贪贫购贵贷费贺资贼赌赏赔赖赚赛赠赢赵赶跃践车轨转轮软轻较辆辉辑输边辽达迁过运还这进远违连迟适选遗邮郑酱酿释针钓钢钟钞钥钱铁铃铅银铜销锁锋错锡锅键镜长门闪闭问间闷闻阅队阳阴阶际陆陈险随隐难雾静
顶项顺须顽顾预领频题颜额风飞饭饮饰饱饼饿馆饶马驾驶验骑骗骄发鱼鲁鲜鲸鸟鸣鸭鸿鹅鹰麦黄齿龄龙龟滩础阁韩页顿飘
"""
STOP_WORDS = frozenset([*_ENGLISH.split(), *_CHINESE.split()])
"""Words in lower case that do not show what a text is about."""

_SHORTENED = frozenset(["s", "t", "d", "m", "ll", "re", "ve"])  # endings of English contractions
CJK = (
    "\u1100-\u11ff\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c\u3041-\u3096\u309d-\u309f\u30a1-\u30fa"
    "\u30fc-\u30ff\u3105-\u312f\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97c"
    "\uac00-\ud7a3\ud7b0-\ud7fb\uf900-\ufaff\uff66-\uffdc\U0001aff0-\U0001b16f\U00020000-\U0003ffff"
)
_CLUSTERED = (
    "\u0e01-\u0e2e\u0e30-\u0e3a\u0e40-\u0e45\u0e47-\u0e4e\u0e81-\u0ebd\u0ec0-\u0ec4\u0ec8-\u0ece\u0edc-\u0edf"
    "\u1000-\u103f\u1050-\u108f\u109a-\u109d\u1780-\u17d3\u17dc\u17dd\ua9e0-\ua9ef\ua9fa-\ua9fe\uaa60-\uaa76\uaa7a-\uaa7f"
)
UNSPACED = CJK + _CLUSTERED
"""The ranges of Han, Hiragana, Katakana, Bopomofo, Hangul, Thai, Lao, Burmese and Khmer, which put no blanks between
words, for a character set in a regular expression."""

_MEANING = re.compile("[\u3400-\u9fff\uf900-\ufaff]|^[\uac00-\ud7a3]")
_CLUSTER = re.compile(  # of a run of these scripts, in which all that is no letter is a mark
    r"[\u0e40-\u0e44\u0ec0-\u0ec4]?\w"  # vowels that stand before their consonant
    r"(?:[\u1039\u17d2]\w|[\u0e30\u0e32\u0e45\u0eb0\u0eb2\u0ebd]|[\u1000-\u1021](?=\u1037?\u103a)|\W)*|\W+"
)
_CLUSTERED_RUN = re.compile(f"[{_CLUSTERED}]+")
_RUN = re.compile(f"[{CJK}]+|{_CLUSTERED_RUN.pattern}")
_LETTERS = rf"[^\W_]++(?:[{_CLUSTERED}]++[^\W_]*+)*+"  # of these scripts, marks are part of a word, too
_WORD = re.compile(rf"{_LETTERS}(?:['’]{_LETTERS})*")
_TOKEN = re.compile(_LETTERS)
_ASCII = "".join(chr(code).lower() if chr(code).isalnum() else " " for code in range(128))
"""A table for `translate` that makes blanks of what is no part of a word. For ASCII it is faster than `_TOKEN`."""
_NO_WORD = re.compile(r"[^\w\s\x00-\x7f]+")  # includes combining marks
_KEPT = re.compile(f"[\u3099\u309a{_CLUSTERED}]")
_VOICED = re.compile("[\u3099\u309a]")
_BREAKING = "\u200b\u200c\u200d\u2060"  # invisible characters at which a line may break, or not
_BREAKS = re.compile(f"(?<=[{_CLUSTERED}])[{_BREAKING}]+(?=[{_CLUSTERED}])")
_STROKES = dict(zip("øłđıħŧðŋɓɗƙƴƶɛɔəØŁĐĦŦÐŊƁƊƘƳƵƐƆƏ", "oldihtdnbdkyzeoeOLDHTDNBDKYZEOE", strict=True))
_STROKES |= {"ß": "ss", "æ": "ae", "œ": "oe", "þ": "th", "ẞ": "SS", "Æ": "AE", "Œ": "OE", "Þ": "TH"}
_STROKED = re.compile(f"[{''.join(_STROKES)}]")
_APOSTROPHE = re.compile("['’]")


def spaced(text: str) -> str:
    """Return a text for an index that splits at blanks.

    Each run of a script without blanks becomes its overlapping pairs of characters (in some scripts, of clusters), and
    its last one alone. Each of them then begins a word, so a prefix search finds a single character or cluster.
    """
    return text if text.isascii() else _RUN.sub(_pairs, plain(text))


def plain(text: str) -> str:
    """Return a text with full-width letters, half-width kana, ligatures and the like in their ordinary form (NFKC).

    Combining marks (accents, stress in Russian, vowels in Arabic) are removed: many writers omit them, and a mark that
    no composed character includes would split the word. Letters with strokes and ligatures (`ø`, `æ`) are spelled out.
    The voicing marks of kana and the marks of Thai, Lao, Khmer and Burmese stay, because they make another word.
    """
    if text.isascii():
        return text
    bare = _NO_WORD.sub(_unmarked, unicodedata.normalize("NFKD", text))
    joined = _VOICED.sub("", unicodedata.normalize("NFKC", bare))  # a mark composed with its kana stays
    spelled = _STROKED.sub(lambda letter: _STROKES[letter[0]], joined)
    return _BREAKS.sub("", spelled) if any(char in spelled for char in _BREAKING) else spelled


def _unmarked(run: re.Match[str]) -> str:
    return "".join(each for each in run[0] if unicodedata.category(each)[0] != "M" or _KEPT.match(each))


def _pairs(run: re.Match[str]) -> str:
    parts = _parts(run[0])
    return f" {' '.join(map(operator.add, parts, [*parts[1:], ' ']))} "


def _parts(run: str) -> Sequence[str]:
    """Return the characters of a run of CJK, or the clusters of a run of another script without blanks."""
    return _CLUSTER.findall(run) if _CLUSTERED_RUN.match(run) else run


def terms(query: str) -> list[str]:
    """Return the words of a query, in lower case, each once; for a run without blanks, its pairs, or its only part.

    Stop words are left out, unless the query has nothing else.
    """
    query = plain(query).lower()
    return list(dict.fromkeys(_terms(query, STOP_WORDS))) or list(dict.fromkeys(_terms(query, frozenset())))


def other_characters(text: str) -> list[str]:
    """Return other ways to write a text without blanks: in the other kana, in traditional or in simplified Chinese."""
    written = (text.translate(table) for table in _character_tables())
    return [other for other in dict.fromkeys(written) if other != text]


@functools.cache
def _character_tables() -> list[dict[int, int]]:
    hiragana, katakana = range(0x3041, 0x3097), range(0x30A1, 0x30F7)
    traditional, simplified = (map(ord, "".join(text.split())) for text in (_TRADITIONAL, _SIMPLIFIED))
    to_simplified = dict(zip(traditional, simplified, strict=True))
    to_traditional = {new: old for old, new in to_simplified.items()}
    kana = [dict(zip(*pair, strict=True)) for pair in ((hiragana, katakana), (katakana, hiragana))]
    return [*kana, to_simplified, to_traditional]


def meaning_parts(pair: str) -> list[str]:
    """Return the characters of a pair that have a meaning of their own: Chinese ones, and the first syllable of Korean.

    A word in another form, or one within others, often shares only one of them.
    """
    return _MEANING.findall(pair)


def is_unspaced(text: str) -> bool:
    """Return whether a text consists of characters of one kind of script without blanks between words."""
    return _RUN.fullmatch(text) is not None


def is_single(term: str) -> bool:
    """Return whether a term is a single character or cluster, which stands for all words that begin with it."""
    return not term.isascii() and is_unspaced(term) and len(_parts(term)) == 1


def tokens(text: str) -> list[str]:
    """Return the words of a text for an index, in lower case; runs without blanks as `spaced` splits them."""
    if text.isascii():
        return text.translate(_ASCII).split()
    return _TOKEN.findall(folded(spaced(text)))


def phrase_tokens(text: str) -> list[str]:
    """Return the words of a phrase as they follow each other in the `tokens` of a text that contains it.

    A single character or cluster at the end stands for all words that begin with it.
    """
    words = tokens(text)
    if len(words) > 1 and is_single(words[-1]) and is_unspaced(words[-2]) and words[-2].endswith(words[-1]):
        words.pop()  # in the text, another character may follow it
    return words


def begins_word(text: str, wanted: str) -> bool:
    """Return whether a word of the text begins with `wanted`. Both are folded."""
    at = text.find(wanted)
    while at > 0 and text[at - 1].isalnum():
        at = text.find(wanted, at + 1)
    return at >= 0


def has_letters(text: str, word: str) -> bool:
    """Return whether a text has the letters of a word in their order, with or without others between them."""
    left = iter(text)
    return all(letter in left for letter in word)


def folded(text: str) -> str:
    """Return a text in lower case, in the form in which words are compared."""
    return text.lower().replace("ς", "σ")


def _terms(query: str, stop_words: frozenset[str]) -> list[str]:
    candidates: list[str] = []
    for word in _WORD.findall(query):
        if word.replace("’", "'") in stop_words:
            continue
        first, *others = _APOSTROPHE.split(word)
        for part in [first, *(other for other in others if other not in _SHORTENED)]:
            if part.isascii():
                candidates += [part] if part not in stop_words else []
            else:
                candidates += _mixed(part, stop_words)
    return candidates


def _mixed(word: str, stop_words: frozenset[str]) -> list[str]:
    """Return the terms of a word that may contain runs without blanks."""
    candidates = []
    at = 0
    for run in _RUN.finditer(word):
        candidates += [word[at : run.start()], *_of_run(run[0], stop_words)]
        at = run.end()
    return [term for term in [*candidates, word[at:]] if term and term not in stop_words]


def _of_run(run: str, stop_words: frozenset[str]) -> list[str]:
    """Return the pairs of a run without blanks, but no stop words, and no pairs of two one-character stop words."""
    parts = _parts(run)
    pairs = ["".join(parts[at : at + 2]) for at in range(max(1, len(parts) - 1))]
    return [pair for pair in pairs if pair not in stop_words and not stop_words.issuperset(pair)]
