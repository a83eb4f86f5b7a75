"""Texts of configurations, spliced: what is meant changes in one place, and every other byte stays."""

import json
import tomllib
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from zkmem.clients import jsonc, toml
from zkmem.clients.jsonc import NotParsed, parse

PATH = ("servers", "zkmem")
DATA = {"command": "/bin/z", "args": ["serve", "/v"]}
KEYS = st.sampled_from(["servers", "zkmem", "other", "//", "é\n", ""])
TRIVIA = st.sampled_from(["", "", " ", "\n", "\n\t", "\r\n  ", "/* c */", " // c\n", "/*\n*/", " // zkmem \r\n"])
COMMENTS = ["/* c */", "// c", "/*\n*/", "// zkmem "]
PLAIN = st.sampled_from(['"a // b"', '"\\"}"', "1.50", "-2e9", "null", "true", "[]", '["x",/* c */ 2 , ]', "{ }"])


@st.composite
def objects(draw: st.DrawFn, depth: int = 2) -> str:
    """An object as people write it: comments and blanks anywhere, a comma at the end or none."""
    keys = draw(st.lists(KEYS, max_size=3, unique=True))
    members = []
    for key in keys:
        value = draw(objects(depth - 1)) if depth and draw(st.booleans()) else draw(PLAIN)
        gaps = [draw(TRIVIA) for _ in range(4)]
        members.append(f"{gaps[0]}{json.dumps(key)}{gaps[1]}:{gaps[2]}{value}{gaps[3]}")
    last = draw(st.sampled_from(["", ","])) if members else ""
    return "{" + ",".join(members) + last + draw(TRIVIA) + "}"


def is_object(text: str, *path: str) -> bool:
    found = parse(text).data
    for key in path:
        if not isinstance(found, dict):
            return False
        if key not in found:
            return True  # it can be made
        found = found[key]
    return isinstance(found, dict)


def comments(text: str) -> int:
    return sum(text.count(one) for one in COMMENTS)


def is_within(small: str, large: str) -> bool:
    """Whether one gets the small text by removing characters from the large one."""
    rest = iter(large)
    return all(char in rest for char in small)


@given(objects(), TRIVIA, TRIVIA)
def test_json_with_a_member_more_means_that_and_loses_no_character(text: str, before: str, after: str) -> None:
    text = before + text + after
    wanted = parse(text).data
    if not is_object(text, "servers") or "zkmem" in wanted.get("servers", {}):
        return
    wanted.setdefault("servers", {})["zkmem"] = DATA
    new = jsonc.put(text, PATH, DATA)
    assert parse(new).data == wanted
    assert is_within(text, new)
    assert jsonc.put(new, PATH, DATA) == new
    other = jsonc.put(new, (*PATH, "args"), ["x"])
    assert jsonc.get(other, PATH) == {**DATA, "args": ["x"]}
    assert is_within(other.replace('["x"]', "[]"), new)
    back = jsonc.drop(new, PATH)
    if parse(text).data.get("servers"):
        assert back == text
    else:
        assert parse(back).data == {**parse(text).data, "servers": {}}


@given(objects(), st.lists(KEYS, min_size=1, max_size=3))
@example('{"a": 1 // c\n, "zkmem": 2 // d\n}', ["zkmem"])
@example('{// c\n "zkmem": 1, "other": 2}', ["zkmem"])
@example('{// c\n "zkmem": 1/* d\n*/, "other": 2}', ["zkmem"])
def test_json_without_a_member_means_that_and_keeps_the_comments_around_it(text: str, path: list[str]) -> None:
    if not is_object(text, *path[:-1]):
        return
    found = jsonc.get(text, path)
    wanted = parse(text).data
    holder: Any = wanted
    for key in path[:-1]:
        holder = holder.get(key, {})
    removed = path[-1] in holder
    holder.pop(path[-1], None)
    new = jsonc.drop(text, path)
    assert parse(new).data == wanted
    assert is_within(new, text)
    if not removed:
        assert new == text
    elif not isinstance(found, dict | list):
        assert comments(new) >= comments(text) - 2  # those between the key and its value go with them


@given(objects(), st.lists(objects(1), max_size=3), TRIVIA, st.sampled_from(["", ","]), st.integers(0, 3))
def test_json_with_an_item_more_in_an_array_means_that_and_loses_no_character(
    item: str, items: list[str], gap: str, comma: str, index: int
) -> None:
    text = '{"a": 1, "items": [' + ",".join(f"{gap}{one}{gap}" for one in items) + (comma if items else "") + gap + "]}"
    path = ("items", len(items))
    data = parse(item).data
    new = jsonc.put(text, path, data)
    assert parse(new).data == {"a": 1, "items": [*(parse(one).data for one in items), data]}
    assert is_within(text, new)
    assert jsonc.get(new, path) == data
    back = jsonc.drop(new, path)
    assert back == text or (not items and parse(back).data == {"a": 1, "items": []})
    without = jsonc.drop(new, ("items", index))
    left = [parse(one).data for one in (*items, item)]
    assert parse(without).data["items"] == left[:index] + left[index + 1 :]
    assert is_within(without, new)


@pytest.mark.parametrize(
    ("text", "path"),
    [('{"a": {}}', ("a", 0)), ('{"a": []}', ("a", "b")), ('{"a": 1}', ("a", 0)), ('{"a": [1]}', ("a", 0, "b"))],
)
def test_a_value_of_another_kind_on_the_path_is_refused(text: str, path: tuple[str | int, ...]) -> None:
    for call in (lambda: jsonc.put(text, path, 1), lambda: jsonc.drop(text, path), lambda: jsonc.get(text, path)):
        with pytest.raises(NotParsed, match="is not an"):
            call()


def test_an_object_that_is_empty_again_is_closed_up() -> None:
    for text in ('{"servers": {}}', '{\n  "servers": {}\n}\n'):
        assert jsonc.drop(jsonc.put(text, PATH, DATA), PATH) == text


def test_a_key_that_is_there_twice_is_read_and_removed_as_readers_do() -> None:
    text = '{"servers": {"zkmem": 1, "b": 2, "zkmem": 3}}'
    assert jsonc.get(text, PATH) == 3
    assert parse(jsonc.drop(text, PATH)).data == {"servers": {"b": 2}}


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda of: st.lists(of) | st.dictionaries(st.text(), of)
    )
)
def test_plain_json_is_read_as_it_is(data: object) -> None:
    assert parse(json.dumps(data)).data == data
    assert parse(json.dumps(data, indent=2, ensure_ascii=False)).data == data


@given(st.text(alphabet='{}[]",:/* \n\\a1.-et\ufeff'))
@example("{" * 10_000)
@example('{"a":')
def test_any_text_is_read_or_refused_with_its_line(text: str) -> None:
    try:
        wanted = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        wanted = NotParsed
    try:
        found = parse(text).data
    except NotParsed as error:
        found, line = NotParsed, error.line
        assert 1 <= line <= text.count("\n") + 1
    assert wanted in (NotParsed, found)


SECTIONS = [
    "# about it\n",
    "\n",
    'model = "x" # c\n',
    "[servers.other]\ncommand = 'y'\nargs = [\n  '[servers.zkmem]', # c\n]\n",
    "[servers.third.env]\nA = '''\n[servers.zkmem]\n'''\n",
    '[profiles."a.b"]\nk = 1979-05-27\n',
    "[[list]]\nk = 1\n",
    "[[list]]\nk = 2\n# end\n",
]


@given(st.lists(st.sampled_from(SECTIONS), unique=True), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_toml_with_a_table_more_means_that_and_goes_back(sections: list[str], newline: str, bare: bool) -> None:
    text = "".join(sorted(sections, key=lambda one: one.startswith("["))).replace("\n", newline)
    text = text.rstrip("\r\n") if bare else text
    wanted = tomllib.loads(text)
    wanted.setdefault("servers", {})["zkmem"] = DATA
    new = toml.put(text, PATH, DATA)
    assert tomllib.loads(new) == wanted
    assert new.startswith(text)
    assert toml.put(new, PATH, DATA) == new
    more = new + "[servers.zkmem.env]\nB = 1\n\n# of the last\n[last]\n".replace("\n", newline)
    assert toml.drop(more, PATH).startswith(text)
    assert toml.drop(more, PATH).endswith("\n# of the last\n[last]\n".replace("\n", newline))
    assert toml.drop(new, PATH).rstrip("\r\n") == text.rstrip("\r\n")


@pytest.mark.parametrize(
    "text",
    [
        'servers = { other = { command = "x" } } # c\n[last]\nk = 1\n',
        'servers.other.command = "x" # c\n[last]\nk = 1\n',
        '[servers]\nother = { command = "x" } # c\n\n[last]\nk = 1\n',
        "[servers] # c\n[last]\nk = 1\n",
        "n = [nan, -inf, 1.50]\n[servers] # c\n",
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_servers_in_a_table_of_another_form_keep_it(text: str, mark: str, newline: str) -> None:
    text = mark + text.replace("\n", newline)
    new = toml.put(text, PATH, DATA)
    assert tomllib.loads(new.removeprefix(mark))["servers"]["zkmem"] == DATA
    assert f"# c{newline}" in new
    longer = toml.put(new, (*PATH, "env"), {"A": "b"})
    assert tomllib.loads(longer.removeprefix(mark))["servers"]["zkmem"] == {**DATA, "env": {"A": "b"}}
    assert longer.startswith(mark)
    assert new.count("\n") == new.count(newline)
    assert toml.drop(new, PATH).replace(" ", "") == text.replace(" ", "")


def test_an_entry_of_dotted_keys_is_removed_too() -> None:
    for last in ("", 'servers.other.command = "x"\n'):
        rest = f"a = 1 # c\n{last}[last]\nk = 1\n"
        text = rest.replace("[last]", 'servers.zkmem.command = "y"\nservers.zkmem.args = ["serve"]\n[last]')
        assert toml.get(text, PATH) == {"command": "y", "args": ["serve"]}
        assert toml.drop(text, PATH) == rest
