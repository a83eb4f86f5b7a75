"""`python -m zkmem`, and what the command `zkmem` runs."""

import os
import signal

from zkmem.util.collector import importing

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # a shell may have had it ignored
    # a traceback from the middle of an import tells nobody anything; `main` takes the handler back
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))
with importing():  # garbage collection would add a tenth to the time of the imports
    from zkmem.cli.main import main

if __name__ == "__main__":
    main()
