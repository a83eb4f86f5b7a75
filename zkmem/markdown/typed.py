"""Find out what a person is typing at a place of a text: the name of a note, a heading, a tag, a property.

What is being typed is not finished, so no scanner sees it. The text is therefore scanned as if it were finished: with a
mark at the place, and after the mark the brackets or quotes that close a link or a list. So code and comments have no
links here, either.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple

from zkmem.markdown import destinations, frontmatter
from zkmem.markdown.frontmatter import TAGS
from zkmem.markdown.links import as_text, body_links, find_links
from zkmem.markdown.rewrite import has_bar
from zkmem.markdown.tags import inline_tags
from zkmem.util.lazy import LazyModule

if TYPE_CHECKING:
    import yaml
else:
    yaml = LazyModule("yaml")

_MARK = "zkmemtypeshere"  # stands for the rest of the word
_LONGEST = 1_000  # bytes of what is typed
_CLOSING = {"": "]]", "(": ")", "<": ">)"}  # of a link, by what its destination in Markdown begins with
_BLOCKS = {"|", ">"}  # styles of YAML strings without quotation marks around them
_ENDS = ("", ": ", '"', "'", "]", '"]', "']")  # what may be missing after the mark in a frontmatter


class Typed(NamedTuple):
    """What is being typed: its kind, the text before the cursor, and the bytes that a choice replaces."""

    kind: Literal["name", "heading", "block", "tag", "property", "value"]
    text: str
    start: int
    end: int
    target: str = ""  # of a heading or block: the name of its note, "" for this one
    key: str = ""  # of a value: the property
    before: str = ""  # to write before the choice
    after: str = ""  # to write after it, such as `]]`
    lead: str = ""  # the bytes to replace begin with this, before what is being typed
    bar: str = "|"  # how a bar is written here
    quote: str = ""  # the style of the YAML string around it: a quotation mark, `|` or `>`
    markdown: Literal["", "(", "<"] = ""  # of a Markdown link: what its destination begins with
    embed: bool = False

    @property
    def closing(self) -> str:
        """What closes the link that is being typed."""
        return _CLOSING[self.markdown]

    def written(self, text: str) -> str | None:
        """Return a text as it is written here; None if the YAML string around it cannot hold it."""
        if self.markdown and self.kind == "name":
            text = destinations.encoded(text, angle=self.markdown == "<")
        elif self.markdown:
            text = destinations.encoded_subpath(f"#{text}", angle=self.markdown == "<")[1:]
        if not self.quote:
            return frontmatter.as_scalar(text) if self.kind in {"property", "value"} else text
        inside = frontmatter.in_quotes(text, self.quote)
        source = f"{self.quote}-\n {inside}" if self.quote in _BLOCKS else f"{self.quote}{inside}{self.quote}"
        node = frontmatter.compose(source)
        return inside if isinstance(node, yaml.ScalarNode) and node.value == text else None


def typed_at(data: bytes, at: int) -> Typed | None:
    """Return what is being typed at a byte of a text; None for anything else."""
    line = data.rfind(b"\n", 0, at) + 1
    if at - line > _LONGEST:
        line = at - _LONGEST
    first, last, body = frontmatter.split(data)
    in_frontmatter = first <= at <= last and first < body
    tree = _finished(data, at, first, last) if in_frontmatter else None
    for opened in sorted((data.rfind(b"[[", line, at), data.rfind(b"](", line, at)), reverse=True):
        if opened >= 0 and (link := _link(data, opened, at, line, in_frontmatter, tree)):
            return link
    if in_frontmatter:
        return next(_marked(data, at, tree), None) if tree else None
    return _tag(data, at, line, body) if at >= body else None


def _link(
    data: bytes, opened: int, at: int, line: int, in_frontmatter: bool, tree: "yaml.MappingNode | None"
) -> Typed | None:
    """Return what is being typed in the link whose brackets `[[` or `](` are at `opened`."""
    markdown: Literal["", "(", "<"] = (
        "" if data.startswith(b"[[", opened) else "<" if data.startswith(b"](<", opened) else "("
    )
    closing = _CLOSING[markdown].encode()
    inside = data[opened + 2 : at].replace(b" ", b"%20") if markdown == "(" else data[opened + 2 : at]
    by = 0
    if in_frontmatter:  # the YAML may not be finished
        by = max(line, data.rfind(b"[", line, opened) - 1) if markdown else opened
    finished = data[by : opened + 2] + inside + _MARK.encode() + closing
    links = body_links(finished) if in_frontmatter else find_links(finished + data[at:])
    link = next((one for one in links if one.end == len(finished)), None)
    if link is None or (link.kind == "wiki") == bool(markdown) or (link.show_at >= 0 and not markdown):
        return None
    begin, part = (by + link.start, data.find(b"#", opened, at) + 1) if markdown else (opened, by + link.sub_at + 1)
    start = part if link.subpath else opened + 2 + (markdown == "<") if markdown else by + link.path_at
    end, is_closed = _rest(data, begin, at, closing, in_part=bool(link.subpath))
    text, after = _text(data, start, at), "" if is_closed else closing.decode()
    bar = "\\|" if not in_frontmatter and has_bar(data, opened) else "|"
    typed = Typed("name", text, start, end, after=after, bar=bar, markdown=markdown, embed=link.embed)
    if markdown:
        typed = typed._replace(text=destinations.percent_decoded(text))
    if link.subpath:
        is_block = typed.text.startswith("^")
        text = typed.text[1:] if is_block else typed.text.rpartition("#")[2]
        typed = typed._replace(kind="block" if is_block else "heading", text=text, target=link.target)
    if not in_frontmatter:
        return typed
    if quote := _quote(data, begin, tree):
        return typed._replace(quote=quote)
    lead = _text(data, begin, start)  # without quotation marks, YAML would read a list
    before = '"' + frontmatter.in_quotes(lead, '"')
    end += len(closing) * is_closed
    return typed._replace(start=begin, end=end, before=before, after=f'{closing.decode()}"', lead=lead, quote='"')


def _quote(data: bytes, opened: int, tree: "yaml.MappingNode | None") -> str:
    """Return the style of the YAML string around a link; if the YAML is faulty, the quotation mark before the link."""
    if tree is None:
        before = data[:opened].rstrip(b" ")[-1:].decode(errors="replace")
        return before if before in {'"', "'"} else ""
    return next((node.style or "" for node in frontmatter.strings(tree) if _MARK in node.value), "")


def _rest(data: bytes, begin: int, at: int, closing: bytes, *, in_part: bool) -> tuple[int, bool]:
    """Return where the part of the link ends that is being typed, and whether the link is closed."""
    if data.startswith(closing, at):
        return at, True
    line = data.find(b"\n", at)
    now = next(iter(body_links(data[begin : line if line >= 0 else len(data)])), None)
    if now is None or (now.kind == "wiki") != (closing == b"]]") or now.start > 2 or begin + now.end < at:
        return at, False
    return max(at, begin + (now.sub_end if in_part else now.path_end)), True


def _tag(data: bytes, at: int, line: int, body: int) -> Typed | None:
    begin = data.rfind(b"#", max(line, body), at)
    typed = _text(data, begin + 1, at)
    if begin < 0 or typed != "".join(typed.split()):
        return None
    tag = typed + _MARK
    if tag not in inline_tags(data[body:at] + _MARK.encode() + b" " + data[at:]):
        return None
    return Typed("tag", typed, begin + 1, at)


def _finished(data: bytes, at: int, first: int, last: int) -> "yaml.MappingNode | None":
    """Return the frontmatter with a mark for what is being typed, and with what is missing behind it."""
    before, after = as_text(data[first:at]), as_text(data[at:last])
    for end in _ENDS:
        rest = after.lstrip(" \t") if end == ": " else after
        if end == ": " and rest[:1] not in {"", "\r", "\n"}:
            continue
        tree = frontmatter.compose(before + _MARK + end + after)
        if isinstance(tree, yaml.MappingNode):
            return tree
    return None


def _marked(data: bytes, at: int, tree: "yaml.MappingNode") -> Iterator[Typed]:
    """Yield the property, or the value of one, that is being typed in a frontmatter."""
    for key, value in tree.value:
        if isinstance(key, yaml.ScalarNode) and _MARK in key.value:
            text = key.value.partition(_MARK)[0]
            yield Typed("property", text, at - len(text.encode()), at, quote=key.style or "")
        for node in frontmatter.strings(value):
            if _MARK in node.value:
                text = node.value.partition(_MARK)[0]
                kind: Literal["tag", "value"] = "tag" if str(key.value).lower() in TAGS else "value"
                if kind == "tag":
                    text = text.rpartition(",")[2].rpartition(" ")[2].removeprefix("#")
                start = at - len(text.encode())
                if data[start:at] == text.encode():  # else YAML spells it with escapes
                    yield Typed(kind, text, start, at, key=str(key.value), quote=node.style or "")


def _text(data: bytes, start: int, end: int) -> str:
    return data[start:end].decode(errors="replace")
