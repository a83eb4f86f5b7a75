"""Make texts for a window beside a link: the beginning of what it leads to, in a form that is safe to show."""

import re
from typing import NamedTuple

from zkmem.index.index import Index
from zkmem.index.lookup import name_for
from zkmem.markdown.markers import as_quotes
from zkmem.markdown.note import body_of, read_text
from zkmem.recall.expand import expand
from zkmem.recall.meant import known_subpath
from zkmem.vault.files import Read

_MOST_READ = 1_000_000  # bytes; the beginning of a larger note is shown without its links
_JOINER = "\u2060"
_ACTS = re.compile(r"<(?=[A-Za-z/!?])|!(?=\[)|\](?=\s*[(:\[])")


class TextPreview(NamedTuple):
    """The beginning of a text, with the notes that it links to as quotes."""

    name: str
    text: str
    is_cut: bool


def preview(index: Index, read: Read, path: str, subpath: str, most: int, *, slugs: bool) -> TextPreview:
    """Return at most `most` characters of the note at `path`, or of the part that `subpath` names, if there is one.

    The text has what a model gets with depth 1, without the frontmatter and the marks for the model.
    """
    name, data = name_for(index.catalog, path), read(path)
    if len(data) > _MOST_READ:
        text = body_of(data)[: 4 * most].decode(errors="ignore")[:most]
        return TextPreview(name, text, is_cut=True)

    def read_once(other: str) -> bytes:
        return data if other == path else read(other)

    shown = read_text(data).shown
    part = known_subpath(data, subpath, slugs=slugs) if subpath else None
    begin = 0 if part else len(shown) - len(body_of(shown.encode()).decode())
    expansion = expand(index.catalog, read_once, path, depth=1, offset=begin, max_chars=most, subpath=part or "")
    return TextPreview(name, as_quotes(expansion.text).lstrip("\n"), is_cut=expansion.next_offset is not None)


def harmless(text: str) -> str:
    """Return a text in Markdown without HTML, and without links and images that a program would follow.

    An invisible character goes into each mark that HTML, a link or an image needs, so that no program finds one. A
    remote image would tell its host who reads a note, and links may run commands in some programs. Programs differ in
    what they take for code, so text in code is changed, too.
    """
    return _ACTS.sub(lambda match: match[0] + _JOINER, text)
