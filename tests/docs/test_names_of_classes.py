"""A public class has a name of its own, so a reader who searches for it finds one class."""

import ast
import functools
import pathlib
from collections import Counter

import zkmem


@functools.cache
def modules() -> dict[str, list[ast.stmt]]:
    """Return the statements of each module."""
    files = pathlib.Path(zkmem.__file__).parent.rglob("*.py")
    ours = (one for one in files if "node_modules" not in one.parts)  # what the page's scripts are made with
    return {str(one): ast.parse(one.read_text("utf-8")).body for one in ours}


def test_no_two_public_classes_have_one_name() -> None:
    statements = (one for body in modules().values() for one in body)
    names = Counter(one.name for one in statements if isinstance(one, ast.ClassDef) and not one.name.startswith("_"))
    assert names["Memory"] == 1
    assert [name for name, count in names.items() if count > 1] == []


def test_no_module_gives_one_name_two_values() -> None:
    for module, body in modules().items():
        targets = (target for one in body if isinstance(one, ast.Assign) for target in one.targets)
        names = Counter(target.id for target in targets if isinstance(target, ast.Name))
        assert [name for name, count in names.items() if count > 1] == [], module
