"""Serve a vault with sign-in, and fetch the documents of clients from any address, with a certificate of a test.

Usage: python -m tests.tools.trusting_server VAULT PORT CERTIFICATE
"""

import ssl
import sys

from zkmem.cli.tokens import tokens_of
from zkmem.memory import Memory
from zkmem.serve.access.public import PublicUrl
from zkmem.serve.access.signin.documents import ClientDocuments
from zkmem.serve.app import application
from zkmem.serve.common import Common, Reach
from zkmem.serve.mcp.servers import Offer
from zkmem.serve.process import bind, run


def main() -> None:
    vault, port, certificate = sys.argv[1:]
    memory = Memory(vault)
    documents = ClientDocuments(ssl.create_default_context(cafile=certificate), only_public=False)
    reach = Reach(public=PublicUrl.of(f"http://127.0.0.1:{port}"))
    common = Common(reach.limits, documents)
    served = application(memory, tokens_of(memory.vault), Offer(["zettel"]), reach, common)
    sock = bind("127.0.0.1", int(port))
    print(f"Address: http://127.0.0.1:{port}/mcp", file=sys.stderr, flush=True)
    run(served.serve, sock, served.prepare_end)


if __name__ == "__main__":
    main()
