"""LangGraph's long-term memory in a folder of a vault: each item is a note that a person can read and link.

    store = NoteStore(Memory("notes"), "agents")
    store.put(("users", "ann"), "tea", {"text": "She prefers [[green tea]].", "rating": 5})
    graph = builder.compile(store=store)

`value["text"]` is the text of the note, the other values are its properties: texts, numbers, booleans and lists of
these. A search with a query finds words, as `zkmem search` does.
"""

import asyncio
import datetime
import json
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote, unquote

import frontmatter
from langgraph.store.base import BaseStore, GetOp, ListNamespacesOp, Op, PutOp, Result, SearchItem, SearchOp

from zkmem import Memory
from zkmem.errors import UnknownNote

_MOST = 10_000  # items of a namespace


class NoteStore(BaseStore):
    """A store whose items are the notes below a folder: `folder/namespace/key.md`."""

    def __init__(self, memory: Memory, folder: str = "store") -> None:
        self._memory, self._folder = memory, folder

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations in their order."""
        return [self._run(op) for op in ops]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations in a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _run(self, op: Op) -> Result:
        match op:
            case GetOp():
                return next(iter(self._items(op.namespace, f"file.path == {json.dumps(self._name(op) + '.md')}")), None)
            case PutOp(value=None):
                try:
                    self._memory.delete("/" + self._name(op))
                except UnknownNote:
                    return None
            case PutOp():
                value = dict(op.value or {})
                post = frontmatter.Post(str(value.pop("text", "")))
                post.metadata = value
                text = frontmatter.dumps(post) if value or post.content.startswith("---") else post.content
                self._memory.write("/" + self._name(op), text.rstrip("\n") + "\n")
            case SearchOp():
                conditions = [f"note[{json.dumps(key)}] == {json.dumps(one)}" for key, one in (op.filter or {}).items()]
                found = self._items(op.namespace_prefix, " && ".join(conditions), op.query or "")
                return found[op.offset : op.offset + op.limit]
            case ListNamespacesOp():
                spaces = {one.namespace[: op.max_depth] for one in self._items((), "")}
                matching = [space for space in spaces if all(_matches(one, space) for one in op.match_conditions or ())]
                return sorted(matching)[op.offset : op.offset + op.limit]
        return None

    def _name(self, op: GetOp | PutOp) -> str:
        return "/".join([self._folder, *map(_part, (*op.namespace, op.key))])

    def _items(self, namespace: tuple[str, ...], condition: str, words: str = "") -> list[SearchItem]:
        folder = "/".join([self._folder, *map(_part, namespace)])
        conditions = " && ".join(filter(None, [f"file.inFolder({json.dumps(folder)})", condition]))
        table = self._memory.query(conditions, search=words, columns=["file.ctime", "file.mtime"], limit=_MOST)
        return [self._item(row.path, *row.cells) for row in table.rows]

    def _item(self, path: str, created: str, updated: str) -> SearchItem:
        *spaces, key = (unquote(part) for part in path.removesuffix(".md").removeprefix(self._folder + "/").split("/"))
        metadata, text = frontmatter.parse(self._memory.read("/" + path, bounded=False).text)
        value = metadata | ({"text": text} if text else {})
        times = datetime.datetime.fromisoformat(created), datetime.datetime.fromisoformat(updated)
        return SearchItem(tuple(spaces), key, value, *times)


def _part(text: str) -> str:
    """Return a text as a part of a note's name. Names cannot have every character, nor differ only in case."""
    return "".join(f"%{ord(one):02X}" if one in ".~" or "A" <= one <= "Z" else quote(one, safe=" ") for one in text)


def _matches(condition: Any, space: tuple[str, ...]) -> bool:
    path = condition.path
    part = space[: len(path)] if condition.match_type == "prefix" else space[-len(path) :]
    return len(part) == len(path) and all(one in ("*", other) for one, other in zip(path, part, strict=True))
