"""Raw memories as notes: the body is the data, byte for byte; description and summaries are properties."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from zkmem.errors import Damaged
from zkmem.records.draft import Draft
from zkmem.records.pages import Page
from zkmem.toolsets.record_properties import RAW
from zkmem.toolsets.think.lines import lines_of
from zkmem.toolsets.think.summaries import LinesSummary, checked, signed


class Raw(NamedTuple):
    """A raw memory. A plain note can be read as one without a description."""

    name: str
    description: str
    data: str
    summaries: Sequence[LinesSummary] = ()

    @classmethod
    def of(cls, page: Page) -> "Raw":
        """Return the raw memory in a note."""
        text = page.sound().exact_body
        description = page.properties.get("description", "") if kind_of(page) else ""
        summaries = _summaries(page) if kind_of(page) == RAW else []
        return cls(page.name, str(description), text, tuple(checked(text, summaries)))

    @property
    def unsigned(self) -> "Raw":
        """The memory without the hashes of its summaries, as THINK-MEM files have it."""
        return self._replace(summaries=tuple(one._replace(hash="") for one in self.summaries))

    @property
    def record(self) -> dict[str, Any]:
        """The `RawMemory` object of the THINK-MEM specification."""
        return {
            "name": self.name,
            "type": RAW,
            "description": self.description,
            "data": self.data,
            "summaries": [one.data for one in self.summaries],
            "nLines": len(lines_of(self.data)),
            "nChars": len(self.data),
        }


def kind_of(page: Page) -> str:
    """Return the `type` of a note: `raw`, `list` or `graph`, "" for a plain note, or that of another toolset."""
    kind = page.properties.get("type", "")
    return kind if isinstance(kind, str) else "?"


def create(draft: Draft, path: str, raw: Raw, more: Mapping[str, object] = {}) -> str:
    """Create the note of a raw memory, and return its path."""
    summaries = [one.record for one in signed(raw.data, raw.summaries)]
    properties = {"description": raw.description, **more} | ({"summaries": summaries} if summaries else {})
    return create_note(draft, path, RAW, raw.name, properties, raw.data).path


def create_note(
    draft: Draft, path: str, kind: str, name: str, properties: Mapping[str, object], data: str = ""
) -> Page:
    """Create the note of a memory of any kind; that of a list or a graph has no text at first."""
    called = {} if Page(path, b"").name == name else {"name": name}
    return draft.write(path, {"type": kind, **called, **properties}, data, exact=True)


def update(draft: Draft, page: Page, data: str, summaries: Sequence[LinesSummary]) -> int:
    """Replace the data and summaries of a raw memory; its other properties stay as written.

    Returns the number of old summaries of lines that did not exist, as after an edit by hand; they are dropped.
    """
    old, new = _summaries(page), [one.record for one in summaries]
    properties = {} if new == [one.record for one in old] else {"summaries": new or None}
    draft.write(page.path, properties, data, exact=True)
    count = len(lines_of(page.exact_body))
    return sum(one.last >= count for one in old)


def _summaries(page: Page) -> list[LinesSummary]:
    values = page.properties.get("summaries", [])
    try:
        read = [_summary(one) for one in values or ()]
    except (TypeError, KeyError, ValueError, LookupError, AttributeError):
        read = [LinesSummary(1, 0, "")]
    if any(not 0 <= one.first <= one.last for one in read):
        raise Damaged(
            f"The note {page.name!r} is damaged: its `summaries` are no list of {{lineBeg, lineEnd, text}}. "
            "It was left as it is; mend it, or take the property out."
        )
    return read


def _summary(written: Mapping[str, Any]) -> LinesSummary:
    more = {key: value for key, value in written.items() if key not in {"lineBeg", "lineEnd", "text", "hash"}}
    first, last = int(written["lineBeg"]), int(written["lineEnd"])
    return LinesSummary(first, last, str(written["text"]), str(written.get("hash", "")), more)
