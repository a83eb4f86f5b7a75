"""`python -m zkmem`, and what the command `zkmem` runs."""

import os
import signal
import sys

from zkmem.util.collector import importing

if sys.argv[1:2] == ["hook"] and not {"-h", "--help"}.intersection(sys.argv):
    # a client waits for it before each prompt: it imports nothing of the command line
    from zkmem.cli.hook_process import main
else:
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else the shell wants Ctrl-C to be ignored
        # Ctrl-C during the imports prints no traceback; `main` sets Python's handler again
        signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    with importing():  # garbage collection would add a tenth to the time of the imports
        from zkmem.cli.main import main

if __name__ == "__main__":
    main()
