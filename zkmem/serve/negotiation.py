"""What a client accepts, by the headers of its request."""

import re

_NOT_AT_ALL = re.compile(r"0(\.0*)?")


def accepts_gzip(accepted: str) -> bool:
    """Return whether an `Accept-Encoding` names gzip, and not with the weight 0 (RFC 9110, 12.5.3)."""
    offers = (offer.replace(" ", "").lower().partition(";q=") for offer in accepted.split(","))
    return any(coding == "gzip" and not _NOT_AT_ALL.fullmatch(weight) for coding, _, weight in offers)
