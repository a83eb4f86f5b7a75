"""What a tool is: a row that every face can show, check arguments against, and call."""

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
    """What a tool answers: texts for a reader, and the same as data for a program."""

    texts: tuple[str, ...]
    data: Mapping[str, object]
    is_json: bool = False  # whether the text is all of the data as JSON


class Effects(NamedTuple):
    """What a client may want to know before it lets a model call the tool."""

    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False


def _plain_refusal(sentence: str) -> Result:
    return Result((sentence,), {})


class Tool(NamedTuple):
    """A tool: its name, what a model is told about it, its arguments, its function and its effects."""

    name: str
    description: str
    parameters: Mapping[str, Parameter]
    run: Callable[..., Result]
    effects: Effects
    structured: bool = False  # whether a program would want the data of its answer beside the text
    title: str = ""
    output: Mapping[str, Any] | None = None  # the JSON Schema of its data, where clients rely on one
    draft: str = ""  # the JSON Schema draft that its schemas name, where clients compare them
    drop_in: bool = False  # it checks arguments as the tool that it stands in for
    refusal: Callable[[str], Result] = _plain_refusal  # what it answers when it refuses, with the reason
    question: Callable[..., Question | None] | None = None  # what it asks a model first; `run` gets the `answer`
    options: Mapping[str, object] = {}  # settings that `run` and `question` get with the arguments, and their defaults

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of its arguments."""
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
        """What it wants to know from a model, if anything.

        Raises:
            BadArgument, ZkError: as `call` does.
        """
        return self.question(memory, **self._checked(given), **self.options) if self.question else None

    def call(self, memory: Memory, given: Mapping[str, object], answer: Answer = Answer()) -> Result:
        """Check the arguments and run the tool.

        Raises:
            BadArgument: when one is missing, unknown, of the wrong type or out of its range.
            ZkError: whatever else the tool refuses.
        """
        found = {**self._checked(given), **self.options, **({"answer": answer} if self.question else {})}
        return self.run(memory.on_behalf(tool=self.name), **found)

    def _checked(self, given: Mapping[str, object]) -> dict[str, object]:
        return arguments.checked(self.name, self.parameters, given, drop_in=self.drop_in)


def line(about: list[str], lists: Sequence[tuple[str, Sequence[str]]]) -> str:
    """One line of facts and lists of names: at most ten names a list, then a count, and 500 characters in all."""
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
