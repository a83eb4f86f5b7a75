"""Conversations that a person had with models, from the transcripts of clients and exports, as notes to propose.

`conversation.py` has the one shape of a conversation, `streams.py` reads large files in parts, `clients.py` and
`exports.py` know the formats, `worth.py` says which conversations are worth a note, `note.py` makes the note, and
`importing.py` proposes it.
"""
