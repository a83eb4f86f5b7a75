"""A device with passkeys, and the browser between it and a page; that of an attacker does not keep to the rules."""

import base64
import hashlib
import json
import secrets
from typing import Any, NamedTuple

import cbor2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

PRESENT, VERIFIED, HAS_KEY = 1, 4, 64  # flags of the authenticator data


def text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


class Credential(NamedTuple):
    id: bytes
    key: ec.EllipticCurvePrivateKey
    handle: str


class Authenticator:
    """Makes passkeys for one origin, and uses the newest one unless told otherwise."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.credentials: list[Credential] = []
        self.uses = 0  # of all credentials; with `counts` off, it says 0
        self.counts = True

    def create(self, options: dict[str, Any], **changes: Any) -> str:
        """Answer `navigator.credentials.create`. For the changes, see `_signed_data` and `_client_data`."""
        made = Credential(
            changes.pop("id", secrets.token_bytes(16)), ec.generate_private_key(ec.SECP256R1()), options["user"]["id"]
        )
        self.credentials.append(made)
        numbers = made.key.public_key().public_numbers()
        key = cbor2.dumps({1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32, "big"), -3: numbers.y.to_bytes(32, "big")})
        attested = bytes(16) + len(made.id).to_bytes(2, "big") + made.id + key
        client_data = self._client_data("webauthn.create", options, changes)
        data = self._signed_data(options["rp"]["id"], changes, HAS_KEY) + attested
        assert not changes, changes
        attestation = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})
        return self._answer(made, {"clientDataJSON": text(client_data), "attestationObject": text(attestation)})

    def get(self, options: dict[str, Any], **changes: Any) -> str:
        """Answer `navigator.credentials.get`. For the changes, see `_signed_data` and `_client_data`."""
        chosen: Credential = changes.pop("credential", None) or self.credentials[-1]
        handle = changes.pop("handle", chosen.handle)
        client_data = self._client_data(changes.pop("kind", "webauthn.get"), options, changes)
        data = self._signed_data(options["rpId"], changes)
        signed = data + hashlib.sha256(client_data).digest()
        signature = changes.pop("key", chosen.key).sign(signed, ec.ECDSA(hashes.SHA256()))
        assert not changes, changes
        values = {"clientDataJSON": client_data, "authenticatorData": data, "signature": signature}
        return self._answer(chosen, {**{name: text(one) for name, one in values.items()}, "userHandle": handle})

    def _client_data(self, kind: str, options: dict[str, Any], changes: dict[str, Any]) -> bytes:
        """What the browser says: of which `origin` the page is, and which `challenge` it has given."""
        origin, challenge = changes.pop("origin", self.origin), changes.pop("challenge", options["challenge"])
        return json.dumps({"type": kind, "challenge": challenge, "origin": origin, "crossOrigin": False}).encode()

    def _signed_data(self, rp_id: str, changes: dict[str, Any], flags: int = 0) -> bytes:
        """What the device says: the host, whether it was `verified` who uses it, and how often it was used."""
        self.uses += 1
        verified = VERIFIED if changes.pop("verified", True) else 0
        uses = changes.pop("uses", self.uses if self.counts else 0)
        host = hashlib.sha256(changes.pop("rp_id", rp_id).encode()).digest()
        return host + bytes([flags | PRESENT | verified]) + int(uses).to_bytes(4, "big")

    @staticmethod
    def _answer(credential: Credential, response: dict[str, str]) -> str:
        name = text(credential.id)
        values = {"id": name, "rawId": name, "type": "public-key", "response": response}
        return json.dumps({**values, "clientExtensionResults": {}})
