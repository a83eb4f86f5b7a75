"""Add, check, list and remove the passkeys of users (WebAuthn).

A passkey is a pair of keys that a person's device makes for this server's host: the device keeps the private key, asks
the person for a finger, a face or a PIN, and signs a challenge of the server. It says itself whose it is, so nobody
types a name. Only this module imports the library `webauthn`, and only when somebody uses a passkey.
"""

import base64
import importlib.util
import json
import logging
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from ipaddress import ip_address
from typing import Any

from zkmem.errors import BadArgument, BadSettings, Unauthorized, UnknownPasskey
from zkmem.serve.access.public import PublicUrl
from zkmem.serve.access.signin.signed import LASTS_S, Signed
from zkmem.serve.access.signin.store import Passkey, SignInStore, StoredSignIns, User
from zkmem.util.spelling import unused

MOST = 10
"""The passkeys of a user."""
LONGEST_NAME = 60
_LONGEST_ID = 1_023  # bytes, by the specification
_LONGEST_KEY = 1_100  # bytes: RSA with 8,192 bits. A larger one would take long to check
_HANDLE = 32  # bytes
_REFUSED = (
    "The passkey was refused: it is not known here, or its answer came too late. Try again, or use your password."
)

_log = logging.getLogger(__name__)


class CopiedPasskey(Unauthorized):
    """A passkey counts its uses, and the count has gone back: somebody uses a copy."""

    def __init__(self, user: str, passkey: str) -> None:
        super().__init__(
            f"The passkey {passkey!r} was refused: it has counted fewer uses than before, so there is a copy of it. "
            "Sign in with your password, remove it, and add a new one."
        )
        self.user = user
        self.passkey = passkey


class Passkeys:
    """The passkeys with which users sign in to one vault. A user's are for all vaults of the user. Thread-safe."""

    def __init__(self, store: SignInStore, vault: str, public: PublicUrl) -> None:
        """`vault` is a real path, `public` its public address. Import nothing yet."""
        self._store = store
        self._vault = vault
        self._origin = public.origin
        self._host = public.host
        self._challenges = Signed()
        self.is_offered = not _is_ip(public.host) and importlib.util.find_spec("webauthn") is not None
        """Whether the library is installed, and browsers have passkeys for the public address."""

    def are_used(self) -> bool:
        """Return whether a user of the vault can sign in with a passkey."""
        with suppress(BadSettings):  # whoever signs in learns that
            return self.is_offered and any(
                one.passkeys for one in self._store.load().users if self._vault in one.vaults
            )
        return False

    def of(self, user: str) -> tuple[Passkey, ...]:
        """Return the passkeys of a user of the vault. Raise BadSettings when the file cannot be read."""
        registered = self._store.load().user(user, self._vault)
        return registered.passkeys if registered else ()

    def question(self, purpose: str) -> dict[str, Any]:
        """Return what a browser needs to ask for any passkey of this server (`PublicKeyCredentialRequestOptionsJSON`).

        Its answer is accepted once, for this purpose.
        """
        self._check_offered()
        from webauthn import generate_authentication_options  # noqa: PLC0415 - see the module
        from webauthn.helpers import options_to_json_dict  # noqa: PLC0415
        from webauthn.helpers.structs import UserVerificationRequirement  # noqa: PLC0415

        options = generate_authentication_options(
            rp_id=self._host,
            challenge=self._challenge(purpose),
            timeout=int(LASTS_S * 1_000),
            user_verification=UserVerificationRequirement.REQUIRED,
        )
        return options_to_json_dict(options)

    def begin(self, user: str, purpose: str) -> dict[str, Any]:
        """Return what a browser needs to make a passkey for a user (`PublicKeyCredentialCreationOptionsJSON`)."""
        self._check_offered()
        from webauthn import base64url_to_bytes, generate_registration_options  # noqa: PLC0415
        from webauthn.helpers import options_to_json_dict  # noqa: PLC0415
        from webauthn.helpers.structs import (  # noqa: PLC0415
            AuthenticatorSelectionCriteria,
            PublicKeyCredentialDescriptor,
            ResidentKeyRequirement,
            UserVerificationRequirement,
        )

        with self._store.changing() as change:
            before = self._user(change.state, user)
            with_handle = change.put_user(before, _with_handle(before))
        options = generate_registration_options(
            rp_id=self._host,
            rp_name="zkmem",
            user_name=user,
            user_id=base64url_to_bytes(with_handle.handle),
            challenge=self._challenge(purpose),
            timeout=int(LASTS_S * 1_000),
            authenticator_selection=AuthenticatorSelectionCriteria(
                resident_key=ResidentKeyRequirement.REQUIRED, user_verification=UserVerificationRequirement.REQUIRED
            ),
            exclude_credentials=[
                PublicKeyCredentialDescriptor(base64url_to_bytes(one.id)) for one in with_handle.passkeys
            ],
        )
        return options_to_json_dict(options)

    def add(self, user: str, answer: str, purpose: str, name: str, address: str) -> Passkey:
        """Add the passkey in a browser's answer to `begin`, and return it. `address` is that of the browser."""
        self._check_offered()
        _check_name(name)
        from webauthn import verify_registration_response  # noqa: PLC0415

        with _refused():
            made = verify_registration_response(
                credential=answer,
                expected_challenge=self._taken(answer, purpose, address),
                expected_rp_id=self._host,
                expected_origin=self._origin,
                require_user_verification=True,
            )
        if len(made.credential_id) > _LONGEST_ID or len(made.credential_public_key) > _LONGEST_KEY:
            raise BadArgument("The passkey is larger than this server takes; use another device or program for it.")
        passkey = Passkey(
            _text(made.credential_id), _text(made.credential_public_key), made.sign_count, name, time.time()
        )
        with self._store.changing() as change:
            before = self._user(change.state, user)
            after = change.put_user(before, _with_passkey(passkey, before, change.state))
        return after.passkeys[-1]

    def check(self, answer: str, purpose: str, address: str) -> tuple[str, Passkey]:
        """Return the user who has signed in with a browser's answer to `question`, and the passkey. Note its use.

        `address` is that of the browser.
        """
        self._check_offered()
        from webauthn import base64url_to_bytes, verify_authentication_response  # noqa: PLC0415
        from webauthn.helpers import parse_authentication_credential_json  # noqa: PLC0415

        with _refused():
            challenge = self._taken(answer, purpose, address)
            credential = parse_authentication_credential_json(answer)
            user, passkey = self._holder(self._store.load(), credential.id)
            if _text(credential.response.user_handle or b"") != user.handle:
                raise Unauthorized("it says that it is of another user")
            verified = verify_authentication_response(
                credential=credential,
                expected_challenge=challenge,
                expected_rp_id=self._host,
                expected_origin=self._origin,
                credential_public_key=base64url_to_bytes(passkey.key),
                credential_current_sign_count=0,  # `_used` compares it, while no other process can change it
                require_user_verification=True,
            )
        with self._store.changing() as change:
            before = self._user(change.state, user.name)
            after = change.put_user(before, _used(passkey, verified.new_sign_count, before))
        return user.name, next(one for one in after.passkeys if one.id == passkey.id)

    def remove(self, user: str, passkey_id: str) -> Passkey:
        """Remove a passkey of a user, and return it."""
        with self._store.changing() as change:
            before = self._user(change.state, user)
            passkey = next((one for one in before.passkeys if one.id == passkey_id), None)
            if passkey is None:
                raise UnknownPasskey("You have no such passkey; it may have been removed already.")
            change.put_user(before, before._replace(passkeys=tuple(one for one in before.passkeys if one != passkey)))
        return passkey

    def _challenge(self, purpose: str) -> bytes:
        return self._challenges.sign({"purpose": purpose}).encode()

    def _taken(self, answer: str, purpose: str, address: str) -> bytes:
        """Return the challenge of an answer, which counts no second time. Raise Unauthorized if it is not open."""
        challenge = _challenge_in(answer)
        values = self._challenges.read(challenge.decode())
        if not values or not self._challenges.use(values["id"], address) or values["purpose"] != purpose:
            raise Unauthorized("its challenge was answered, is too old, or is of another question")
        return challenge

    def _holder(self, state: StoredSignIns, passkey_id: str) -> tuple[User, Passkey]:
        for user in state.users:
            for passkey in user.passkeys if self._vault in user.vaults else ():
                if passkey.id == passkey_id:
                    return user, passkey
        raise Unauthorized("no user of this vault has it")

    def _user(self, state: StoredSignIns, name: str) -> User:
        user = state.user(name, self._vault)
        if user is None:
            raise Unauthorized("The user has been removed.")
        return user

    def _check_offered(self) -> None:
        if not self.is_offered:
            raise BadArgument("This server has no passkeys; use your name and your password.")


def _with_handle(user: User) -> User:
    """Return the user with a random handle, by which a device knows whose passkey it has."""
    _check_room(user)
    return user if user.handle else user._replace(handle=_text(secrets.token_bytes(_HANDLE)))


def _with_passkey(passkey: Passkey, user: User, state: StoredSignIns) -> User:
    _check_room(user)
    if any(old.id == passkey.id for one in state.users for old in one.passkeys):
        raise BadArgument("This server has this passkey already.")
    name = unused(passkey.name, {one.name for one in user.passkeys})
    return user._replace(passkeys=(*user.passkeys, passkey._replace(name=name)))


def _used(passkey: Passkey, uses: int, user: User) -> User:
    """Return the user after a use of a passkey."""
    old = next((one for one in user.passkeys if (one.id, one.key) == (passkey.id, passkey.key)), None)
    if old is None:
        raise Unauthorized(_REFUSED)
    if (uses or old.uses) and uses <= old.uses:
        raise CopiedPasskey(user.name, old.name)
    after = old._replace(uses=uses, used=time.time())
    return user._replace(passkeys=tuple(after if one is old else one for one in user.passkeys))


def _check_room(user: User) -> None:
    if len(user.passkeys) >= MOST:
        raise BadArgument(f"You have {MOST} passkeys, the most there can be; remove one first.")


def _check_name(name: str) -> None:
    if not name.strip() or not name.isprintable() or len(name) > LONGEST_NAME:
        raise BadArgument(f"A passkey needs a name of 1 to {LONGEST_NAME} printable characters.")


def _challenge_in(answer: str) -> bytes:
    """Return the challenge that a browser says it answers."""
    from webauthn.helpers import base64url_to_bytes, parse_client_data_json  # noqa: PLC0415

    client_data = json.loads(answer)["response"]["clientDataJSON"]
    return parse_client_data_json(base64url_to_bytes(client_data)).challenge


@contextmanager
def _refused() -> Iterator[None]:
    """Raise Unauthorized for any error in here, and tell the reason to the log only."""
    try:
        yield
    except BadSettings:
        raise
    except Exception as error:
        _log.warning("a passkey was refused: %r", str(error)[:200])
        raise Unauthorized(_REFUSED) from error


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _is_ip(host: str) -> bool:
    with suppress(ValueError):
        ip_address(host)
        return True
    return False
