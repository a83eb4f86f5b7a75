"""The footnotes of one text: their numbers, in the order of their references, and their list at its end."""


class Footnotes:
    """Collects references and definitions; `secret` begins the value of each attribute that the page acts upon."""

    def __init__(self, secret: str) -> None:
        self._secret = secret
        self._numbers: dict[str, int] = {}  # by label, in the order of the first references
        self._references: dict[str, int] = {}
        self._definitions: dict[str, str] = {}

    def reference(self, label: str) -> str:
        """Return the HTML of a reference: a number that leads to the footnote."""
        key = label.lower()
        number = self._numbers.setdefault(key, len(self._numbers) + 1)
        count = self._references[key] = self._references.get(key, 0) + 1
        here = f' data-anchor="{self._secret}reference-{number}"' if count == 1 else ""
        return (
            f'<sup><a class="{self._secret}footnote" data-jump="{self._secret}note-{number}"{here}>{number}</a></sup>'
        )

    def inline(self, inside: str) -> str:
        """Return the HTML of the reference to a footnote that is written in the text, `^[inside]`."""
        label = f"\n{len(self._definitions)}"  # no label of a definition has a line end
        self._definitions[label] = inside
        return self.reference(label)

    def define(self, label: str, inside: str) -> None:
        """Keep the HTML of a footnote. The first one with its label counts; others are shown without a number."""
        key = label.lower()
        self._definitions[f"{key}\n{len(self._definitions)}" if key in self._definitions else key] = inside

    def html(self) -> str:
        """Return the list of footnotes: first those that a reference leads to, each with a link back to it."""
        if not self._definitions:
            return ""
        numbered = [(label, number) for label, number in self._numbers.items() if label in self._definitions]
        rows = [self._row(number, self._definitions[label]) for label, number in numbered]
        others = [f"<li>{inside}</li>\n" for label, inside in self._definitions.items() if label not in self._numbers]
        return f'<ol class="{self._secret}footnotes">\n{"".join([*rows, *others])}</ol>\n'

    def _row(self, number: int, inside: str) -> str:
        back = (
            f'<a class="{self._secret}back" data-jump="{self._secret}reference-{number}" title="Back to the text">↩</a>'
        )
        text = inside.removesuffix("</p>\n")  # the link stands at the end of the last paragraph
        end = inside[len(text) :]
        return f'<li value="{number}" data-anchor="{self._secret}note-{number}">{text} {back}{end}</li>\n'
