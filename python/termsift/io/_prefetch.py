"""Reading the next item of a generator in another thread."""

from __future__ import annotations

import time
from _thread import start_new_thread
from collections.abc import Generator
from contextlib import suppress
from inspect import GEN_CLOSED, getgeneratorstate
from queue import SimpleQueue
from typing import TypeVar

Item = TypeVar("Item")


def prefetched(items: Generator[Item, None, None]) -> Generator[Item, None, None]:
    """Yield the items of a generator, and make each next one in a thread meanwhile."""
    # Ctrl-C may interrupt Python code between any two steps and would leave the locks of a Queue,
    # a Thread or a Future held. SimpleQueue takes each step in C.
    results: SimpleQueue[tuple[Item] | BaseException] = SimpleQueue()

    def read() -> None:
        try:
            results.put((next(items),))
        except BaseException as error:  # StopIteration at the end
            results.put(error)

    try:
        start_new_thread(read, ())
        while not isinstance(result := results.get(), BaseException):
            start_new_thread(read, ())
            yield result[0]
            del result  # frees its memory before the next one comes
        if not isinstance(result, StopIteration):
            raise result
    finally:
        while getgeneratorstate(items) != GEN_CLOSED:
            with suppress(ValueError):  # it is running, and cannot be closed
                items.close()
            time.sleep(0.001)
