"""A public class has a name of its own, so a reader who searches for it finds one class."""

import ast
import pathlib
from collections import Counter

import zkmem


def test_no_two_public_classes_have_one_name() -> None:
    files = pathlib.Path(zkmem.__file__).parent.rglob("*.py")
    modules = (one for one in files if "node_modules" not in one.parts)  # what the page's scripts are made with
    statements = (one for module in modules for one in ast.parse(module.read_text("utf-8")).body)
    names = Counter(one.name for one in statements if isinstance(one, ast.ClassDef) and not one.name.startswith("_"))
    assert names["Memory"] == 1
    assert [name for name, count in names.items() if count > 1] == []
