"""Say which conversations are worth a note, what the note is called, and which names are in them.

Rules: docs/how-to/importing.md.
"""

import hashlib
import re
from collections.abc import Iterator

from zkmem.records.encoded_names import first_words
from zkmem.transcripts.conversation import Transcript

LEAST_WORDS = 12
"""How many words the person must have said in all."""
MOST_ALIKE = 3
"""How many conversations may begin with the same words. If there are more, a program began them."""
LEAST_SHARED = 3
"""How many conversations must mention a name before it becomes a link, if no note has this name."""

_WORD = re.compile(r"[^\W_](?:[\w'’.+-]*[\w+])?")
_ENDS_SENTENCE = re.compile(r"[.!?:;\n\"“”(•*>-]\s*$|^\s*$")
_LONGEST_NAME = 4  # words


def reason_against(one: Transcript) -> str:
    """Return why a conversation is not worth a note; "" if it is."""
    if not one.messages:
        return "conversations in which no person said anything"
    if not one.answer:
        return "conversations without an answer"
    if one.words < LEAST_WORDS:
        return f"conversations in which you said fewer than {LEAST_WORDS} words"
    return ""


def opening(one: Transcript) -> bytes:
    """Return a hash of the words with which a conversation begins. Numbers make no difference."""
    words = re.sub(r"\d+", "0", one.said[0].lower())[:300]
    return hashlib.blake2b(" ".join(words.split()).encode(), digest_size=8).digest()


def title_of(one: Transcript) -> str:
    """Return the title for the note: that of the client, else the first words of the person."""
    return first_words(one.title) or first_words("\n".join(one.said)) or "conversation"


def phrases(one: Transcript) -> Iterator[str]:
    """Yield the words and the sequences of up to four words that the person said, the longest first."""
    texts = [_WORD.findall(line) for text in one.said for line in text.split("\n")]
    for length in range(_LONGEST_NAME, 0, -1):
        for words in texts:
            for at in range(len(words) - length + 1):
                yield " ".join(words[at : at + length])


def proper_names(one: Transcript) -> set[str]:
    """Return what looks like a name in the words of the person.

    Names are two to four words with capitals within a sentence (`Ann Miller`), and words with a capital in the middle
    (`FastAPI`). One capitalised word alone is too often a noun, or the beginning of a sentence.
    """
    return {name for text in one.said for name in _names_in(text)}


def _names_in(text: str) -> Iterator[str]:
    run, end = list[str](), 0
    for match in _WORD.finditer(text):
        word, before = match[0].removesuffix("'s").removesuffix("’s"), text[max(0, match.start() - 3) : match.start()]
        is_capitalised = word[0].isupper() and any(map(str.islower, word))
        if text[end : match.start()] != " " or not is_capitalised:
            yield from _joined(run)
            run = []
        if is_capitalised and not _ENDS_SENTENCE.search(before):
            run.append(word)
        if re.search(r"[a-z][A-Z]", word) and word.isalnum():
            yield word
        end = match.end()
    yield from _joined(run)


def _joined(run: list[str]) -> list[str]:
    return [" ".join(run)] if 2 <= len(run) <= _LONGEST_NAME else []
