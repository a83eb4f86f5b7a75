"""Write a note as a document of the Open Knowledge Format (OKF), and read it back without a loss.

OKF 0.2 asks for a property `type`, and for Markdown links with relative paths; `index.md` and `log.md` have a meaning
of their own. The changes can be undone: the title of a link keeps its original text, and the property `zkmem_okf` says
what was added.
"""

import hashlib
import html
import re
from collections.abc import Callable

from zkmem.markdown import frontmatter
from zkmem.markdown.destinations import encoded, encoded_subpath
from zkmem.markdown.frontmatter import BOM
from zkmem.markdown.links import Link, body_links
from zkmem.markdown.properties import typed_properties
from zkmem.markdown.rewrite import Splice, apply
from zkmem.names import base_of

RESERVED = ("index.md", "log.md")

_MADE = re.compile(rb"<!-- Made by zkmem: ([0-9a-f]{16}) -->\r?\n")  # with a hash of what follows
_KEY = b"zkmem_okf"
_ADDED = re.compile(rb'(?:type: note\r?\n)?zkmem_okf: "(frontmatter(?: verbatim)?)? ?(?:name ([^"\r\n]*))?"\r?\n')
_WRITTEN = re.compile(rb'>?[ \t]+"(wiki|md):([^"]*)"\)\Z')

Place = Callable[[Link], str | None]
"""Returns the relative path that a link gets; None if the link stays as it is."""


def listing(text: bytes) -> bytes:
    """Return the `index.md` of a folder with a text that lists its notes, marked as made by zkmem."""
    return b"<!-- Made by zkmem: %s -->\n%s" % (_hash(text), text)


def is_listing(path: str, data: bytes) -> bool:
    """Return whether a file of a bundle is an `index.md` as zkmem has made it, so that it is no note."""
    made = _MADE.match(data) if base_of(path) == "index.md" else None
    return made is not None and made[1] == _hash(data[made.end() :])


def _hash(text: bytes) -> bytes:
    """Return a hash of a text that does not depend on its line ends, which git may change."""
    return hashlib.blake2b(text.replace(b"\r\n", b"\n"), digest_size=8).hexdigest().encode()


def packed(data: bytes, place: Place, name: str | None) -> bytes:
    """Return the document of a note. `name`: its own name without its folder, if its file has another name there."""
    with_links = _with_links(data, frontmatter.split(data)[2], place)
    # Some links cannot get a title, and some frontmatter cannot get a property. Then less is changed.
    for document in (_with_type(with_links, name), _with_type(data, name)):
        if unpacked(document) == (data, name) and typed_properties(document).get("type"):
            return document
    return _with_new_frontmatter(data, name, verbatim=True)


def unpacked(document: bytes) -> tuple[bytes, str | None]:
    """Return the note that a document was made from, and the last part of its name if that is not the file's."""
    bom = BOM if document.startswith(BOM) else b""
    rest = document[len(bom) :]
    opening = re.match(rb"---(\r?\n)", rest)
    added = _ADDED.match(rest, opening.end()) if opening else None
    name = None
    if opening and added:
        name = html.unescape(added[2].decode(errors="replace")) if added[2] is not None else None
        if added[1]:
            rest = re.sub(rb"\A---\r?\n", b"", rest[added.end() :])
        else:
            rest = rest[: opening.end()] + rest[added.end() :]
    data = bom + rest
    if added and added[1] and added[1].endswith(b"verbatim"):
        return data, name
    _, _, start = frontmatter.split(data)
    return _with_first_links(data, start), name


def _with_links(data: bytes, start: int, place: Place) -> bytes:
    splices = []
    for link in body_links(data[start:]):
        path = place(link) if link.kind in {"wiki", "md"} else None
        if path is None or (link.kind == "md" and not _ends_with_destination(data, link, start)):
            continue
        written = _first_form(data[start + link.start : start + link.end], link, start, data)
        shown = link.display if link.display is not None else base_of(link.target) or link.subpath.strip("#")
        label = re.sub(r"([\\\[\]])", r"\\\1", shown) if link.kind == "wiki" else shown
        subpath = encoded_subpath(link.subpath, angle=False) if link.subpath else ""
        text = f'{"!" * link.embed}[{label}]({encoded(path, angle=False)}{subpath} "{written}")'
        splices.append(Splice(start + link.start, start + link.end, text.encode()))
    return apply(data, splices)


def _ends_with_destination(data: bytes, link: Link, start: int) -> bool:
    """Return whether a Markdown link ends with its destination, without a title or angle brackets."""
    return link.path_at >= 0 and data[start + link.sub_end : start + link.end] == b")"


def _first_form(raw: bytes, link: Link, start: int, data: bytes) -> str:
    """Return the title that has the first form of a link: what is between its brackets, or its destination."""
    is_wiki = link.kind == "wiki"
    inside = raw.removeprefix(b"!")[2:-2] if is_wiki else data[start + link.path_at : start + link.sub_end]
    text = html.escape(inside.decode(errors="replace"), quote=True).replace("|", "&#124;").replace("\\", "&#92;")
    return f"{link.kind}:{text}"


def _with_first_links(data: bytes, start: int) -> bytes:
    splices = []
    for link in body_links(data[start:]):
        is_written = link.kind == "md" and link.path_at >= 0
        written = _WRITTEN.match(data, start + link.sub_end, start + link.end) if is_written else None
        if not written:
            continue
        first = html.unescape(written[2].decode(errors="replace"))
        if written[1] == b"wiki":
            text = f"{'!' * link.embed}[[{first}]]".encode()
            splices.append(Splice(start + link.start, start + link.end, text))
        else:
            splices.append(Splice(start + link.path_at, start + link.end, f"{first})".encode()))
    return apply(data, splices)


def _with_type(data: bytes, name: str | None) -> bytes:
    """Return a note with a type, and with the property that says what was added."""
    first, last, _ = frontmatter.split(data)
    properties = typed_properties(data)
    if first == last or (not properties and frontmatter.fault(data)) or not _is_mapping(data):
        return _with_new_frontmatter(data, name)
    has_type = bool(properties.get("type"))
    if has_type and name is None and _KEY not in data[first:last]:
        return data
    if "type" in properties and not has_type:
        return _with_new_frontmatter(data, name)
    newline = b"\r\n" if data[first - 2 : first - 1] == b"\r" else b"\n"
    added = (b"" if has_type else b"type: note" + newline) + _property("", name, newline)
    return data[:first] + added + data[first:]


def _is_mapping(data: bytes) -> bool:
    first, last, _ = frontmatter.split(data)
    is_comment = frontmatter.is_comment(data[first:last].decode(errors="replace"))
    return is_comment or bool(frontmatter.read(frontmatter.head_of(data)))


def _with_new_frontmatter(data: bytes, name: str | None, *, verbatim: bool = False) -> bytes:
    """Return a note below frontmatter of its own. `verbatim`: say that its links are as they were."""
    bom = BOM if data.startswith(BOM) else b""
    head = b"---\ntype: note\n" + _property("frontmatter verbatim" if verbatim else "frontmatter", name, b"\n")
    return bom + head + b"---\n" + data[len(bom) :]


def _property(words: str, name: str | None, newline: bytes) -> bytes:
    named = "" if name is None else f"name {html.escape(name, quote=True)}"
    return b'%b: "%b"%b' % (_KEY, " ".join(filter(None, [words, named])).encode(), newline)
