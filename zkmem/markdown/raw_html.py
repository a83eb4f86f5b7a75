"""Write the HTML that a note has, and find out which of it would hide what follows, such as `<style>` or `<!--`.

HTML changes how a browser reads the text after it. So a sentinel, an empty element with a secret attribute, follows
each block of the note that has HTML. If sanitising removes it, the HTML of this block is shown as text, with a mark.
"""

import html
import re
from collections.abc import Collection

_WHY = "This HTML would hide what follows, so it is shown as text."


class RawHtml:
    """The HTML of one text. `mark` is the secret of the sentinels, `secret` that of attributes.

    `hiding` are the numbers of the blocks whose HTML is shown as text.
    """

    def __init__(self, mark: str, secret: str, hiding: Collection[int]) -> None:
        self._mark, self._hiding = mark, hiding
        self._opening = f'<mark class="{secret}hiding" title="{_WHY}">'
        self._sentinel = re.compile(rf'<span lang="{mark}-html-([0-9]+)"></span>')
        self._blocks = 0  # that have HTML
        self._is_pending = False  # whether the current block has HTML

    def block(self) -> tuple[str, str]:
        """Return what opens and closes a block of HTML, such as a `<div>` on a line of its own."""
        return (f"<pre>{self._opening}", "</mark></pre>\n") if self._blocks in self._hiding else ("", "")

    def line(self, source: str) -> str:
        """Return a line of a block of HTML as it is written into the page."""
        self._is_pending = True
        return html.escape(source, quote=False) if self._blocks in self._hiding else source

    def inline(self, source: str) -> str:
        """Return a tag or a comment inside a line as it is written into the page."""
        shown = self.line(source)
        return f"{self._opening}{shown}</mark>" if self._blocks in self._hiding else shown

    def end_of_block(self) -> str:
        """Return the sentinel to write at the end of a block of the note; "" if the block has no HTML."""
        if not self._is_pending:
            return ""
        self._is_pending, number = False, self._blocks
        self._blocks += 1
        return "" if number in self._hiding else f'<span lang="{self._mark}-html-{number}"></span>'

    def checked(self, clean: str) -> tuple[str, set[int]]:
        """Return the sanitised HTML without the sentinels, and the numbers of the blocks whose sentinel is gone."""
        visible = {int(number) for number in self._sentinel.findall(clean)}
        return self._sentinel.sub("", clean), set(range(self._blocks)) - visible - set(self._hiding)
