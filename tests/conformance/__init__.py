"""The protocol's official conformance suite and its Inspector, on zkmem: `python -m tests.conformance`."""
