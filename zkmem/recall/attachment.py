"""Read attachments: files of the vault that are not notes, such as pictures."""

from zkmem.errors import TooLarge, UnknownFile, Unreadable
from zkmem.names import is_note
from zkmem.vault.paths import is_hidden
from zkmem.vault.store import Store

_MOST = 64_000_000  # bytes


def read_attachment(store: Store, path: str) -> bytes:
    """Return the bytes of the file at `path`. Notes, hidden files and symbolic links are not attachments."""
    stamp = None if is_note(path) or is_hidden(path) or "\0" in path else store.stamp(path)
    if stamp is None:
        raise UnknownFile(path)
    if stamp.size > _MOST:
        raise TooLarge(f"{path!r} is too large to be sent ({stamp.size:,} bytes); open it in the vault's folder.")
    try:
        return store.read(path, _MOST)[0]
    except (FileNotFoundError, NotADirectoryError):  # it was removed just now, or the path ends with a slash
        raise UnknownFile(path) from None
    except OSError as error:
        raise Unreadable(f"{path!r} cannot be read: {error.strerror or 'it is not a file'}.") from error
