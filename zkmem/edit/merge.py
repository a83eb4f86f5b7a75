"""Merge one note into another, as a plan."""

from zkmem.edit.plan import Move, Plan, Put, View
from zkmem.edit.relink import Relinker
from zkmem.edit.trash import trash_path
from zkmem.markdown import frontmatter


def plan_merge(view: View, old: str, new: str) -> Plan:
    """Append the note `old` to `new`, re-point every link to it, and move its file to the trash."""
    relinker = Relinker(view, {old: new})
    changed = relinker.changed()
    kept = changed.pop(new, view.read(new))
    text = merged(kept, relinker.text(view.read(old), old))
    relinker.check_kept([(new, view.read(new)), (old, view.read(old))], [(new, text)])
    steps: list[Put | Move] = [
        Put(new, text, view.base(new)),
        *(Put(path, data, view.base(path)) for path, data in changed.items()),
        Move(old, trash_path(old, view.taken), view.base(old)),
    ]
    return Plan(new, "merged", tuple(steps), tuple(changed))


def merged(kept: bytes, added: bytes) -> bytes:
    """The bytes of `kept`, a blank line, `---`, a blank line and the text of `added`, with both frontmatters as one.

    A frontmatter that cannot be merged (it is not YAML, say) is kept as a code block before the text it belonged to.
    """
    newline = b"\r\n" if b"\r\n" in kept else b"\n"
    added = _with_newlines(added, newline)
    head, text = _split(kept)
    properties, tail = _split(added)
    if properties:
        both = _united(head, properties, newline)
        if both is None:
            tail = newline.join([b"```yaml", _source(properties).rstrip(), b"```", b"", tail])
        else:
            head = both
    bom = frontmatter.BOM if kept.startswith(frontmatter.BOM) else b""
    if not text.strip() or not tail.strip():
        return bom + head + (text if text.strip() else tail)
    return bom + head + _ended(text, newline) + newline.join([b"", b"---", b"", tail.lstrip(b"\r\n")])


def _split(data: bytes) -> tuple[bytes, bytes]:
    """The frontmatter with its fences, and the body; no BOM."""
    first, _, body = frontmatter.split(data)
    start = data.index(b"---") if body > first else first
    return data[start:body], data[body:]


def _source(properties: bytes) -> bytes:
    """The YAML between the fences."""
    first, last, _ = frontmatter.split(properties)
    return properties[first:last]


def _united(head: bytes, properties: bytes, newline: bytes) -> bytes | None:
    """One frontmatter with its fences from two; None where they cannot be merged."""
    try:
        both = frontmatter.merged(_source(head).decode(), _source(properties).decode(), newline.decode())
    except UnicodeDecodeError:
        return None
    return None if both is None else newline.join([b"---", _ended(both.encode(), newline) + b"---", b""])


def _with_newlines(data: bytes, newline: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n").replace(b"\n", newline)


def _ended(text: bytes, newline: bytes) -> bytes:
    return text if text.endswith(b"\n") else text + newline
