"""Merge one note into another, as a plan."""

from zkmem.edit.plan import Move, Plan, Put, View
from zkmem.edit.relink import Relinker
from zkmem.edit.trash import trash_path
from zkmem.markdown import frontmatter
from zkmem.markdown.links import as_text


def plan_merge(view: View, old: str, new: str) -> Plan:
    """Append the note `old` to `new`, re-point every link to it, and move its file to the trash."""
    relinker = Relinker(view, {old: new})
    changed = relinker.changed()
    kept = changed.pop(new, view.read(new))
    steps: list[Put | Move] = [
        Put(new, merged(kept, relinker.text(view.read(old), old)), view.base(new)),
        *(Put(path, data, view.base(path)) for path, data in changed.items()),
        Move(old, trash_path(old, view.taken), view.base(old)),
    ]
    return Plan(new, "merged", tuple(steps), tuple(changed))


def merged(kept: bytes, added: bytes) -> bytes:
    """The bytes of `kept`, a blank line, `---`, a blank line and the text of `added`, with both frontmatters as one.

    A frontmatter that cannot be merged (it is not YAML) is kept as a code block before the text it belonged to.
    """
    newline = b"\r\n" if b"\r\n" in kept else b"\n"
    added = _with_newlines(added, newline)
    ours, theirs = frontmatter.split(kept), frontmatter.split(added)
    head, text, tail = kept[: ours[2]], kept[ours[2] :], added[theirs[2] :]
    if theirs[1] > theirs[0]:
        source = added[theirs[0] : theirs[1]]
        both = frontmatter.merged(as_text(kept[ours[0] : ours[1]]), as_text(source), newline.decode())
        if both is None:
            tail = newline.join([b"```yaml", source.rstrip(), b"```", b"", tail])
        elif head.strip():
            head = kept[: ours[0]] + both.encode() + kept[ours[1] : ours[2]]
        else:
            head = head + newline.join([b"---", both.encode().rstrip(), b"---", b""])
    if not text.strip() or not tail.strip():
        return head + (text if text.strip() else tail)
    if not head.endswith(b"\n") and head.strip():
        head += newline
    return head + _ended(text, newline) + newline.join([b"", b"---", b"", tail.lstrip(b"\r\n")])


def _with_newlines(data: bytes, newline: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n").replace(b"\n", newline)


def _ended(text: bytes, newline: bytes) -> bytes:
    return text if text.endswith(b"\n") else text + newline
