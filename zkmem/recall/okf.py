"""Export a vault as a bundle of the Open Knowledge Format, and check whether a vault is one."""

import posixpath
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import chain

from zkmem.index.check import Finding
from zkmem.index.lookup import Names
from zkmem.index.resolve import resolve
from zkmem.markdown import frontmatter
from zkmem.markdown.destinations import encoded
from zkmem.markdown.links import Link, body_links
from zkmem.markdown.okf import RESERVED, listing, packed
from zkmem.markdown.properties import typed_properties
from zkmem.names import base_of, fold, folder_of, folders_of, is_note, name_of
from zkmem.util.spelling import number_of

Read = Callable[[str], bytes]


def bundle_paths(paths: Collection[str]) -> dict[str, str]:
    """Return the path of each file in the bundle: its own, unless its name has a meaning there."""
    taken = {*map(fold, paths), *(fold(folder) for path in paths for folder in folders_of(path))}
    places: dict[str, str] = {}
    for path in paths:
        place = path
        number = 0
        while base_of(place).lower() in RESERVED or (place != path and fold(place) in taken):
            number += 1
            ending = "-note" if number == 1 else f"-note-{number}"
            place = f"{name_of(path)}{ending}.md"
        taken.add(fold(place))
        places[path] = place
    return places


def exported(paths: Collection[str], files: Names, read: Read) -> Iterator[tuple[str, bytes]]:
    """Yield the path and the bytes of each file of the bundle.

    `paths`: of the files of the vault; `files`: resolves links; `read` returns the bytes of a file, and a file whose
    reading raises `OSError` is left out.
    """
    places = bundle_paths(paths)
    listed: dict[str, list[tuple[str, str]]] = {}
    for path, place in places.items():
        try:
            data = read(path)
        except OSError:
            continue
        if is_note(path):
            name = base_of(name_of(path)) if place != path else None
            yield place, packed(data, _relative(places, files, path), name)
            listed.setdefault(folder_of(place), []).append((place, _description(data)))
        else:
            yield place, data
    folders = {folder for place in places.values() for folder in folders_of(place)}
    yield from ((path, data) for path, data in _listings(listed) if path not in folders)


def _relative(places: Mapping[str, str], files: Names, source: str) -> Callable[[Link], str | None]:
    """Return the function that gives the links of a note their relative paths."""
    here = folder_of(places[source])

    def place(link: Link) -> str | None:
        if not link.target:
            return base_of(places[source])
        path = resolve(files, link.target, source).path
        if path is None:  # to a note that is not there yet
            return None if link.kind == "md" else f"{link.target}.md"
        relative = posixpath.relpath(places.get(path, path), here or ".")
        return None if link.kind == "md" and relative == link.target else relative

    return place


def _description(data: bytes) -> str:
    value = typed_properties(data).get("description")
    return " ".join(value.split())[:200] if isinstance(value, str) else ""


def _listings(listed: Mapping[str, list[tuple[str, str]]]) -> Iterator[tuple[str, bytes]]:
    """Yield an `index.md` for each folder with notes, which lists them and the folders in it."""
    folders = {"", *listed, *chain.from_iterable(folders_of(f"{folder}/") for folder in listed)}
    for folder in sorted(folders):
        below = sorted(each for each in folders if each and folder_of(each) == folder)
        lines = [f"# {base_of(folder) or 'Notes'}", ""]
        lines += [f"* [{_label(base_of(each))}]({_url(base_of(each))}/index.md)" for each in below]
        for path, about in sorted(listed.get(folder, [])):
            lines.append(f"* [{_label(base_of(name_of(path)))}]({_url(base_of(path))})" + f" - {about}" * bool(about))
        yield posixpath.join(folder, "index.md"), listing(("\n".join(lines) + "\n").encode(errors="replace"))


def _label(text: str) -> str:
    return text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")


def _url(name: str) -> str:
    return encoded(name, angle=False)


def findings(paths: Iterable[str], read: Read) -> Iterator[Finding]:
    """Yield what must change before the notes at some paths are documents of a bundle."""
    for path in paths:
        try:
            data = read(path)
        except OSError:
            continue
        name = name_of(path)
        first, last, start = frontmatter.split(data)
        if base_of(path).lower() in RESERVED:
            if first < last:
                yield Finding(
                    "okf",
                    name,
                    f"OKF reserves {base_of(path)} for a file without properties; rename it, or remove them",
                )
            continue
        if first == last:
            yield Finding("okf", name, "it has no properties; OKF asks for `type`")
        elif fault := frontmatter.fault(data):
            yield Finding("okf", name, f"its properties are not YAML ({fault})")
        elif not typed_properties(data).get("type"):
            yield Finding("okf", name, "it has no property `type`")
        wikilinks = sum(1 for link in body_links(data[start:]) if link.kind == "wiki")
        if wikilinks:
            yield Finding(
                "okf", name, f"{number_of(wikilinks, 'link')} written as [[...]]; OKF asks for Markdown links"
            )
