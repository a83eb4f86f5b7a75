"""Markdown of a note for a program that renders it: nothing in it acts, and it looks as before."""

import pyromark
from hypothesis import example, given
from hypothesis import strategies as st

from zkmem.recall.preview import harmless

PIECES = ["[", "]", "(", ")", "!", "<", ">", ":", "command:x", "http://e/", "img src=x", "a", " ", "\n", "`", "\\", "/",
          "[x]: http://e/x.png\n", "![x]", "[[n]]", "```\n", "?", "&lt;", "    ", "-", "|", "\t", "![[http://e/x.png]]",
          "> ", "1. ", "\r", "[x]:", "[x][y]", "[^1]: ", "<command:x>", "(<command:x>)", "&#58;", "&#93;", "\\\n",
          "\x0b"]  # fmt: skip
RULES = [
    pyromark.Options(0),
    pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_STRIKETHROUGH | pyromark.Options.ENABLE_FOOTNOTES,
    pyromark.Options.ENABLE_WIKILINKS | pyromark.Options.ENABLE_MATH,
]


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
@example("![[http://e/x.png]]")
def test_no_rules_of_markdown_see_html_images_or_links_but_wikilinks(text: str) -> None:
    shown = harmless(text)
    assert shown.replace("\u2060", "") == text
    for options in RULES:
        for event in pyromark.events(shown, options=options):
            start = event.get("Start") if isinstance(event, dict) else None
            tag = next(iter(start.values())) if isinstance(start, dict) else {}
            kind = next(iter(start)) if isinstance(start, dict) else start
            assert kind not in {"Image", "HtmlBlock"}, shown
            assert kind != "Link" or isinstance(tag["link_type"], dict), shown
            assert not (isinstance(event, dict) and {"Html", "InlineHtml"} & event.keys()), shown
