"""The SQL statements that make the tables of the cache. `rows`, `snapshot` and `fulltext` say what the tables hold."""

INDEX_TABLES = """
CREATE TABLE notes(
    path TEXT PRIMARY KEY, mtime_ns INTEGER, ctime_ns INTEGER, size INTEGER, inode INTEGER,
    characters INTEGER, counted TEXT, uncounted TEXT, fault TEXT, callouts TEXT, etag TEXT, racy INTEGER, mark INTEGER
) WITHOUT ROWID;
CREATE TABLE snapshot(
    files TEXT, etags TEXT, missing TEXT, uncounted TEXT, ends BLOB, targets BLOB, source_ends BLOB, sources BLOB,
    byteorder TEXT, digest BLOB
);
CREATE TABLE derived(name TEXT PRIMARY KEY, data BLOB, digest BLOB)
"""
"""The tables of the notes and their links."""

SEARCH_TABLES = """
CREATE TABLE search_notes(
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, etag TEXT NOT NULL, date TEXT NOT NULL, dated TEXT NOT NULL,
    fields TEXT NOT NULL
);
CREATE INDEX search_dates ON search_notes(date);
CREATE TABLE search_texts(id INTEGER PRIMARY KEY, words BLOB NOT NULL);
CREATE TABLE search_facts(key TEXT, value TEXT, id INTEGER, PRIMARY KEY(key, value, id)) WITHOUT ROWID;
CREATE TABLE search_size(words INTEGER NOT NULL);
INSERT INTO search_size VALUES(0);
CREATE VIRTUAL TABLE search_words USING fts5(title, text, marks, content = '', tokenize = 'ascii');
INSERT INTO search_words(search_words, rank) VALUES('hashsize', 67108864)
"""
"""The tables of the search index."""
