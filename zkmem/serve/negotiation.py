"""Read from the headers of a request what the client accepts."""

import re

_ZERO = re.compile(r"0(\.0*)?")


def accepts_gzip(accepted: str) -> bool:
    """Return whether an `Accept-Encoding` header names gzip with a weight above 0 (RFC 9110, 12.5.3)."""
    offers = (offer.replace(" ", "").lower().partition(";q=") for offer in accepted.split(","))
    return any(coding == "gzip" and not _ZERO.fullmatch(weight) for coding, _, weight in offers)
