"""The hits of a search that a model scores again; the model is a tiny one that counts a word."""

import builtins
import pathlib
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from tests.tools.vaults import write
from zkmem.caller import Grant
from zkmem.errors import BadSettings
from zkmem.memory import Memory
from zkmem.search.rerank import MOST
from zkmem.util.lazy import LazyModule

if TYPE_CHECKING:
    import onnx
else:  # not in each process that collects the tests
    onnx = LazyModule("onnx")

LOVED = "marmalade"
NOTES = {
    "a.md": "tea tea tea " * 20,
    "b.md": f"tea {LOVED} {LOVED}",
    "c.md": f"tea {LOVED}",
    "in/d.md": "tea",
    "in/e.md": f"{'word ' * 2_000} tea {LOVED} {LOVED} {LOVED}",
}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with a model whose score is how often the text has the word `LOVED`."""
    return model_folder(tmp_path_factory.mktemp("model"))


def model_folder(folder: pathlib.Path, *more: "onnx.NodeProto", result: str = "counts of words") -> str:
    """Save a model that counts the word `LOVED`; `more` makes the result from the `counts of words`."""
    words = {"[PAD]": 0, "[UNK]": 1, "[SEP]": 2, LOVED: 3, "tea": 4}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A", pair="$A [SEP] $B:1", special_tokens=[("[SEP]", 2)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    inputs = [
        onnx.helper.make_tensor_value_info(name, onnx.TensorProto.INT64, ["n", "l"])
        for name in ("input_ids", "attention_mask")
    ]
    nodes = [
        onnx.helper.make_node("Equal", ["input_ids", "loved"], ["equal"]),
        onnx.helper.make_node("Cast", ["equal"], ["counts"], to=onnx.TensorProto.FLOAT),
        onnx.helper.make_node("ReduceSum", ["counts", "axes"], ["counts of words"], keepdims=1),
        *more,
    ]
    constants = [
        onnx.helper.make_tensor("loved", onnx.TensorProto.INT64, [1], [3]),
        onnx.helper.make_tensor("axes", onnx.TensorProto.INT64, [1], [1]),
    ]
    logits = onnx.helper.make_tensor_value_info(result, onnx.TensorProto.FLOAT, None)
    graph = onnx.helper.make_graph(nodes, "count", inputs, [logits], constants)
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)], ir_version=8)
    (folder / "onnx").mkdir()
    onnx.save(model, str(folder / "onnx" / "model.onnx"))
    return str(folder)


def found(memory: Memory, query: str, **options: Any) -> list[tuple[str, float]]:
    return [(hit.path, hit.score) for hit in memory.search(query, **options)]


def test_the_best_hits_are_scored_again(tmp_path: pathlib.Path, model: str) -> None:
    vault = write(tmp_path, NOTES)
    plain, ranked = Memory(vault), Memory(vault, rerank_model=model)
    assert found(plain, "tea")[0][0] != "in/e.md"
    assert found(ranked, "tea", limit=3) == [("in/e.md", 3.0), ("b.md", 2.0), ("c.md", 1.0)]
    assert found(ranked, "tea -marmalade", limit=1)[0][1] == 0.0
    assert found(ranked, "name:b")[0] == ("b.md", 0.0)  # has no word to score
    own = ranked.restricted(Grant("in"))
    assert found(own, "tea") == [("in/e.md", 3.0), ("in/d.md", 0.0)]


def test_hits_near_a_note_come_first_whatever_the_scores(tmp_path: pathlib.Path, model: str) -> None:
    memory = Memory(write(tmp_path, NOTES | {"z.md": "[[a]] [[c]]\n"}), rerank_model=model)
    assert found(memory, "tea", near="z", limit=3) == [("c.md", 1.0), ("a.md", 0.0), ("in/e.md", 3.0)]


def test_no_more_than_the_best_are_scored(tmp_path: pathlib.Path, model: str) -> None:
    notes = {f"{number}.md": f"tea {'tea ' * (number % 7)}" for number in range(MOST + 30)}
    memory = Memory(write(tmp_path, notes), rerank_model=model)
    hits = found(memory, "tea", limit=MOST + 20)
    assert len(hits) == MOST + 20
    assert {score for _, score in hits[:MOST]} == {0.0}
    assert all(score > 0 for _, score in hits[MOST:])


def test_what_is_missing_is_told(tmp_path: pathlib.Path, model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    vault = write(tmp_path / "vault", NOTES)
    with pytest.raises(BadSettings, match=r"has no model\.onnx, or no tokenizer\.json"):
        Memory(vault, rerank_model=str(tmp_path)).search("tea")
    (tmp_path / "model.onnx").write_bytes(b"no model")
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(BadSettings, match="cannot be read"):
        Memory(vault, rerank_model=str(tmp_path)).search("tea")
    real = builtins.__import__

    def absent(name: str, *rest: Any) -> Any:
        if name == "onnxruntime":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(BadSettings, match=r"uv tool install '\.\[rerank\]'"):
        Memory(vault, rerank_model=model).search("tea")


@pytest.mark.parametrize(
    ("operation", "problem"),
    [("MatMul", "cannot be run: "), ("Log", "gives scores that are no numbers"), ("Sqrt", "")],
)
def test_a_model_that_does_not_score_is_told(tmp_path: pathlib.Path, operation: str, problem: str) -> None:
    inputs = ["counts of words"] * (2 if operation == "MatMul" else 1)  # of wrong shapes for a product
    folder = model_folder(tmp_path, onnx.helper.make_node(operation, inputs, ["x"]), result="x")
    memory = Memory(write(tmp_path / "vault", NOTES), rerank_model=folder)
    if not problem:
        assert found(memory, "tea")[1][1] == pytest.approx(2**0.5)
        return
    with pytest.raises(BadSettings, match=f"the model in .* {problem}"):
        memory.search("tea")


def test_a_vault_cannot_choose_a_model_and_none_is_loaded_without_one(tmp_path: pathlib.Path, model: str) -> None:
    vault = write(tmp_path / "vault", NOTES | {".zkmem/config.toml": f'rerank_model = "{model}"\n'})
    command = [sys.executable, "-X", "importtime", "-m", "zkmem", "search", "tea", "-C", vault]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "rerank_model (set them in the environment, or in" in done.stderr
    assert not any(library in done.stderr for library in ("onnxruntime", "tokenizers", "numpy"))


def test_the_command_uses_the_model_of_its_user(
    tmp_path: pathlib.Path, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = write(tmp_path / "vault", NOTES)
    monkeypatch.setenv("ZKMEM_RERANK_MODEL", model)
    command = [sys.executable, "-m", "zkmem", "search", "tea", "--count", "1", "-C", vault]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("in/e (3.00)")
