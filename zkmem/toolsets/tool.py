"""A tool as one row of data, which every interface can show, check arguments against, and call."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Self

from zkmem.memory import Memory
from zkmem.toolsets import arguments
from zkmem.toolsets.arguments import Parameter
from zkmem.toolsets.question import Answer, Question
from zkmem.util.spelling import number_of

_MOST_NAMES = 10
_MOST_CHARACTERS = 500


class Result(NamedTuple):
    """The answer of a tool: texts for a reader, and the data in them for a program."""

    texts: tuple[str, ...]
    data: Mapping[str, object]
    is_json: bool = False  # the text is JSON that holds all of the data


class Effects(NamedTuple):
    """The effects of a tool, from which a client may decide whether a model may call it."""

    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False


def _plain_refusal(sentence: str) -> Result:
    return Result((sentence,), {})


class Tool(NamedTuple):
    """A tool: its name, its description for models, its arguments, its function and its effects."""

    name: str
    description: str
    parameters: Mapping[str, Parameter]
    run: Callable[..., Result]
    effects: Effects
    structured: bool = False  # clients get the data of an answer beside the text
    title: str = ""  # for a person who is asked whether a model may call it
    finding: str = ""  # further words by which a client that loads tools on demand finds it
    always: bool = False  # such a client loads it at the start: without it, a model would not think of the memory
    output: Mapping[str, Any] | None = None  # the JSON Schema of the data, if clients rely on one
    draft: str = ""  # the JSON Schema draft that the schemas name, if clients compare them
    drop_in: bool = False  # it checks arguments, and answers, in the same way as the tool that it replaces
    refusal: Callable[[str], Result] = _plain_refusal  # makes the answer for a refused call from the reason
    question: Callable[..., Question | None] | None = None  # makes a question to a model; `run` gets the `answer`
    quick: bool = False  # a server tries it in its event loop first: a call usually takes less than a millisecond
    evaluates: Callable[[Mapping[str, Any]], bool] = lambda _: False
    """Returns whether a call with these arguments may evaluate expressions for seconds. A server lets a caller make one
    such call at a time."""
    options: Mapping[str, object] = {}  # settings that `run` and `question` get with the arguments, and their defaults

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the arguments."""
        return ({"$schema": self.draft} if self.draft else {}) | arguments.schema(self.parameters)

    def configured(self, settings: Mapping[str, object]) -> Self:
        """Return the tool with the values of the settings that it uses."""
        parameters = {
            name: parameter._replace(default=settings.get(parameter.setting, parameter.default))
            for name, parameter in self.parameters.items()
        }
        options = {name: settings.get(name, default) for name, default in self.options.items()}
        return self._replace(parameters=parameters, options=options)

    def ask(self, memory: Memory, given: Mapping[str, object]) -> Question | None:
        """Return the question that a model must answer before `call`; None if there is none."""
        return self.question(memory, **self._checked(given), **self.options) if self.question else None

    def call(self, memory: Memory, given: Mapping[str, object], answer: Answer = Answer()) -> Result:
        """Check the arguments and run the tool.

        Raises:
            BadArgument: when one is missing, unknown, of the wrong type or out of its range.
            ZkError: when the tool refuses the call for another reason.
        """
        values = {**self._checked(given), **self.options, **({"answer": answer} if self.question else {})}
        remarks: list[str] = []
        result = self.run(memory.on_behalf(tool=self.name, on_remark=remarks.append), **values)
        return result if self.drop_in or not remarks else result._replace(texts=(*result.texts, line(remarks, ())))

    def _checked(self, given: Mapping[str, object]) -> dict[str, object]:
        return arguments.checked(self.name, self.parameters, given, drop_in=self.drop_in)


def line(about: list[str], lists: Sequence[tuple[str, Sequence[str]]]) -> str:
    """Return one line of facts and lists of names: at most ten names a list, then a count; 500 characters in all."""
    for most in range(_MOST_NAMES, -1, -1):
        parts = [*about, *(f"{title}: {_listed(names, most)}" for title, names in lists if names)]
        text = "; ".join(parts)
        if len(text) <= _MOST_CHARACTERS:
            return text
    return text[: _MOST_CHARACTERS - 3] + "..."


def _listed(names: Sequence[str], most: int) -> str:
    rest = len(names) - most
    if rest <= 0:
        return ", ".join(names)
    return f"{', '.join(names[:most])} and {rest} more" if most else number_of(rest, "note")
