"""Notes as HTML: links become anchors, expansions nest, and nothing that a note holds can act."""

import html
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from tests.tools.vaults import write
from zkmem.markdown.html import Anchor, Kind, Renderer
from zkmem.markdown.links import Link, body_links
from zkmem.memory import Memory
from zkmem.util.characters import closed

TAGS = {
    "a", "abbr", "b", "blockquote", "br", "caption", "cite", "code", "dd", "del", "details", "div", "dl", "dt", "em",
    "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "img", "input", "ins", "kbd", "li", "mark", "ol", "p", "pre", "q",
    "rt", "ruby", "s", "samp", "small", "span", "strong", "sub", "summary", "sup", "table", "tbody", "td",
    "tfoot", "th", "thead", "tr", "u", "ul", "var",
}  # fmt: skip
ATTRIBUTES = {
    "align", "alt", "checked", "class", "colspan", "data-anchor", "data-block", "data-file", "data-gone",
    "data-heading", "data-jump", "data-note", "data-scheme", "data-subpath", "data-tag", "data-task", "dir", "disabled",
    "height", "href", "lang", "open", "rel", "rowspan", "start", "target", "title", "type", "value", "width",
}  # fmt: skip
CLASSES = re.compile(
    "note|note missing|file|expansion|language-.*|math math-(inline|display)|callout callout-[a-z]+"
    "|file media|gone|embed|callout-(title|content)|table|tag|scheme|block|lone|footnotes?|back|hiding"
)


class Seen(HTMLParser):
    """What a browser would find in a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        self.tags.append(("!--", {}))

    def handle_decl(self, decl: str) -> None:
        self.tags.append(("!", {}))

    def handle_pi(self, data: str) -> None:
        self.tags.append(("?", {}))

    def named(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.tags if name == tag]


def assert_harmless(page: str) -> None:
    for tag, attributes in Seen(page).tags:
        assert tag in TAGS, tag
        assert set(attributes) <= ATTRIBUTES, (tag, attributes)
        assert re.match(r"https?://|mailto:|#/(note|tag)/", attributes.get("href", "#/note/"), re.IGNORECASE), (
            attributes
        )
        assert CLASSES.fullmatch(attributes.get("class", "note")), attributes
        assert tag != "input" or (attributes["type"] == "checkbox" and "disabled" in attributes)
        assert "target" not in attributes or attributes["rel"] == "noopener noreferrer"


def page(vault: Path, text: str | bytes, depth: int = 0, **others: str | bytes) -> str:
    memory = Memory(write(vault, {"n.md": text, **{f"{name}.md": other for name, other in others.items()}}))
    return memory.page("n", depth).html()


def rendered(text: str) -> str:
    """A text whose links all lead to notes of the names that they are written with."""
    renderer, body = Renderer(), text.encode()
    links = [(link, Anchor("note", link.target)) for link in body_links(body)]
    return renderer.finished(renderer.part(body, links))


HOSTILE = [
    "<script>alert(1)</script>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<img src=x onerror=alert(1)>",
    '<img src="javascript:alert(1)">',
    "<svg onload=alert(1)><script>alert(1)</script></svg>",
    "<svg><style><img src=x onerror=alert(1)></style></svg>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "<iframe src=//evil.example></iframe><iframe srcdoc='<script>1</script>'></iframe>",
    "<style>*{background:url(//evil.example)}</style>",
    '<p style="background:url(//evil.example)">x</p>',
    "<form action=//evil.example><input name=a type=text autofocus onfocus=alert(1)><button>b</button></form>",
    "<base href=//evil.example>",
    '<meta http-equiv="refresh" content="0;url=//evil.example">',
    "<link rel=stylesheet href=//evil.example>",
    "<object data=x></object><embed src=x><applet></applet>",
    "<video src=x onerror=alert(1)></video><audio src=x></audio>",
    "<template><script>alert(1)</script></template>",
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    "<textarea><script>alert(1)</script>",
    "<title><script>alert(1)</script>",
    "<plaintext>",
    "<!-- comment --><!--><script>alert(1)</script>-->",
    "<![CDATA[<script>alert(1)</script>]]><?php echo 1 ?><!DOCTYPE html>",
    "[a](javascript:alert(1)) [b](JaVaScRiPt:alert(1)) [c](java&#10;script:alert(1)) [d](<java\tscript:alert(1)>)",
    "[e](data:text/html;base64,PHNjcmlwdD4=) [f](vbscript:x) <javascript:alert(1)> [g](file:///etc/passwd)",
    '<a href="&#106;avascript:alert(1)">x</a> <a href=" javascript:alert(1)">x</a> <a href="\x01javascript:1">x</a>',
    '<a href="//evil.example">x</a> <a href="/api/undo">x</a> <a href="#/note/other">x</a>',
    "![x](javascript:alert(1)) ![x](data:image/svg+xml,<svg/onload=alert(1)>) ![x](http://evil.example/p.png)",
    '[x](http://e.example "t\\" onmouseover=alert(1) x=\\"")',
    "[x]: javascript:alert(1)\n\n[x] ![x]\n",
    '<details class="expansion" data-note="Secret" open><summary>Secret</summary>fake</details></details></div>',
    '<a class="note" data-note="Secret" href="#/note/Secret">x</a><img data-file="secret.png">',
    "<div id=panel class=toast name=api>x</div>",
    '[[x" onmouseover="alert(1)]] [[<script>alert(1)</script>]] [[y|<img src=x onerror=alert(1)>]]',
    "[<img src=x onerror=alert(1)>](note.md) ![<svg onload=alert(1)>](p.png)",
    '![a [[x" onload="alert(1)]] b](http://e.example/p.png)',
    "| a |\n|--|\n| [<script>|</script>](note.md) |\n",
    "```html\n<script>alert(1)</script>\n```\n",
    '```js onload=alert(1)"><script>\n1\n```\n',
    '$<script>alert(1)</script>$ $$x" onload="1$$',
    "+ADw-script+AD4-alert(1)+ADw-/script+AD4-",
    "\x00<\x00script>alert(1)</script>\ufeff<script>",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_that_a_note_holds_can_act(tmp_path: Path, text: str) -> None:
    got = page(tmp_path, f"before\n\n{text}\n\nafter [[n]]\n")
    assert_harmless(got)
    assert "evil.example" not in "".join(str(one) for one in Seen(got).named("img"))
    assert "before" in got


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-7", "latin-1", "utf-32"])
def test_nor_in_another_encoding(tmp_path: Path, encoding: str) -> None:
    text = "é <script>alert(1)</script> <img src=x onerror=alert(1)> [[n]]"
    assert_harmless(page(tmp_path, text.encode(encoding)))
    assert_harmless(page(tmp_path, b"\xff\xfe\x80" + text.encode("latin-1")))


HIDING = [
    "<select><template><style>", "<math><mtext><style><!--", "<!-- x", "<!--\n\nx", "a <style> b", "a <script> b",
    "<textarea>", "a <textarea>", "<title>", "<xmp>", "<plaintext>", "a <plaintext>", "<iframe>", "<noscript>",
    "<noembed>", "<noframes>", "<template>", "a <template> b\n\n- c", "<svg><desc><style>", "<svg><foreignObject>",
    '<math><annotation-xml encoding="text/html"><style>', '<div title="', "<div title='", "<?php", "<![CDATA[",
    "<!DOCTYPE", "<rp>", "<ruby>x<rp>", "<table><style>", "<table><tr><td><template>", "- a <style>\n  - b",
    "> <style>", "# a <style>",
    "| a |\n|--|\n| <style> |", "a[^1] <b>\n\n[^1]: <style>", "<style></style><script>", "</p><style>", "<b><i><style>",
    "> [!tip] <style>\n> x", "![[n]] <style>", "<details><template>", "<style>" * 200,
]  # fmt: skip


@pytest.mark.parametrize("text", HIDING)
def test_html_that_would_hide_the_rest_of_a_note_is_shown_as_text_with_a_mark(tmp_path: Path, text: str) -> None:
    got = page(tmp_path, f"before\n\n{text}\n\nafter [[n]]\n\n- last\n")
    seen = Seen(got)
    assert_harmless(got)
    shown = "".join(seen.texts)
    assert "before" in shown
    assert "after" in shown
    assert "last" in shown
    assert [one for one in seen.named("mark") if one["class"] == "hiding" and one["title"]]
    marked = "".join(re.findall(r'<mark class="hiding"[^>]*>([^<]*)</mark>', got))
    assert "&lt;" in marked


@pytest.mark.parametrize(
    "text",
    [
        "<!-- comment -->", "a <!-- comment --> b", "<!--\n\nlong\n\n-->", "<script>alert(1)</script>",
        "<style>\np {}\n</style>", "<svg><path d='M0'/></svg>", "<details><summary>x</summary>\n\ny\n\n</details>",
        "<b>x", "<table><tr><td>x</table>", "<table>\n\n<tr>\n\n<td>\n\nx\n\n</td>\n\n</tr>\n\n</table>",
        "<ruby>x<rp>(</rp><rt>y</rt><rp>)</rp></ruby>", "<select><option>x</option></select>", "<div>\n\nx",
        "</div></div>", "<object><video>x", "<p>x<p>y",
    ],
)  # fmt: skip
def test_html_that_hides_nothing_else_is_not_marked(tmp_path: Path, text: str) -> None:
    got = page(tmp_path, f"before\n\n{text}\n\nafter [[n]]\n")
    assert "hiding" not in got
    assert "&lt;" not in got
    assert re.search("before.*after <a ", got, re.DOTALL)


@pytest.mark.parametrize("name", ["a\u202eb", "a\u2069\u202eb", "\u2066\u202d\u202ba", "\u202c\u2069a\u2067"])
def test_a_name_that_sets_the_direction_of_writing_has_no_effect_on_what_follows(tmp_path: Path, name: str) -> None:
    write(tmp_path, {f"{name}.md": f"Of {name}.\n", f"{name}.pdf": b""})
    text = f"[[{name}]] [x](<{name}.md>) ![[{name}]] ![[{name}.png]] ![[{name}.pdf]] [[{name}|\u202ealias]] end\n"
    for got in (page(tmp_path, text), page(tmp_path, text, depth=1)):
        for link, inside in re.findall("(<(?:a|summary)[^>]*>)(.*?)</(?:a|summary)>", got):
            shown = html.unescape(re.sub("<[^>]*>", "", inside))
            assert closed(shown) == shown
            assert 'dir="auto"' in link or "<summary" in link


@pytest.mark.parametrize(("letter", "direction"), [("a", "ltr"), ("\u05d0", "rtl"), ("1", "ltr")])
@pytest.mark.parametrize("unit", ["=={}== ", "`{}` ", "{}\n", "*{}* ", "[{}](https://e.example) ", "<b>{}</b>"])
def test_a_block_of_very_many_pieces_says_its_direction_itself(unit: str, letter: str, direction: str) -> None:
    for begin in ("", "> ", "- ", "# ", "| a |\n|--|\n| "):
        got = rendered(f"{begin}(1) " + (unit if not begin else unit.replace("\n", "<br>")).format(letter) * 1_500)
        assert f'dir="{direction}"' in got
        assert 'dir="auto"' not in got.replace('<th dir="auto">', "")
    assert rendered(unit.format(letter) + "\n").startswith('<p dir="auto">')


def test_html_of_a_note_leaves_no_direction_to_the_browser_and_spans_few_cells() -> None:
    got = rendered('<p dir="rtl">a</p><p dir="auto">b</p><p dir="AUTO">c</p>\n')
    assert got.replace("\n", "") == '<p dir="rtl">a</p><p>b</p><p>c</p>'
    spans = rendered("<table><tr><td colspan=99 rowspan=2>a<td colspan=100 rowspan=65534>b</table>\n")
    assert re.findall("<td[^>]*>", spans) in (
        ['<td colspan="99" rowspan="2">', "<td>"],
        ['<td rowspan="2" colspan="99">', "<td>"],
    )


PIECES = st.one_of(
    st.sampled_from(HOSTILE),
    st.sampled_from(
        ["[[n]]", "![[n]]", "[x](n.md)", "![[", "]]", "](n.md)", "[", "`", "```\n", "$", "|", "\n", "\n\n"]
    ),
    st.sampled_from(["> ", "- ", "- [ ] ", "# ", "\\", "<", ">", '"', "'", "=", "&lt;", "<a ", "<p", "-->", "<!--"]),
    st.text(max_size=6),
)


@given(st.lists(PIECES, max_size=12).map("".join))
@settings(max_examples=400)
def test_no_mixture_of_markdown_links_and_hostile_html_acts(text: str) -> None:
    text = text.encode(errors="replace").decode()
    got = rendered(text)
    assert_harmless(got)
    links = {link.target for link in body_links(text.encode())}
    assert {one["data-note"] for _, one in Seen(got).tags if "data-note" in one} <= links  # none can be made up


@given(st.lists(PIECES | st.sampled_from(HIDING), max_size=8).map("".join))
@settings(max_examples=300)
def test_no_mixture_of_markdown_and_html_hides_the_end_of_a_note(text: str) -> None:
    assume("%%" not in text)  # a comment of Obsidian may hide it
    text = text.encode(errors="replace").decode()
    assert "unmistakable" in "".join(Seen(rendered(f"{text}\n\nunmistakable\n")).texts)


@given(st.lists(PIECES, max_size=8).map("".join))
@settings(max_examples=100)
def test_nor_does_a_mixture_that_is_shown_within_another_note(text: str) -> None:
    renderer, body = Renderer(), text.encode(errors="replace")
    inner = renderer.part(body, [(link, Anchor("missing", link.target)) for link in body_links(body)])
    outer = b"a [[n]] b *[[n]]*\n\n- [[n]]\n"
    links = [(link, Anchor("expansion", "n", inner)) for link in body_links(outer)]
    got = renderer.finished(renderer.part(outer, links))
    assert_harmless(got)
    assert len([one for one in Seen(got).named("details") if one.get("class") == "expansion"]) == 3


LINKS = ["[[n]]", "[[n#h|a*b]]", "![[n]]", "[t](n.md)", "![t](<n.md>)", "[a **b**](n.md#x)", "[t][l]", "[l]: n.md\n"]
AROUND = [
    "word",
    "**",
    "*",
    "`",
    "$",
    "$$",
    "\n",
    "\n\n",
    "- ",
    "> ",
    "# ",
    "1. ",
    "    ",
    "\t",
    "| a | b |\n|--|--|\n| ",
    "|",
]
AROUND += ["~~", "==", "%%", "<b>", "</b>", "<p>", "</td>", "[^1]", "[^1]: ", "[x] ", "&amp;", "```\n", "日"]


def is_left_out(body: bytes, link: Link) -> bool:
    """Return whether a link is in a comment, or in a cell beyond the last column of its table, which has no text."""
    word = body[: link.start] + b"unique" + body[link.end :]
    shown = re.sub('data-heading="[^"]*"', "", Renderer().part(word, []))  # a heading is found by its whole text
    return (b"|--|" in body or b"%%" in body) and "unique" not in shown


@given(st.lists(st.sampled_from(LINKS) | st.sampled_from(AROUND), max_size=12).map("".join))
@example("| a | b |\n|--|--|\n| ||[[n]]")
@example("# [l]: n.md\n%%[[n]]")
@example("%%a%%<p>[[n]]")
@example("- %%a%%    [[n]]")
@example("# %%[[n]]%%")
@example("<p>[l]: n.md\n%%\n\n%%[[n]]")
@example("x\n%%a%%# [[n]]")
@settings(max_examples=400)
def test_each_link_that_the_scanner_sees_stands_once_in_the_page(text: str) -> None:
    assume(not ("%%" in text and "$" in text))  # a comment and math that overlap: the page takes the comment first
    kinds: tuple[Kind, ...] = ("note", "missing", "file", "expansion")
    body = text.encode()
    links = [link for link in body_links(body) if not is_left_out(body, link)]
    anchors = [Anchor(kinds[number % len(kinds)], f"k{number}") for number in range(len(links))]
    renderer = Renderer()
    seen = Seen(renderer.finished(renderer.part(body, list(zip(links, anchors, strict=True)))))
    shown = Counter(
        one.get("data-note") or one["data-file"] for _, one in seen.tags if {"data-note", "data-file"} & {*one}
    )
    uses = {anchor.name for link, anchor in zip(links, anchors, strict=True) if link.kind == "ref"}
    # a definition is where it is used, be that nowhere
    assert shown - Counter({name: shown[name] for name in uses}) == Counter(
        one.name for one in anchors if one.name not in uses
    )


def test_links_become_anchors_with_the_names_of_what_they_mean(tmp_path: Path) -> None:
    write(tmp_path, {"sub/deep.md": "x", "pic.png": b"", "doc.pdf": b"", "sub/deeper.md": "y"})
    got = Seen(
        page(
            tmp_path,
            "[[deep]] [[deep#Part|*shown*]] [md **bold**](sub/deep.md#Part) [[no such]] [x](gone.md) [x](gone.pdf)\n"
            "![[pic.png]] ![alt](pic.png) [[doc.pdf]] ![[deep]] [use][ref] [own](#Part)\n\n[ref]: sub/deeper.md\n",
        )
    )
    assert got.named("a") == [
        {"class": "note", "data-note": "sub/deep", "href": "#/note/sub%2Fdeep"},
        {"class": "note", "data-note": "sub/deep", "data-subpath": "#Part", "href": "#/note/sub%2Fdeep?%23Part"},
        {"class": "note", "data-note": "sub/deep", "data-subpath": "#Part", "href": "#/note/sub%2Fdeep?%23Part"},
        {"class": "note missing", "data-note": "no such", "href": "#/note/no%20such"},
        {"class": "note missing", "data-note": "gone.md", "href": "#/note/gone.md"},
        {"class": "gone", "data-gone": "gone.pdf"},
        {"class": "file", "data-file": "doc.pdf"},
        {"class": "note", "data-note": "sub/deep", "href": "#/note/sub%2Fdeep"},
        {"class": "note", "data-note": "sub/deeper", "href": "#/note/sub%2Fdeeper"},
        {"class": "note", "data-note": "n", "data-subpath": "#Part", "href": "#/note/n?%23Part"},
    ]
    assert got.named("img") == [
        {"data-file": "pic.png", "alt": "pic.png"},
        {"data-file": "pic.png", "alt": "alt"},
    ]
    assert "*shown*" in got.texts
    assert ("strong", {}) in got.tags


def test_a_missing_picture_is_a_link_that_names_its_file(tmp_path: Path) -> None:
    shown = page(
        tmp_path, "![alt|100](gone.png) ![[lost.png]] ![[lost.png|100]] ![[lost.MP3|A song]] ![100x20](gone.png)\n"
    )
    names = ["alt (gone.png)", "lost.png", "lost.png", "A song (lost.MP3)", "gone.png"]
    assert re.findall(r">([^<>]+)</a>", shown) == names
    assert shown.count('class="gone"') == len(names)  # the page adds that they are missing


def test_a_missing_picture_is_no_note_to_write(tmp_path: Path) -> None:
    text = "![[lost.png]] [[lost.PDF]] ![](gone.webp) [web](https://example.org/a.png) [[new]] ![[there.png]]\n"
    memory = Memory(write(tmp_path, {"n.md": text, "there.png": ""}))
    assert [one.target for one in memory.page("n").links] == ["new"]
    assert memory.page("n").html().count('class="gone"') == 3
    assert memory.hints(1)[0].links == 1
    findings = [(one.kind, one.detail) for one in memory.check()]
    gone = [("missing-file", f"[[{name}]]") for name in ("gone.webp", "lost.PDF", "lost.png")]
    assert findings == [("missing", "[[new]]"), *gone]
    write(tmp_path, {"lost.png": "", "new.md": ""})
    memory.wait_ready()
    assert [one.detail for one in memory.check()] == ["[[gone.webp]]", "[[lost.PDF]]"]


@pytest.mark.parametrize("text", ["`[[n]]`", "```\n[[n]] [x](n.md)\n```", "    [[n]]", "<!-- [[n]] -->", "\\[\\[n]]"])
def test_what_is_no_link_stays_none(tmp_path: Path, text: str) -> None:
    assert Seen(page(tmp_path, text)).named("a") == []


def test_links_do_not_change_what_is_around_them(tmp_path: Path) -> None:
    got = page(
        tmp_path,
        "- [[x]]\n- [ ] to do [[n|a|b]]\n- [x] done\n\n| h | [[n|s]] |\n|---|--:|\n| $1 [[n|$2]] | `[[n]]` |\n\n"
        "~~gone~~ and costs [$5](n.md) or $6 [^1]\n\n[^1]: foot [[n]]\n",
    )
    seen = Seen(got)
    assert [("checked" in one) for one in seen.named("input")] == [False, True]
    assert len(seen.named("th")) == 2
    assert seen.named("td")[1] == {"align": "right", "dir": "auto"}
    assert {"$2", "$5", "s", "x", "[[n]]"} <= set(seen.texts)
    assert "math" not in got
    assert ("del", {}) in seen.tags


def test_properties_are_not_shown_in_the_text_and_an_expansion_stands_in_place_of_its_link(tmp_path: Path) -> None:
    got = page(
        tmp_path,
        "---\nkey: value\n---\nfirst ![[b]] last\n\nagain [[b]]\n",
        depth=2,
        b="---\nhidden: yes\n---\nof b, to ![[c]] and [[n]]\n",
        c="of c, to [[d]]\n",
        d="of d\n",
    )
    assert "value" not in got
    assert "hidden" not in got
    plain = re.sub(r"<(?!/?details|summary)[^>]*>|\n", "", got)
    assert plain == (
        'first <details class="expansion" open="" data-note="b"><summary>bof b, to '
        '<details class="expansion" open="" data-note="c"><summary>cof c, to d</details> and n</details> lastagain b'
    )


def test_an_expansion_follows_the_block_whose_link_it_would_tear(tmp_path: Path) -> None:
    text = "> [!note] x [[b]]\n> [[c]]\n\n| x |\n|---|\n| [[d#H]] |\n\nlast\n"
    got = page(tmp_path, text, depth=1, b="of b\n", c="of c\n", d="# H\nof d\n")
    plain = re.sub(r'<(?!/?(?:details|summary|div|table))[^>]*>|\n| (?:class|dir|open|data-note)="[^"]*"', "", got)
    assert plain == (
        "<div><div>x b</div><div>c</div></div><details><summary>b</summary>of b</details>"
        "<details><summary>c</summary>of c</details><div><table>xd &gt; H</table></div>"
        "<details><summary>d#H</summary>Hof d</details>last"
    )


def test_expansions_below_a_block_stand_in_the_order_of_their_links(tmp_path: Path) -> None:
    names = [f"note {number}" for number in range(60)]  # their tokens have numbers of two and of three digits
    got = page(tmp_path, " ".join(f"[[{name}]]" for name in names), depth=1, **dict.fromkeys(names, "text"))
    assert [one["data-note"] for one in Seen(got).named("details")] == names


def test_an_expansion_that_is_cut_links_to_the_rest(tmp_path: Path) -> None:
    files = {"n.md": "- [[b]]\n", "b.md": "word " * 1_000}
    got = Memory(write(tmp_path, files), max_chars=1_000).page("n", 1).html()
    assert_harmless(got)
    assert len(got) < 1_500
    assert re.search(r'word</p>\s*<p>\(Cut here\. Read on: <a class="note" data-note="b" href="#/note/b">b</a>\)', got)


def test_an_expansion_cannot_break_out_of_its_frame(tmp_path: Path) -> None:
    got = page(tmp_path, "[[b]]\n\nafter\n", depth=1, b="</details></div></p><b><i>open\n\n<table><tr><td>\n")
    inside, after = got.split("</details>")
    assert "open" in inside
    assert re.sub("<[^>]*>", "", after).strip() == "after"
    assert "<b>" not in after


@pytest.mark.parametrize(
    "text",
    [
        "<div>" * 50_000,
        "> " * 50_000,
        "".join(f"<b id={number}><p>" for number in range(5_000)) + "</b>" * 5_000,
        "<b id=1></x><p></p>" * 20_000,
        "".join(f"<font size={number}>" for number in range(20_000)),
        "<table><td><b></table>" * 15_000,
        "* " * 20_000,
        "[" * 100_000,
        "![[x" * 30_000,
    ],
)
def test_a_text_that_nests_without_end_is_shown_in_reasonable_size(text: str) -> None:
    got = rendered(text)
    assert_harmless(got)
    assert len(got) < 20 * len(text)


def test_a_very_long_note_is_shown_in_parts(tmp_path: Path) -> None:
    memory = Memory(write(tmp_path, {"n.md": "a line without links\n" * 60_000}))
    first = memory.page("n", 1)
    assert len(first.text) == 1_260_000
    assert first.next_offset == 499_989, "the end of the last line within 500,000 bytes"
    last = memory.page("n", 1, 2 * first.next_offset)
    assert (last.next_offset, last.html().count("line")) == (None, 60_000 - 2 * 23_809)


def test_a_very_long_text_within_an_expansion_is_cut_and_says_so(tmp_path: Path) -> None:
    memory = Memory(write(tmp_path, {"n.md": "[[long]]", "long.md": "a line\n" * 80_000}), max_chars=None)
    assert "The rest is too long to be shown" in memory.page("n", 1).html()


def test_a_dollar_in_a_link_begins_no_math_that_ends_outside() -> None:
    got = rendered("[a$b](n.md) c$d\n\n[e\\$f](n.md) g$h")
    assert "math" not in got
    assert [one for one in Seen(got).texts if one.strip()] == ["a$b", " c$d", "e$f", " g$h"]


def test_a_picture_from_elsewhere_is_a_link_and_not_fetched() -> None:
    got = Seen(rendered('![shown](http://e.example/p.png "title") ![](https://e.example/q.png)'))
    assert got.named("img") == []
    assert [one["href"] for one in got.named("a")] == ["http://e.example/p.png", "https://e.example/q.png"]
    assert got.texts[0] == "shown"


def test_a_link_within_one_that_is_expanded_goes_with_it() -> None:
    renderer, body = Renderer(), b"before [text ![x](n.md)](n.md) after"
    links = [(link, Anchor("expansion", "n", "inside")) for link in body_links(body)]
    got = renderer.finished(renderer.part(body, links))
    assert len(links) == 2
    assert [one for one in Seen(got).texts if one.strip()] == ["before ", "n", "inside", " after"]


def test_a_link_that_a_table_tears_apart_shows_its_target() -> None:
    got = rendered("| a | b |\n|---|---|\n| [x|y](n.md) | z |\n")
    assert "y](n.md)" in "".join(Seen(got).texts)


def test_what_frames_an_expansion_in_text_is_text() -> None:
    got = rendered("![[n]]start\n\nx\n\n![[n]]end\n")
    assert Seen(got).named("a") == []
    assert "![[n]]start" in got


def test_a_name_that_looks_like_the_number_of_a_link_is_a_name() -> None:
    text = b"# -5 degrees\n\n[[-5]] [[-0]] ![[-1.png]] #-5 x ^-5\n\n[a](-5:x)\n"
    renderer = Renderer()
    links = [(link, Anchor("missing", link.target)) for link in body_links(text)]
    html = renderer.finished(renderer.part(text, links))
    assert 'data-heading="-5 degrees"' in html
    assert 'data-note="-0"' in html
    assert 'data-tag="-5"' in html


def test_unclosed_styles_before_many_blocks_are_shown_as_source() -> None:
    renderer = Renderer()
    text = "<p>" + "".join(f"<b title={number}>" for number in range(480)) + "</p>" + "<p>x</p>" * 1_000
    html = renderer.finished(renderer.part(text.encode(), []))
    assert html.startswith("<pre>")
    assert len(html) < 5 * len(text)


def test_boxes_cannot_be_ticked_where_lines_end_in_two_ways() -> None:
    renderer = Renderer()
    assert "data-task" in renderer.finished(renderer.part(b"- [ ] a\r\n- [ ] b\r\n", [], 0))
    assert "data-task" not in renderer.finished(renderer.part(b"- [ ] a\r- [ ] b\r\n", [], 0))
