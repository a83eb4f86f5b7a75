"""Score the hits of a search again with a model that reads the query and the note together (a cross-encoder).

The model is a folder that the user has named and downloaded: `model.onnx` and `tokenizer.json`. The libraries belong to
the extra `rerank`, and are imported when the first search needs them. Nothing is ever downloaded.
"""

import functools
import math
import os
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from zkmem.errors import BadSettings

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

MOST = 50  # hits that are scored again
_TOKENS = 512  # of the query and a text together; longer ones are cut
_AT_ONCE = 16  # pairs in one run of the model
_MODELS = ("model.onnx", os.path.join("onnx", "model.onnx"))


class Reranker:
    """A model that scores texts for a query. Thread-safe."""

    def __init__(self, folder: str) -> None:
        self._folder = os.path.expanduser(folder)
        self._lock = threading.Lock()

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return how well each text matches the query: higher is better."""
        with self._lock:
            model = self._model
            parts = [texts[at : at + _AT_ONCE] for at in range(0, len(texts), _AT_ONCE)]
            try:
                scores = [score for part in parts for score in model.run(query, part)]
            except Exception as error:  # the classes of errors of onnxruntime have no common one
                raise self._broken(f"cannot be run: {error}") from error
        if not all(map(math.isfinite, scores)):
            raise self._broken("gives scores that are no numbers")
        return scores

    def _broken(self, reason: str) -> BadSettings:
        return BadSettings(
            f"`rerank_model`: the model in {self._folder!r} {reason}. Name a cross-encoder, or no model."
        )

    @functools.cached_property
    def _model(self) -> "_Model":
        try:
            from onnxruntime import InferenceSession  # noqa: PLC0415 - an extra, and slow to import
            from tokenizers import Tokenizer  # noqa: PLC0415
        except ImportError as error:
            raise BadSettings(
                "`rerank_model` needs libraries that are not installed. Install zkmem with its extra `rerank`, for "
                "example in a clone: uv tool install '.[rerank]'."
            ) from error
        paths = (os.path.join(self._folder, name) for name in _MODELS)
        file = next(filter(os.path.isfile, paths), None)
        words = os.path.join(self._folder, "tokenizer.json")
        if file is None or not os.path.isfile(words):
            raise BadSettings(
                f"`rerank_model`: {self._folder!r} has no model.onnx, or no tokenizer.json. Put both files there, or "
                "name no model."
            )
        try:
            tokenizer = Tokenizer.from_file(words)
            session = InferenceSession(file, providers=["CPUExecutionProvider"])
        except Exception as error:  # both libraries raise their own classes, and plain `Exception`
            raise self._broken(f"cannot be read: {error}") from error
        tokenizer.enable_truncation(_TOKENS)
        tokenizer.enable_padding()
        return _Model(tokenizer, session, {one.name for one in session.get_inputs()})


class _Model(NamedTuple):
    """A tokenizer and a model that belong together, and the names of the model's inputs."""

    tokenizer: "Tokenizer"
    session: "InferenceSession"
    inputs: set[str]

    def run(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the scores of some texts."""
        import numpy as np  # noqa: PLC0415 - comes with the extra

        encoded = self.tokenizer.encode_batch([(query, text) for text in texts])
        known = {
            "input_ids": [one.ids for one in encoded],
            "attention_mask": [one.attention_mask for one in encoded],
            "token_type_ids": [one.type_ids for one in encoded],
        }
        given = {name: np.array(rows, dtype=np.int64) for name, rows in known.items() if name in self.inputs}
        logits = np.asarray(self.session.run(None, given)[0]).reshape(len(texts), -1)
        return [float(row[-1]) for row in logits]  # of two classes, the last is "relevant"
