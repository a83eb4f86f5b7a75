"""Texts of configurations, spliced: what is meant changes in one place, and every other byte stays."""

import json
import tomllib
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from zkmem.clients import splice, toml
from zkmem.clients.jsonc import NotParsed, parse
from zkmem.clients.yaml import Yaml

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
    new = splice.put(text, PATH, DATA)
    assert parse(new).data == wanted
    assert is_within(text, new)
    assert splice.put(new, PATH, DATA) == new
    other = splice.put(new, (*PATH, "args"), ["x"])
    assert splice.get(other, PATH) == {**DATA, "args": ["x"]}
    assert is_within(other.replace('["x"]', "[]"), new)
    back = splice.drop(new, PATH)
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
    found = splice.get(text, path)
    wanted = parse(text).data
    holder: Any = wanted
    for key in path[:-1]:
        holder = holder.get(key, {})
    removed = path[-1] in holder
    holder.pop(path[-1], None)
    new = splice.drop(text, path)
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
    new = splice.put(text, path, data)
    assert parse(new).data == {"a": 1, "items": [*(parse(one).data for one in items), data]}
    assert is_within(text, new)
    assert splice.get(new, path) == data
    back = splice.drop(new, path)
    assert back == text or (not items and parse(back).data == {"a": 1, "items": []})
    without = splice.drop(new, ("items", index))
    left = [parse(one).data for one in (*items, item)]
    assert parse(without).data["items"] == left[:index] + left[index + 1 :]
    assert is_within(without, new)


@pytest.mark.parametrize(
    ("text", "path"),
    [('{"a": {}}', ("a", 0)), ('{"a": []}', ("a", "b")), ('{"a": 1}', ("a", 0)), ('{"a": [1]}', ("a", 0, "b"))],
)
def test_a_value_of_another_kind_on_the_path_is_refused(text: str, path: tuple[str | int, ...]) -> None:
    for call in (lambda: splice.put(text, path, 1), lambda: splice.drop(text, path), lambda: splice.get(text, path)):
        with pytest.raises(NotParsed, match="is not an"):
            call()


def test_an_object_that_is_empty_again_is_closed_up() -> None:
    for text in ('{"servers": {}}', '{\n  "servers": {}\n}\n'):
        assert splice.drop(splice.put(text, PATH, DATA), PATH) == text


def test_a_key_that_is_there_twice_is_read_and_removed_as_readers_do() -> None:
    text = '{"servers": {"zkmem": 1, "b": 2, "zkmem": 3}}'
    assert splice.get(text, PATH) == 3
    assert parse(splice.drop(text, PATH)).data == {"servers": {"b": 2}}


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


MAPS = Yaml()
LISTS = Yaml(listed=True)
BEFORE = [
    "# about it\n",
    "\n",
    'model: "x" # c\n',
    "text: |+\n  servers:\n    zkmem: 1\n\n",
    "base: &base\n  k: 1979-05-27\n",
]
AFTER = ["\n", "# end\n", "last: {k: [1.50, ~]}\n", "more:\n  <<: *base\n", "folded: >-\n  a\n\n  b\n", "nothing:\n"]
SERVERS = [
    "other:\n  command: 'y' # c\n  args: # d\n    - '# no comment'\n    -   z\n",
    "# asleep: 1\n",
    "\n",
    "third: {command: w, args: []}\n",
    '"fourth":\n\n  # deep\n  text: |\n    zkmem:\n\n  k: &k v\n  l: *k\n',
    "fifth:\n",
]


def indented(text: str, by: int) -> str:
    return "".join(f"{' ' * by}{line}" if line.strip() else line for line in text.splitlines(keepends=True))


def as_items(text: str) -> str:
    """Servers by name as a list of servers that have a name."""
    lines = []
    for line in text.splitlines(keepends=True):
        if line[0] in "#\n ":
            lines.append(line)
        elif "{" in line:
            lines.append("- {name: third, command: w}\n")
        else:
            lines.append(f"- name: {line.strip().rstrip(':')}\n")
    return "".join(lines)


@st.composite
def yamls(draw: st.DrawFn, *, listed: bool) -> tuple[str, bool]:
    """A configuration as people write it, and whether it has servers."""
    before, after = (draw(st.lists(st.sampled_from(of), unique=True)) for of in (BEFORE, AFTER))
    if "base" not in "".join(before):
        after = [one for one in after if "*base" not in one]
    servers = "".join(draw(st.lists(st.sampled_from(SERVERS), unique=True)))
    has_any = any(line[:1] not in {"#", "\n", " "} for line in servers.splitlines(keepends=True))
    by = draw(st.sampled_from([0, 2] if listed else [1, 2, 4]))
    key = draw(st.sampled_from(["servers:\n", "servers:   # of mine\n"]))
    if not has_any:
        key = draw(
            st.sampled_from(["", key, "servers: {}\n" if not listed else "servers: [ ] # none\n", "servers: ~\n"])
        )
    middle = key + indented(as_items(servers) if listed else servers, by) if key else ""
    text = "".join(before) + middle + "".join(after)
    text = text.rstrip("\n") if draw(st.booleans()) and not text.endswith("\n\n") else text
    return draw(st.sampled_from(["", "\ufeff"])) + text.replace("\n", draw(st.sampled_from(["\n", "\r\n"]))), has_any


@pytest.mark.parametrize("listed", [False, True])
@given(st.data())
def test_yaml_with_an_entry_more_means_that_and_goes_back(listed: bool, data: st.DataObject) -> None:
    text, has_any = data.draw(yamls(listed=listed))
    splicer, entry = (LISTS, {"name": "zkmem", **DATA}) if listed else (MAPS, DATA)
    old: Any = yaml.safe_load(text) or {}
    new = splicer.put(text, PATH, entry)
    servers: Any = old.get("servers") or ([] if listed else {})
    wanted = [*servers, entry] if listed else {**servers, "zkmem": entry}
    assert yaml.safe_load(new) == {**old, "servers": wanted}
    assert has_any is bool(servers)
    if has_any or "servers" not in old or old["servers"] is None:
        assert is_within(text.replace(" ~", ""), new)
    assert new.count("\r\n") in {0, new.count("\n")} or "\r" not in text
    assert splicer.put(new, PATH, entry) == new
    other = splicer.put(new, (*PATH, "args"), ["x", 'é"\\'])
    other = splicer.put(other, (*PATH, "timeout"), 9)
    assert splicer.get(other, PATH) == {**entry, "args": ["x", 'é"\\'], "timeout": 9}
    assert yaml.safe_load(splicer.drop(other, PATH)).get("servers") == servers
    back = splicer.drop(new, PATH)
    if has_any:
        assert back.rstrip("\r\n") == text.rstrip("\r\n")
    else:
        assert {**(yaml.safe_load(back) or {}), "servers": None} == {**old, "servers": None}
    for name in MAPS.get(text, ("servers",)) or [] if not listed else []:
        rest = MAPS.drop(text, ("servers", name))
        assert yaml.safe_load(rest)["servers"] == {key: value for key, value in servers.items() if key != name}


@pytest.mark.parametrize(
    "text",
    [
        "servers: {other: {command: x}}\n",
        "servers: &a\n  other: 1\nmore: *a\n",
        "servers: !!map\n  other: 1\n",
        "{servers: {}}\n",
        "a: 1\n...\n",
        "servers:\n  other:\n    text: |+\n      a\n\nlast: 1\n",
    ],
)
def test_yaml_that_is_laid_out_in_another_way_is_refused(text: str) -> None:
    with pytest.raises(NotParsed, match="cannot be edited without harm"):
        MAPS.put(text, PATH, DATA)


def test_a_list_of_servers_is_read_by_their_names() -> None:
    text = "servers:\n  - {command: x}\n  - &a\n    name: other\n  - # a-b\n    name: zkmem\n"
    assert list(LISTS.get(text, ["servers"])) == ["", "other", "zkmem"]
    with pytest.raises(NotParsed, match="line 6: it is laid out in a way that cannot be edited"):
        LISTS.drop(text, PATH)
    with pytest.raises(NotParsed, match="line 2: servers is not a list"):
        LISTS.get("servers:\n  other: 1\n", PATH)
    assert LISTS.get("servers:\n  - {command: x}\n  - name: 3\n  - other\n", PATH) is None
    assert LISTS.get("servers:\n-\n  name: zkmem\n", PATH) == {"name": "zkmem"}
    assert LISTS.drop("servers:\n-\n  name: zkmem\n", PATH) == "servers: []\n"


@given(st.text(alphabet="{}[]&*!-?:#|>'\" \n\tab.~\ufeff"))
@example("? [a]\n: b\n? {c: d}\n: e\n")
def test_any_yaml_is_edited_or_refused_with_its_line(text: str) -> None:
    try:
        new = MAPS.put(text, PATH, DATA)
    except NotParsed as error:
        line = error.line
    else:
        line = 1
        assert MAPS.get(new, PATH) == DATA
        assert is_within(text.replace("~", ""), new)
    assert 1 <= line <= text.count("\n") + 1


def test_an_entry_comes_below_what_was_said_about_the_last_one() -> None:
    text = "servers:\n  other:\n    k: 1\n    # asleep: 2\n  # the end\n# of last\nlast: 1\n"
    assert MAPS.put(text, PATH, {"k": [True]}) == text.replace("# of last\n", "  zkmem:\n    k: [true]\n# of last\n")
    text = "servers:\n- name: other\n# of last\nlast: 1\n"
    assert LISTS.put(text, PATH, {"name": "zkmem"}) == text.replace("# of last\n", '- name: "zkmem"\n# of last\n')
