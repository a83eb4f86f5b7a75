"""Questions to a language model, and answers that must fit a schema."""

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from zkmem.errors import BadAnswer

_TAG = re.compile(r"<(?=[^\s\d=<>-])|<(?=\s+/)")  # not in `a < b` or `<-`
_JSON = re.compile(r"(?:```\w*\s*)?[{\[]")  # the beginning of JSON, with or without a code fence
_QUOTED = 200  # characters of a bad answer that are shown


def as_data(tag: str, text: str) -> str:
    """Return a text between tags that mark it as data; tags inside the text are escaped."""
    return f"<{tag}>\n{_TAG.sub('&lt;', text)}\n</{tag}>"


class Question(NamedTuple):
    """A question to a model: its task, the text to work on, and the schema of the JSON for the answer."""

    task: str
    text: str
    schema: Mapping[str, Any]
    images: tuple[str, ...] = ()  # URIs
    max_tokens: int = 2_000

    @property
    def system(self) -> str:
        """The task and the form of the answer."""
        return f"{self.task}\nAnswer with one JSON object and nothing else. Its schema: {json.dumps(self.schema)}"


class Answer(NamedTuple):
    """The answer to a question: the model's text, or the reason why it failed; neither if there is no model."""

    text: str | None = None
    trouble: str = ""

    @property
    def has_no_model(self) -> bool:
        """Whether there was no model to ask."""
        return self.text is None and not self.trouble

    def read(self, schema: Mapping[str, Any]) -> Any:
        """Return the answer as data that fits the schema.

        Raises:
            BadAnswer: when the answer does not fit, or there is none.
        """
        import jsonschema  # noqa: PLC0415 - a tenth of a second that only a model's answer needs

        if self.text is None:
            raise BadAnswer(f"The model gave no answer: {self.trouble or 'there is none'}.")
        braced = self.text[max(0, self.text.find("{")) : self.text.rfind("}") + 1]  # small models add other text
        try:
            data = json.loads(braced)
            braced.encode()
            json.dumps(data, ensure_ascii=False).encode()  # half a character may be escaped
            jsonschema.validate(data, schema)
        except (ValueError, RecursionError):
            raise BadAnswer(f"The model's answer is not JSON. It said: {self._quoted}.") from None
        except jsonschema.ValidationError as error:
            raise BadAnswer(
                f"The model's answer does not fit ({error.message:.200}). It said: {self._quoted}."
            ) from None
        return data

    @property
    def prose(self) -> str:
        """The text of an answer that is not JSON; empty if there is none, or the model tried to write JSON."""
        text = (self.text or "").strip()
        return "" if _JSON.match(text) else text

    @property
    def _quoted(self) -> str:
        text = " ".join((self.text or "").split())
        return repr(text if len(text) <= _QUOTED else text[:_QUOTED] + "...")
