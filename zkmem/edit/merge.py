"""Plan a merge of one note into another."""

from collections.abc import Callable, Hashable, Sequence

from zkmem.edit.plan import Move, Plan, Put, TrashPaths, View
from zkmem.edit.relink import Relinker, alike
from zkmem.errors import Inexpressible
from zkmem.index.resolve import Files, resolve
from zkmem.index.respell import Aim
from zkmem.markdown import destinations, frontmatter
from zkmem.markdown.labels import structure, untangled
from zkmem.markdown.links import Link, as_utf8
from zkmem.markdown.note import body_of
from zkmem.markdown.rewrite import apply
from zkmem.markdown.sections import Outline
from zkmem.names import base_of, name_of
from zkmem.vault.journal.log import Pair

_RULE = b"---"
_MOST_REMARKS = 3
_LONGEST = 100  # characters of a property in a remark


def plan_merge(view: View, old: str, new: str) -> Plan:
    """Plan to append the note `old` to `new`, to update every link to it, and to move its file to the trash.

    Links to parts of the notes keep their meaning: footnotes, labels and block ids that both notes have are renamed in
    the appended text, and links to its headings get the path of headings that leads there. A rule separates the texts,
    or a heading with the name of the old note if the links need it.

    Raises:
        Inexpressible: when the links cannot keep their meaning either way.
    """
    merge = _Merge(view, old, new)
    try:
        return merge.plan(_RULE)
    except Inexpressible:
        plan = merge.plan(b"# " + base_of(name_of(old)).encode())
        return plan._replace(remarks=("the added text has a new heading above it", *plan.remarks))


class _Merge:
    """Two notes that become one."""

    def __init__(self, view: View, old: str, new: str) -> None:
        self.view, self.old, self.new = view, old, new
        self.target, self.appended = view.read(new), view.read(old)
        self.untangled = untangled(_body(self.appended), _body(self.target), alike(view.catalog, old, new))
        begin = frontmatter.split(self.appended)[2]
        self.source = self.appended[:begin] + apply(self.appended[begin:], self.untangled.splices)

    def plan(self, joint: bytes) -> Plan:
        """Return the plan of the merge with the line `joint` between the texts."""
        view, old, new = self.view, self.old, self.new
        plain = Relinker(view, {old: new})
        draft = merged(plain.text(self.target, new), plain.text(self.source, old), joint)
        parts = _Parts(self, Outline(_body(draft)))
        relinker = Relinker(view, {old: new}, parts=parts, of=new if parts.grown else None)
        changed = relinker.changed()
        text = merged(changed.pop(new, self.target), relinker.text(self.source, old), joint)
        relinker.check_kept([(new, self.target), (old, self.appended)], [(new, text)], self._is_left_out)
        self._check_structure(text, relinker)
        steps: list[Put | Move] = [
            Put(new, text, view.base(new)),
            *(Put(path, data, view.base(path)) for path, data in changed.items()),
            Move(old, TrashPaths(view).choose(old), view.base(old)),
        ]
        remarks = (*self.untangled.remarks, *parts.remarks(), *_left_out(text, self.appended))
        return Plan(new, "merged", tuple(steps), tuple(changed), remarks=remarks, merges=(Pair(old, new),))

    def _is_left_out(self, path: str, link: Link) -> bool:
        return path == self.old and link.kind == "ref" and link.display in self.untangled.left_out

    def _check_structure(self, text: bytes, relinker: Relinker) -> None:
        """Check that each of the texts has the same structure in the merged note as before."""

        def meant(source: str, files: Files) -> Callable[[str], Hashable]:
            def meaning(dest: str) -> Hashable:
                parts = destinations.parts(dest)
                path = resolve(files, parts[0], source).path if parts else None
                return relinker.moves.get(path, path) if path is not None else base_of(dest) if parts else dest

            return meaning

        catalog = self.view.catalog
        first = structure(_body(self.target), meant(self.new, catalog))
        last = structure(_body(self.appended), meant(self.old, catalog))
        whole = structure(_body(text), meant(self.new, relinker.after))
        if whole[: len(first)] != first or whole[len(whole) - len(last) :] != last:
            raise self.refusal()

    def refusal(self) -> Inexpressible:
        """Return the error for texts that would have another meaning in one note."""
        return Inexpressible(
            f"{name_of(self.old)!r} and {name_of(self.new)!r} cannot be merged: in one note, their texts would have "
            "another meaning. One of them may leave code, a comment or HTML open, or have a label in brackets that the "
            "other defines. Edit one of them first."
        )


class _Parts:
    """Computes the new targets of links to headings and blocks of two notes after their merge."""

    def __init__(self, merge: _Merge, after: Outline) -> None:
        """`after` is the outline of the merged text."""
        self._merge = merge
        self._target, self._appended, self._after = Outline(_body(merge.target)), Outline(_body(merge.appended)), after
        self._first = len(after.headings) - len(self._appended.headings)  # index of the second text's first heading
        levels = [[heading.level for heading in one.headings] for one in (self._target, self._appended, after)]
        if levels[2][: len(levels[0])] != levels[0] or levels[2][max(self._first, 0) :] != levels[1]:
            raise merge.refusal()
        self.grown = self._grown()
        self._aims: dict[Aim, Aim | None] = {}

    def __call__(self, aim: Aim) -> Aim | None:
        """Return the new target of a link; None if it stays with its file."""
        if aim not in self._aims:
            self._aims[aim] = self._aim(aim)
        return self._aims[aim]

    def _aim(self, aim: Aim) -> Aim | None:
        merge, subpath = self._merge, aim.subpath
        if aim.path == merge.new and self._target.heading(subpath) in self.grown:
            raise Inexpressible(
                f"A link leads to the section {subpath!r} of {name_of(merge.new)!r}, and the text of "
                f"{name_of(merge.old)!r} would become part of it; put a heading before one of them."
            )
        if aim.path != merge.old:
            return None
        if subpath.startswith("#^"):
            block_id = merge.untangled.ids.get(subpath[2:].strip().lower())
            return Aim(merge.new, "#^" + block_id) if block_id else None
        at = self._appended.heading(subpath)
        if at is None:
            return None
        new = self._after.subpath_to(self._first + at, subpath)
        if new is None:
            raise Inexpressible(
                f"{name_of(merge.old)!r} and {name_of(merge.new)!r} both have a heading {subpath!r}, and no link could "
                "tell them apart in one note; rename one of them first."
            )
        return Aim(merge.new, new)

    def _grown(self) -> set[int]:
        """Return the indexes of the headings in the first text whose sections would continue into the second text."""
        first = len(self._after.blocks) - len(self._appended.blocks)
        if not self._appended.blocks or first < 0:
            return set()
        begin = self._after.blocks[first].start
        return {at for at in range(len(self._target.headings)) if self._after.section(at)[1] > begin}

    def remarks(self) -> list[str]:
        """Return a line about the changed links to headings; an empty list if there are none."""
        changed = {
            aim.subpath: new.subpath
            for aim, new in self._aims.items()
            if new and new.subpath != aim.subpath and not aim.subpath.startswith("#^")
        }
        return _remark("links to headings", [f"{old} is now {new}" for old, new in changed.items()])


def _left_out(merged: bytes, appended: bytes) -> list[str]:
    """Return a remark about the properties of `appended` whose values the merged note lacks; empty if it has all."""
    head, properties = _split(merged)[0], _split(appended)[0]
    if _united(head, properties, b"\n") is None:  # the merged note has them in its text, as a code block
        return []
    lacking = frontmatter.left_out(_source(head).decode(), _source(properties).decode())
    shown = [one if len(one) <= _LONGEST else one[:_LONGEST] + "..." for one in lacking]
    return _remark("properties that are now only in the trash", shown)


def _remark(about: str, parts: Sequence[str]) -> list[str]:
    """Return a remark with the first parts and the number of the others; an empty list if there are no parts."""
    more = f" and {len(parts) - _MOST_REMARKS} more" * (len(parts) > _MOST_REMARKS)
    return [f"{about}: {', '.join(parts[:_MOST_REMARKS])}{more}"] if parts else []


def merged(target: bytes, appended: bytes, joint: bytes = _RULE) -> bytes:
    """Return `target`, a blank line, `joint`, a blank line and the text of `appended`, with one frontmatter from both.

    A frontmatter that cannot be merged, for example because it is not YAML, becomes a code block before its text.
    """
    newline = b"\r\n" if b"\r\n" in target else b"\n"
    appended = _with_newlines(appended, newline)
    head, text = _split(target)
    properties, tail = _split(appended)
    if properties:
        both = _united(head, properties, newline)
        if both is None:
            tail = newline.join([b"```yaml", _source(properties).rstrip(), b"```", b"", tail])
        else:
            head = both
    bom = frontmatter.BOM if target.startswith(frontmatter.BOM) else b""
    if not text.strip() or not tail.strip():
        return bom + head + (text if text.strip() else tail)
    return bom + head + _ended(text, newline) + newline.join([b"", joint, b"", tail.lstrip(b"\r\n")])


def _body(data: bytes) -> bytes:
    return as_utf8(body_of(data))


def _split(data: bytes) -> tuple[bytes, bytes]:
    """Split a note into its frontmatter with the fences, and its body; drop the byte order mark."""
    first, _, body = frontmatter.split(data)
    start = data.index(b"---") if body > first else first
    return data[start:body], data[body:]


def _source(properties: bytes) -> bytes:
    """Return the YAML between the fences."""
    first, last, _ = frontmatter.split(properties)
    return properties[first:last]


def _united(head: bytes, properties: bytes, newline: bytes) -> bytes | None:
    """Merge two frontmatters into one with its fences; return None if they cannot be merged."""
    try:
        both = frontmatter.merged(_source(head).decode(), _source(properties).decode(), newline.decode())
    except UnicodeDecodeError:
        return None
    return None if both is None else newline.join([b"---", _ended(both.encode(), newline) + b"---", b""])


def _with_newlines(data: bytes, newline: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n").replace(b"\n", newline)


def _ended(text: bytes, newline: bytes) -> bytes:
    return text if text.endswith(b"\n") else text + newline
