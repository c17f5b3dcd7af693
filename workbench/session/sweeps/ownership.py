"""Ends a sweep's process with the window that began it, however that one ends."""

from __future__ import annotations

import _thread
import os
import signal
import threading

_CHUNK = 4096


def interrupted_at_end(descriptor: int) -> threading.Thread:
    """A thread that interrupts this process, as Ctrl+C does, when a stream ends.

    The other end is the owner's alone: the system closes it also where the owner was killed. The
    descriptor is read without a lock, so that the process can end before its owner.
    """
    watch = threading.Thread(target=_watch, args=(descriptor,), name="owner", daemon=True)
    watch.start()
    return watch


def _watch(descriptor: int) -> None:
    try:
        while os.read(descriptor, _CHUNK):
            continue
    except OSError:
        return  # the descriptor is none that ends
    main = threading.main_thread().ident
    if main is not None and hasattr(signal, "pthread_kill"):
        signal.pthread_kill(main, signal.SIGINT)  # wakes it where it waits
    else:
        _thread.interrupt_main()
