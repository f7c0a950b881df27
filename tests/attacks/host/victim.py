"""A process of the host: keeps a secret in its memory, and every signal that reaches it stays to be seen.

It ends with its standard input.
"""

import ctypes
import json
import os
import signal
import sys

PR_SET_PTRACER, ANYONE = 0x59616D61, ctypes.c_ulong(-1)

ctypes.CDLL(None).prctl(PR_SET_PTRACER, ANYONE, 0, 0, 0)
signal.pthread_sigmask(signal.SIG_BLOCK, range(signal.SIGRTMIN, signal.SIGRTMAX + 1))
memory = ctypes.create_string_buffer(sys.argv[1].encode())
print(json.dumps({"pid": os.getpid(), "address": ctypes.addressof(memory)}), flush=True)
sys.stdin.read()
