"""Embeds on the page of a note: what they show, and their bounds."""

import re
from pathlib import Path

from tests.tools.vaults import write
from zkmem.caller import Grant
from zkmem.memory import Memory
from zkmem.recall import page as pages


def page(vault: Path, files: dict[str, str], name: str = "n", folder: str = "") -> str:
    memory = Memory(write(vault, files))
    return (memory.restricted(Grant(folder)) if folder else memory).page(name).html()


def texts(html: str) -> list[str]:
    return [text for text in re.sub(r"<[^>]*>", "\n", html).split("\n") if text.strip()]


def test_an_embed_shows_a_note_a_section_or_a_block(tmp_path: Path) -> None:
    other = "---\nkey: hidden\n---\nFirst.\n\n# One\n\nOf one.\n\n# Two\n\nOf two. ^id\n"
    got = page(tmp_path, {"n.md": "a ![[o]] b\n\n![[o#One]]\n\n![[o#^id]]\n", "o.md": other})
    assert texts(got)[:8] == ["a ", "o", "First.", "One", "Of one.", "Two", "Of two.", " b"]
    assert texts(got)[8:] == ["o &gt; One", "One", "Of one.", "o &gt; ^id", "Of two."]
    assert got.count('<div class="embed">') == 3
    assert re.findall(r"<p[^>]*>\s*</p>", got) == []
    assert 'href="#/note/o?%23One"' in got


def test_an_embed_of_what_is_not_there_stays_a_link(tmp_path: Path) -> None:
    got = page(tmp_path, {"n.md": "![[gone]] ![[o#gone]] ![[o]]", "o.md": "x"})
    assert got.count('<div class="embed">') == 1
    assert 'data-note="o" data-subpath="#gone"' in got


def test_embeds_in_embeds_end_at_the_third_level_and_in_a_cycle(tmp_path: Path) -> None:
    files = {f"{number}.md": f"text {number} ![[{number + 1}]]" for number in range(6)}
    got = page(tmp_path, files, "0")
    assert "text 3" in got
    assert "text 4" not in got
    cycle = {"n.md": "a ![[o]]\n\n# Own\n\n![[#Own]]\n", "o.md": "b ![[n]] ![[o]]"}
    got = page(tmp_path / "cycle", cycle)
    assert [one for one in texts(got) if len(one) == 2] == ["a ", "b "]
    assert got.count('<div class="embed">') == 2, "the note `o`, and the note's own section once"


def test_embeds_are_bounded_in_number_and_in_length(tmp_path: Path) -> None:
    got = page(tmp_path, {"n.md": "![[o]]\n\n" * 60, "o.md": "x"})
    assert got.count('<div class="embed">') == pages._MOST_EMBEDS
    got = page(tmp_path / "long", {"n.md": "![[long]]\n\n![[long]]\n", "long.md": "a word\n" * 40_000})
    assert got.count("Cut here. Read on") == 1
    assert got.count('<div class="embed">') == 1
    assert len(got) < 3 * pages._MOST_EMBEDDED_BYTES


def test_no_more_is_read_for_embeds_than_their_bound(tmp_path: Path) -> None:
    files = {f"{number}.md": "# H\n\nx\n\n# Rest\n\n" + "word " * 100_000 for number in range(10)}
    got = page(tmp_path, files | {"n.md": "".join(f"![[{number}#H]]\n\n" for number in range(10))})
    assert got.count('<div class="embed">') == 4, "four files of half a megabyte are over two megabytes"


def test_an_embed_shows_a_caller_only_what_it_may_read(tmp_path: Path) -> None:
    files = {"in/n.md": "![[secret]] ![[o]]", "out/secret.md": "hidden text", "in/o.md": "shown ![[out/secret]]"}
    got = page(tmp_path, files, "in/n", folder="in")
    assert "shown" in got
    assert "hidden" not in got
    assert 'class="note missing" data-note="out/secret"' in got


def test_a_depth_expands_embeds_and_does_not_embed_them_too(tmp_path: Path) -> None:
    memory = Memory(write(tmp_path, {"n.md": "![[o]] ![[o]]", "o.md": "x"}))
    got = memory.page("n", 1).html()
    assert (got.count("<details"), got.count('<div class="embed">')) == (1, 0)


def test_properties_have_their_lists_links_tags_and_addresses(tmp_path: Path) -> None:
    text = (
        "---\ntags: [a, b/c]\nup: '[[o#Part|shown]]'\nmore:\n  - '[[gone]]'\n  - text\n  - '[[p.png]]'\n"
        "  - '[[q.png]]'\nsite: https://example.org\nyear: 2014\nempty:\n---\nx"
    )
    memory = Memory(write(tmp_path, {"n.md": text, "o.md": "y", "p.png": ""}))
    assert [(one.key, one.is_list, [tuple(item)[:4] for item in one.items]) for one in memory.page("n").values] == [
        ("tags", True, [("a", "tag", "a", ""), ("b/c", "tag", "b/c", "")]),
        ("up", False, [("shown", "note", "o", "#Part")]),
        (
            "more",
            True,
            [
                ("gone", "missing", "gone", ""),
                ("text", "text", "", ""),
                ("p.png", "file", "p.png", ""),
                ("q.png", "gone", "q.png", ""),
            ],
        ),
        ("site", False, [("https://example.org", "address", "https://example.org", "")]),
        ("year", False, [("2014", "text", "", "")]),
        ("empty", False, [("", "text", "", "")]),
    ]


def test_a_property_does_not_show_a_caller_what_is_outside_its_folder(tmp_path: Path) -> None:
    memory = Memory(write(tmp_path, {"in/n.md": "---\nup: '[[x]]'\n---\n", "out/x.md": ""})).restricted(Grant("in"))
    assert memory.page("in/n").values[0].items[0][:3] == ("x", "missing", "x")
