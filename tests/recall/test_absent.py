"""A note that is not there: the error says whether it is in the trash, and what to do where there is no entry yet."""

import functools
import os
import pathlib
import re
import threading
from collections.abc import Callable

import pytest

from tests.tools.inner import engine
from tests.tools.vaults import write
from zkmem.caller import Grant
from zkmem.errors import UnknownNote
from zkmem.memory import Memory
from zkmem.search import search_index

FILES = {"topics/vue.md": "See [[react]].\n", "topics/react.md": "React.\n", "other/vue.md": "Outside.\n"}


@pytest.fixture
def memory(tmp_path: pathlib.Path) -> Memory:
    return Memory(write(tmp_path, FILES), durable=False)


def refusal(call: Callable[[], object]) -> str:
    with pytest.raises(UnknownNote) as told:
        call()
    return str(told.value)


class TestTheTrash:
    @pytest.mark.parametrize("name", ["topics/react", "react", "React.md", "[[react|x]]"])
    def test_is_named_with_the_way_back_which_works(self, memory: Memory, name: str) -> None:
        memory.delete("react")
        said = refusal(lambda: memory.read(name))
        assert "'topics/react' was moved to the trash, as '.trash/react.md'." in said
        found = re.search(r"restore with the rev (\w+) \(zkmem restore topics/react@\1\)", said)
        assert found
        assert memory.restore("topics/react", found[1]).outcome == "restored"
        assert memory.read("react").text == "React.\n"

    @pytest.mark.parametrize("tools", [set(), {"get_content", "delete_content"}, {"undo"}])
    def test_is_named_to_a_model_that_cannot_restore_with_what_a_person_can_do(
        self, memory: Memory, tools: set[str]
    ) -> None:
        memory.write("other", "x")
        memory.delete("react")
        memory.write("more", "x")
        model = memory.on_behalf(tools=tools)
        found = re.search(
            r"Only a person can get it back: with `zkmem undo (\d)`", refusal(lambda: model.read("react"))
        )
        assert found
        memory.undo(edit=int(found[1]))
        assert model.read("react").text == "React.\n"
        memory.rename("react", "topics/vue", merge=True)  # a merge moves it to the trash, too
        found = re.search(r"`zkmem undo (\d)`", refusal(lambda: model.read("react")))
        assert found
        memory.undo(edit=int(found[1]))
        assert (model.read("react").text, model.read("topics/vue").text) == ("React.\n", "See [[react]].\n")

    def test_is_named_to_a_model_that_can_restore_with_that_tool_alone(self, memory: Memory) -> None:
        memory.delete("react")
        said = refusal(lambda: memory.on_behalf(tools={"get_content", "restore"}).read("react"))
        assert re.search(r"To get it back: restore with the rev \w+\.$", said)

    def test_is_named_to_a_model_that_has_proposed_the_deletion(self, memory: Memory) -> None:
        model = memory.on_behalf(tools=set()).restricted(Grant(proposes_as="bot"))
        model.delete("react")
        assert refusal(lambda: model.read("react")).endswith("A person can drop that edit, which you have proposed.")

    def test_is_named_by_every_tool_that_needs_the_note(self, memory: Memory) -> None:
        memory.delete("react")
        for call in (
            lambda: memory.read("react"), lambda: memory.page("react"), lambda: memory.delete("react"),
            lambda: memory.write("react", "new", old="old"), lambda: memory.rename("react", "new"),
            lambda: memory.preview_rename("react", "new"), lambda: memory.extract("react", "x", "new"),
        ):  # fmt: skip
            assert "was moved to the trash" in refusal(call)

    def test_is_not_named_once_the_file_is_out_of_it(self, memory: Memory) -> None:
        memory.delete("react")
        memory.undo()
        memory.rename("react", "angular")
        assert "trash" not in refusal(lambda: memory.read("topics/react"))
        memory.delete("angular")
        os.unlink(os.path.join(memory.vault, ".trash/angular.md"))
        assert "trash" not in refusal(lambda: memory.read("angular"))

    def test_is_not_taken_for_that_of_a_note_of_another_folder(self, memory: Memory) -> None:
        memory.delete("topics/vue")
        memory.undo()
        memory.rename("topics/vue", "topics/svelte")
        memory.delete("other/vue")
        said = refusal(lambda: memory.read("topics/vue"))
        assert "topics/vue' was moved" not in said
        assert "'other/vue' was moved to the trash" in refusal(lambda: memory.read("vue"))

    def test_of_another_program_is_named_as_far_as_it_is_known(self, memory: Memory) -> None:
        write(memory.vault, {".trash/old.md": "by Obsidian"})
        assert "The trash has a file of that name, '.trash/old.md'" in refusal(lambda: memory.read("notes/old"))

    def test_tells_a_confined_caller_nothing_of_other_folders(self, memory: Memory) -> None:
        confined = memory.restricted(Grant("topics"))
        memory.delete("other/vue")
        memory.rename("topics/vue", "topics/svelte")
        memory.delete("topics/react")
        write(memory.vault, {".trash/old.md": "by Obsidian"})
        for name in ("vue", "topics/vue", "other/vue", "old", "topics/old"):
            assert refusal(lambda name=name: confined.read(name)) == refusal(  # type: ignore[misc]
                lambda name=name: confined.read(name.replace("vue", "nix").replace("old", "nix"))  # type: ignore[misc]
            ).replace("nix", name.rpartition("/")[2])
        assert "'topics/react' was moved to the trash" in refusal(lambda: confined.read("react"))
        assert "'topics/react' was moved to the trash" in refusal(lambda: confined.delete("topics/react"))

    def test_tells_one_who_may_only_read_nothing_of_how_to_write(self, memory: Memory) -> None:
        memory.delete("react")
        said = refusal(lambda: memory.restricted(Grant("topics", read_only=True)).read("react"))
        assert said.endswith("was moved to the trash, as '.trash/react.md'.")


class TestTheEntry:
    @pytest.mark.parametrize("name", ["hint", "Hint", "[[hint]]"])
    def test_that_is_missing_says_what_to_do(self, memory: Memory, name: str) -> None:
        said = refusal(lambda: memory.read(name))
        assert "get_hints (zkmem hints) lists notes to start from, and set_content" in said
        assert "set_content (zkmem set) with the name 'hint'" in said

    def test_of_a_folder_is_written_where_its_caller_may(self, memory: Memory) -> None:
        confined = memory.restricted(Grant("topics"))
        assert "with the name 'topics/hint'" in refusal(lambda: confined.read("hint"))
        confined.write("topics/hint", "Start here.")
        assert confined.read("hint").name == "topics/hint"

    def test_is_told_of_with_tools_that_a_model_has(self, memory: Memory) -> None:
        for tools, told in [
            ({"get_hints"}, "There is no entry note yet: get_hints lists notes to start from."),
            ({"set_content"}, "There is no entry note yet: set_content with the name 'hint' writes it."),
            ({"query"}, "There is no entry note yet."),
        ]:
            model = memory.on_behalf(tools=tools)
            assert refusal(lambda model=model: model.read("hint")).endswith(told)  # type: ignore[misc]

    def test_is_not_to_be_written_by_one_who_may_only_read(self, memory: Memory) -> None:
        said = refusal(lambda: memory.restricted(Grant(read_only=True)).read("hint"))
        assert "get_hints" in said
        assert "set_content" not in said

    def test_is_no_matter_for_other_notes(self, memory: Memory) -> None:
        assert refusal(lambda: memory.read("hint 2")) == "There is no note 'hint 2'."

    @pytest.mark.parametrize("name", ["\ud800", "x" * 5000, ".trash/vue", ".git/config"])
    def test_is_no_matter_for_names_that_no_note_can_have(self, memory: Memory, name: str) -> None:
        memory.delete("other/vue")
        assert refusal(lambda: memory.read(name)).startswith("There is no note ")


class TestTheNearest:
    @pytest.mark.parametrize(
        "name", ["tea green", "green-tea", "drinks/TEA, green", "[[tea green#Taste]]", "tea_green"]
    )
    def test_names_hold_the_words_in_any_order(self, tmp_path: pathlib.Path, name: str) -> None:
        memory = Memory(write(tmp_path, {"x/green tea.md": "", "tea.md": "", "evergreen.md": ""}))
        assert "Nearest names: x/green tea" in refusal(lambda: memory.read(name))

    def test_notes_whose_text_has_the_words_come_after_the_names(self, tmp_path: pathlib.Path) -> None:
        files = {f"{number}.md": "Matcha is whisked.\n" for number in range(5)}
        memory = Memory(write(tmp_path, {**files, "matchas.md": "matcha", "other.md": "coffee"}))
        assert refusal(lambda: memory.read("matcha")) == "There is no note 'matcha'. Nearest names: matchas.", "yet"
        memory.load()
        said = refusal(lambda: memory.read("matcha"))
        assert re.fullmatch(
            r"There is no note 'matcha'. Nearest names: matchas. Notes that contain its words: \d, \d, \d.", said
        )
        assert refusal(lambda: memory.delete("tee/matcha.md")).endswith(said.partition(".")[2])
        assert "words" not in refusal(lambda: memory.read("sencha"))

    def test_a_miss_reads_a_limited_number_of_notes(
        self, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(search_index, "_SLICE", 2)
        memory = Memory(write(tmp_path, {f"{number}.md": "matcha" for number in range(3)}))
        memory.load()
        first, second = (refusal(lambda: memory.read("matcha")).count(",") for _ in range(2))
        assert (first, second) == (1, 2)

    def test_a_miss_does_not_wait_for_a_search_of_another_thread(self, memory: Memory) -> None:
        memory.load()
        with engine(memory).search._index._lock:
            thread = threading.Thread(target=lambda: said.append(refusal(lambda: memory.read("outside"))))
            said: list[str] = []
            thread.start()
            thread.join(60)
        assert said == ["There is no note 'outside'."]
        assert refusal(lambda: memory.read("outside")).endswith("Notes that contain its words: other/vue.")

    def test_a_confined_caller_is_told_of_its_own_notes_only(self, memory: Memory) -> None:
        memory.load()
        confined = memory.restricted(Grant("topics"))
        assert refusal(lambda: confined.read("outside")) == "There is no note 'outside'."
        assert refusal(lambda: confined.read("see")).endswith("Notes that contain its words: topics/vue.")


def test_a_folder_names_its_notes(tmp_path: pathlib.Path) -> None:
    files = {f"people/{number:02}.md": "" for number in range(12)}
    memory = Memory(
        write(tmp_path, {**files, "people/x.png": "", "pictures/y.png": "", "own/people/z.md": "", "People2.md": ""})
    )
    first = ", ".join(f"people/{number:02}" for number in range(10))
    for name in ("people", "people/", "/People"):
        assert refusal(functools.partial(memory.read, name)) == (
            f"There is no note {name!r}. {name!r} is a folder with 12 notes: {first} and 2 more."
        )
    assert "is a folder" not in refusal(lambda: memory.read("pictures"))
    confined = memory.restricted(Grant("own"))
    assert "is a folder" not in refusal(lambda: confined.read("people"))
    assert "'own/people' is a folder with 1 note: own/people/z." in refusal(lambda: confined.read("own/people"))
