"""Write the pages of the sign-in: plain HTML, which no other page can show in a frame.

They run no script, with one exception: where users have passkeys, the form has a button for them, since browsers offer
passkeys to scripts only. Its policy then names the two files of that script, and allows no other: none in the page,
none in the name of a client.
"""

import json
import secrets
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from string import Template
from typing import Any, NamedTuple

from starlette.responses import HTMLResponse, Response

from zkmem.serve.access.signin.clients import shown_redirect
from zkmem.serve.access.signin.store import RegisteredClient

DAYS = {"1": "a day", "30": "30 days", "90": "90 days", "365": "a year"}
USUAL_DAYS = "90"
READING, WRITING = "read", "write"
_SCRIPTS = ("person/consent.js", "person/passkey.js")  # in the folder of the page
_PASSKEY = """        <p id="passkey-fault" class="bad" role="alert" hidden></p>
        <input type="hidden" name="passkey">
        <p><button type="button" id="passkey" data-question="{}" hidden>Allow with a passkey</button></p>
"""


class FormChoice(NamedTuple):
    """What the user has chosen in the form, apart from the password."""

    right: str = WRITING
    folder: str = ""
    days: str = USUAL_DAYS
    user: str = ""


class ConsentQuestion(NamedTuple):
    """What the page asks the user."""

    client: RegisteredClient
    is_verified: bool  # by the document at its address
    redirect: str
    may_write: bool  # whether the client has asked to write
    vault: str
    server: str
    action: str  # the address of the form
    csrf: str
    passkey: Mapping[str, Any] | None  # what the browser needs to ask for one; None for no passkeys
    base: str  # the address below which the scripts are


def form(question: ConsentQuestion, choice: FormChoice, fault: str = "", status: int = 200) -> Response:
    """Return the page that asks whether a client may have access."""
    rights = {READING: "read the notes"}
    if question.may_write:
        rights = {WRITING: "read and write the notes", **rights}
    checked = choice.right if choice.right in rights else READING
    origin = (
        f"This is the client of {escape(_host_of(question.client.id))}."
        if question.is_verified
        else "The client has given itself this name. Look at where it goes back to."
    )
    body = _template("form.html").substitute(
        client=escape(question.client.name),
        origin=origin,
        redirect=escape(shown_redirect(question.redirect)),
        vault=escape(question.vault),
        server=escape(question.server),
        fault=f'      <p class="bad" role="alert">{escape(fault)}</p>' if fault else "",
        action=escape(question.action),
        csrf=escape(question.csrf),
        rights="\n".join(_radio(value, text, checked=value == checked) for value, text in rights.items()),
        folder=escape(choice.folder),
        days="".join(_option(value, text, selected=value == choice.days) for value, text in DAYS.items()),
        user=escape(choice.user),
        passkey="" if question.passkey is None else _PASSKEY.format(escape(json.dumps(question.passkey))),
    )
    scripts = [] if question.passkey is None else [f"{question.base}/{name}" for name in _SCRIPTS]
    return _page(f"Sign in: {question.client.name}", body, status, scripts=scripts)


def gone_back(redirect: str, sentence: str) -> Response:
    """Return a page that leads back to the client at once. A redirect would be refused by `form-action`."""
    link = f'<p><a class="button main" href="{escape(redirect)}">Continue</a></p>'
    refresh = f'\n    <meta http-equiv="refresh" content="0; url={escape(redirect)}">'
    return _page("Signed in", f"      <h1>{escape(sentence)}</h1>\n      {link}", refresh=refresh)


def message(title: str, sentence: str, status: int, link: str = "") -> Response:
    """Return a page with a message; `link` is an address to which the user may go on."""
    body = f"      <h1>{escape(title)}</h1>\n      <p>{escape(sentence)}</p>"
    if link:
        where = f"Go back to {shown_redirect(link)}"
        body += f'\n      <p><a class="button" href="{escape(link)}" rel="noreferrer">{escape(where)}</a></p>'
    return _page(title, body, status)


def _page(title: str, body: str, status: int = 200, refresh: str = "", scripts: Sequence[str] = ()) -> Response:
    """Return a page that runs the first of the scripts, at these addresses; it may import the others."""
    nonce = secrets.token_urlsafe(16)
    head = refresh + "".join(f'\n    <script type="module" src="{escape(one)}"></script>' for one in scripts[:1])
    text = _template("page.html").substitute(title=escape(title), body=body, nonce=nonce, head=head)
    return HTMLResponse(text, status, _headers(nonce, scripts))


def _headers(nonce: str, scripts: Sequence[str]) -> Mapping[str, str]:
    script_src = f"script-src {' '.join(scripts)}; " if scripts else ""
    return {
        "Cache-Control": "no-store",
        "Content-Security-Policy": f"default-src 'none'; {script_src}style-src 'nonce-{nonce}'; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'",
        "X-Frame-Options": "DENY",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",  # with no-referrer, browsers send the form with `Origin: null`
        "Cross-Origin-Resource-Policy": "same-origin",
    }


def _radio(value: str, text: str, *, checked: bool) -> str:
    mark = " checked" if checked else ""
    return f'          <label class="choice"><input type="radio" name="right" value="{value}"{mark}> {text}</label>'


def _option(value: str, text: str, *, selected: bool) -> str:
    return f'<option value="{value}"{" selected" if selected else ""}>{text}</option>'


def _host_of(client_id: str) -> str:
    return client_id.partition("//")[2].partition("/")[0]


@cache
def _template(name: str) -> Template:
    return Template((files("zkmem.serve.access.signin") / name).read_text("utf-8"))
