"""No construct of a real note stays as it is written on the page, and each is shown as often as the note has it."""

import re
from pathlib import Path

import pytest

from tests.tools.rendered import Texts, constructs, main, raw, whole
from tests.tools.vaults import write
from zkmem.memory import Memory

ROOT = Path(__file__).parents[2]
VAULTS = {"sample_vault": ROOT / "sample_vault", "docs": ROOT / "docs"}

EVERYTHING = """---
tags: [a]
---
# Heading ==marked==

> [!tip]- Title
> Text %%hidden%% with [[Note]] and #tag. ^id

- [ ] task https://example.org
- [-] other[^1]

| a | b |
|---|---|
| ==c== | ^[inline] |

$$x$$ and `[[code]] ==code==`

```
> [!tip] code %%
```

%%
> [!tip] hidden
%%

[^1]: note
"""


@pytest.mark.parametrize("vault", VAULTS)
def test_the_notes_of_a_vault_show_nothing_as_it_is_written(tmp_path: Path, vault: str) -> None:
    notes = {str(path.relative_to(VAULTS[vault])): path.read_bytes() for path in VAULTS[vault].rglob("*.md")}
    memory = Memory(write(tmp_path, notes))
    for name in sorted(memory.graph().names)[:100]:
        page, html = whole(memory, name)
        own, texts = constructs(page.text.encode()), Texts(html)
        assert list(raw(html)) == [], name
        assert (own["callout"], own["code"]) == (texts.counts[".callout"], texts.counts["pre"]), name


def test_every_construct_of_a_note_is_shown(tmp_path: Path) -> None:
    memory = Memory(write(tmp_path, {"n.md": EVERYTHING}))
    page, html = whole(memory, "n")
    own, counts = constructs(page.text.encode()), Texts(html).counts
    assert own == {"callout": 1, "comment": 2, "link": 1, "embed": 0, "block id": 1, "tag": 1, "code": 1}
    assert list(raw(html)) == []
    shown = {
        name: counts[name] for name in (".callout", ".tag", ".block", "mark", "input", ".footnote", "table", "pre")
    }
    assert shown == {".callout": 1, ".tag": 1, ".block": 1, "mark": 2, "input": 2, ".footnote": 2, "table": 1, "pre": 1}
    assert "hidden" not in html


def test_the_comparison_notices_what_is_as_it_is_written() -> None:
    written = ["[!tip] x", "a %%b%%", "==x==", "[[x", "x ^id", "a[^1]", "[ ] x", "https://x", "|---|", "$$"]
    assert [kind for line in written for kind, _ in raw(f"<p>{line}</p>")] == [
        "callout", "comment", "highlight", "link", "block id", "footnote", "task", "address", "table", "formula",
    ]  # fmt: skip
    assert list(raw("<pre>[!tip] %%</pre><code>[[x</code><a>https://x</a>")) == []


def test_the_figures_of_a_sample_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(write(tmp_path, {"n.md": EVERYTHING, "o.md": "x [^gone]"}), "2")
    out = capsys.readouterr().out
    assert "o: footnote: x [^gone]" in out
    assert re.search(r"2 notes; .*as written \{'footnote': 1\}", out)
