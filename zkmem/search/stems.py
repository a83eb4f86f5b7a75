"""Reduce English words to their stems: with the Snowball project's "porter" algorithm, and a table of irregular forms.

Words of other languages keep their form, except for endings that look English. Texts and queries go through the same
function, so both sides of a comparison change in the same way.
"""

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

import Stemmer

from zkmem.util.words import folded, plain, terms

_IRREGULAR = """
bear bore born borne; beat beaten; become became; begin began begun; bend bent; bind bound; bite bit bitten; bleed bled;
blow blew blown; break broke broken; breed bred; bring brought; build built; burn burnt; buy bought; catch caught; child
children; choose chose chosen; cling clung; come came; creep crept; deal dealt; dig dug; draw drew drawn; dream dreamt;
drink drank drunk; drive drove driven; eat ate eaten; fall fell fallen; feed fed; feel felt; fight fought; find found;
flee fled; fly flew flown; foot feet; forbid forbade forbidden; forget forgot forgotten; forgive forgave forgiven;
freeze froze frozen; get got gotten; give gave given; go goes went gone; goose geese; grow grew grown; half halves; hang
hung; hear heard; hide hid hidden; hold held; keep kept; kneel knelt; knife knives; know knew known; lead led; leap
leapt; learn learnt; lend lent; life lives; light lit; lose lost; make made; man men; mean meant; meet met; mistake
mistook mistaken; mouse mice; ox oxen; pay paid; person people; prove proven; ride rode ridden; ring rang rung; rise
rose risen; run ran; say said; see saw seen; seek sought; sell sold; send sent; sew sewn; shake shook shaken; shelf
shelves; shine shone; shoot shot; show shown; shrink shrank shrunk; sing sang sung; sink sank sunk; sit sat; sleep
slept; slide slid; speak spoke spoken; spend spent; spin spun; stand stood; steal stole stolen; stick stuck; sting
stung; strike struck; swear swore sworn; sweep swept; swim swam swum; swing swung; take took taken; teach taught; tear
tore torn; tell told; thief thieves; think thought; throw threw thrown; tooth teeth; understand understood; wake woke
woken; wear wore worn; weave wove woven; weep wept; wife wives; win won; withdraw withdrew withdrawn; wolf wolves; woman
women; write wrote written
"""
_BASES = {form: base for group in _IRREGULAR.split(";") for base, *forms in [group.split()] for form in forms}
_MOST, _LONGEST = 100_000, 64  # words to remember, and their characters; longer ones are no words with a stem


class Memo(dict[str, str]):
    """A cache of what a function returns for words."""

    def __init__(self, compute: Callable[[str], str]) -> None:
        """Remember what `compute` returns for a word."""
        super().__init__()
        self._compute = compute

    def __missing__(self, word: str) -> str:
        value = self._compute(word)
        if len(self) >= _MOST:
            self.clear()
        if len(word) <= _LONGEST:
            self[word] = value
        return value


def _stem(word: str) -> str:
    if len(word) > _LONGEST:
        return word
    return Stemmer.Stemmer("porter", 0).stemWord(_BASES.get(word, word)) or word  # the stem of "s" is empty


stem_of = Memo(_stem)  # the stemmer has a cache, too, but a slower one


def stems(words: Iterable[str]) -> list[str]:
    """Return the stem of each of some words, which must be in lower case."""
    return list(map(stem_of.__getitem__, words))


class Term(NamedTuple):
    """A word to look for."""

    stem: str
    word: str  # as it is in the query, in lower case
    weight: float = 1.0


_NAME_WEIGHT = 1.5
_WORD = re.compile(r"[^\W_]+")


def terms_of(query: str) -> list[Term]:
    """Return the terms of a query, one for each stem: words, CJK pairs and single CJK characters.

    Stop words are left out, unless the query has nothing else. A word that the query capitalises, and that is not its
    first one, is probably a name, and gets a higher weight.
    """
    words = [folded(word) for word in terms(query)]
    names = {folded(word) for word in _WORD.findall(plain(query))[1:] if word[0].isupper()}
    of_stem: dict[str, Term] = {}
    for stem, word in zip(stems(words), words, strict=True):
        of_stem.setdefault(stem, Term(stem, word, _NAME_WEIGHT if word in names else 1.0))
    return list(of_stem.values())
