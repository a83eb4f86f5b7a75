"""Find what looks like a key, a token or a password in a note, so that zkmem can warn of it. The bytes stay.

The rules are those of gitleaks (config/gitleaks.toml, MIT licence) for keys with a fixed beginning, written so that
each needs one comparison at the place of a literal. A key without such a beginning counts only after a word such as
`token:`, and only if it looks random. A library would cost too much: see docs/development/decisions.md.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from zkmem.util.spelling import told_apart

_MOST = 20  # places in a note
_LEAST_RANDOM = 3.0  # bits for each character; words have less, and so have rows of one character
_KEY, _TOKEN, _PASSWORD, _PRIVATE_KEY = "a key", "a token", "a password", "a private key"
_PRIVATE = re.compile(rb"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY.*?(?:-----END [A-Z0-9 ]{0,40}-----|\Z)", re.DOTALL)
_MADE_UP = re.compile(
    rb"example|x{4}|\*{3}|\.{3}|your[_-]?|placeholder|dummy|change.?me|redacted|abcdefgh|12345678|passw|[<>{}$]|%\(|%s",
    re.IGNORECASE,
)


class Secret(NamedTuple):
    """A place that looks like a secret. It does not hold the secret, so that nothing can print it."""

    what: str  # such as "a key"
    line: int  # from 1


class _Rule(NamedTuple):
    literals: tuple[bytes, ...]  # in lower case; the pattern is tried where one of them begins
    pattern: re.Pattern[bytes]  # its group `secret`, or all of it, must look random
    what: str


def _begins(pattern: str, what: str, *literals: str) -> _Rule:
    """Return the rule for a secret that begins with one of the literals, and does not continue a word."""
    return _Rule(tuple(one.encode() for one in literals), re.compile(rf"(?<![\w-]){pattern}".encode()), what)


_BEFORE = ("api", "access", "auth", "secret", "private", "client", "bearer")


def _named(word: str, value: str, what: str, *, alone: bool = True) -> _Rule:
    """Return the rule for a value after a word, as in `word: value` and `api_word = "value"`.

    `alone`: whether the word counts without one of `_BEFORE`, too.
    """
    before = [rf"(?<={one}{gap})" for one in _BEFORE for gap in ("", "[ _-]")] + [r"(?<![A-Za-z])"] * alone
    between = r"""["'`*\]]{0,4}[ \t]{0,3}(?:=|:=?|\|)[ \t]{0,3}["'`*]{0,4}"""
    after = r"""(?=["'`*,;|)\]]{0,4}(?:\s|$))"""
    pattern = rf"(?:{'|'.join(before)})(?i:{word}){between}(?P<secret>{value}){after}"
    return _Rule((word.encode(),), re.compile(pattern.encode(), re.IGNORECASE if value is _RANDOM else 0), what)


_RANDOM = r"(?=\w{0,200}\d)(?=\w{0,200}[a-z])[\w+/]{20,200}={0,2}"
_STRONG = r"(?=\S{0,80}\d)(?=\S{0,80}[a-z])(?=\S{0,80}[A-Z])[^\s\"'`|,]{8,80}"
_BODY = r"[ \t]*\r?\n(?:[>\s]*[A-Za-z-]{1,30}: [^\n]{0,200}\n){0,5}[>\s]{0,20}(?P<secret>[A-Za-z0-9+/=]{32})"

_RULES = (
    _Rule((b"-----begin",), re.compile(rf"-----BEGIN [A-Z0-9 ]{{0,40}}PRIVATE KEY(?: BLOCK)?-----{_BODY}".encode()),
          _PRIVATE_KEY),
    _begins(r"AGE-SECRET-KEY-1[0-9A-Z]{58}", _PRIVATE_KEY, "age-secret-key-1"),
    _begins(r"(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b", _KEY, "a3t", "akia", "asia", "abia", "acca"),
    _begins(r"sk-(?=[\w-]{0,60}\d)[\w-]{32,200}", _KEY, "sk-"),  # OpenAI, Anthropic, OpenRouter, DeepSeek
    _begins(r"[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,99}\b", _KEY, "sk_", "rk_"),  # Stripe
    _begins(r"AIza[\w-]{35}(?![\w-])", _KEY, "aiza"),  # Google
    _begins(r"(?:gsk_|xai-|pplx-|r8_|tvly-)\w{32,100}", _KEY, "gsk_", "xai-", "pplx-", "r8_", "tvly-"),
    _begins(r"SG\.[\w-]{20,24}\.[\w-]{39,50}", _KEY, "sg."),  # SendGrid
    _begins(r"A3-[A-Z0-9]{6}-[A-Z0-9]{6}-?[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}", _KEY, "a3-"),  # 1Password
    _Rule((b"accountkey=",), re.compile(rb"(?i)accountkey=(?P<secret>[\w+/]{80,100}={0,2})"), _KEY),  # Azure
    _begins(r"gh[pousr]_[A-Za-z0-9]{36,255}\b", _TOKEN, "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
    _begins(r"github_pat_\w{60,100}", _TOKEN, "github_pat_"),
    _begins(r"gl(?:pat|dt|rt|cbt|soat|ptt)-[\w-]{20,200}", _TOKEN, "glpat-", "gldt-", "glrt-", "glcbt-", "glsoat-"),
    _begins(r"xox[abeoprs]-[\w-]{10,200}", _TOKEN, "xox"),  # Slack
    _Rule((b"hooks.slack.com/",), re.compile(rb"hooks\.slack\.com/(?:services|workflows)/[\w/+]{40,60}"), _TOKEN),
    _begins(r"hf_[A-Za-z0-9]{34}\b", _TOKEN, "hf_"),  # Hugging Face
    _begins(r"npm_[A-Za-z0-9]{36}\b", _TOKEN, "npm_"),
    _begins(r"pypi-AgE[\w-]{50,1000}", _TOKEN, "pypi-age"),
    _begins(r"do[opr]_v1_[a-f0-9]{64}\b", _TOKEN, "doo_v1_", "dop_v1_", "dor_v1_"),  # DigitalOcean
    _begins(r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}\b", _TOKEN, "shpat_", "shpca_", "shppa_", "shpss_"),  # Shopify
    _begins(r"(?:lin_api_|ntn_|glsa_|dapi|tskey-(?:api|auth)-|hv[sb]\.|sbp_|zkm_)[\w-]{30,200}", _TOKEN,
            "lin_api_", "ntn_", "glsa_", "dapi", "tskey-", "hvs.", "hvb.", "sbp_", "zkm_"),
    _begins(r"ey[A-Za-z0-9]{17,2000}\.ey[\w-]{17,4000}\.[\w-]{10,2000}", _TOKEN, "eyj"),  # JWT
    _Rule((b":aa",), re.compile(rb"(?<=\d{6}):AA[\w-]{33}(?![\w-])"), _TOKEN),  # Telegram
    _Rule((b"://",), re.compile(rb"://[^\s/:@\[\]()]{1,100}:(?P<secret>[^\s/:@\[\]()]{8,100})@[\w.-]"), _PASSWORD),
    _named("key", _RANDOM, _KEY, alone=False),
    _named("token", _RANDOM, _TOKEN),
    _named("secret", _RANDOM, _KEY),
    _named("password", _STRONG, _PASSWORD),
    _named("passwort", _STRONG, _PASSWORD),
)  # fmt: skip


def secrets_in(data: bytes, earlier: bytes = b"") -> list[Secret]:
    """Return the places of a note that look like secrets, by line, without secrets that the text `earlier` has."""
    lower, kinds = data.lower(), dict[int, str]()
    for rule in _RULES:
        for start, _ in _matches(rule, data, lower, earlier):
            kinds.setdefault(data.count(b"\n", 0, start) + 1, rule.what)
        if len(kinds) >= _MOST:
            break
    return [Secret(what, line) for line, what in sorted(kinds.items())]


def without_secrets(text: str) -> tuple[str, int]:
    """Return a text with a mark in place of each secret, wherever that occurs, and how many different ones it had.

    After the beginning of a private key, everything up to its end, or up to the end of the text, is left out.
    """
    data, count = text.encode(errors="replace"), 0
    while secrets := {secret: rule.what for rule in _RULES for _, secret in _matches(rule, data, data.lower(), b"")}:
        for secret, what in secrets.items():
            mark = f"({what} was left out)".encode()
            if secret in data:  # it is not a part of another one
                count += 1
                data = _PRIVATE.sub(mark, data) if b"PRIVATE KEY" in data and what == _PRIVATE_KEY else data
                data = data.replace(secret, mark)
    return data.decode() if count else text, count


def _matches(rule: _Rule, data: bytes, lower: bytes, earlier: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the place and the text of each secret that a rule finds and that is not in `earlier`; at most `_MOST`."""
    count = 0
    for literal in rule.literals:
        at = lower.find(literal)
        while at >= 0 and count < _MOST:
            end = at + len(literal)
            if match := rule.pattern.match(data, at):
                secret = match["secret" if rule.pattern.groups else 0]
                end = match.end()
                if _is_random(secret) and not (earlier and secret in earlier):
                    count += 1
                    yield at, secret
            at = lower.find(literal, end)


def _is_random(secret: bytes) -> bool:
    """Return whether a text looks random, and is no example."""
    if _MADE_UP.search(secret):
        return False
    counts, size = Counter(secret).values(), len(secret)
    bits = -sum(count / size * math.log2(count / size) for count in counts)
    return bits >= min(_LEAST_RANDOM, math.log2(size) * 0.8)


def described(secrets: Iterable[Secret], note: str = "") -> list[str]:
    """Return sentences that say in which lines there are secrets, without these. `note`: the note to name, if any."""
    lines: dict[str, list[int]] = {}
    for one in secrets:
        lines.setdefault(one.what, []).append(one.line)
    where = f" of {told_apart([note])[0]}" if note else ""
    return [
        f"this looks like {what} (line{'s' * (len(at) > 1)} {', '.join(map(str, at))}{where})"
        for what, at in lines.items()
    ]
