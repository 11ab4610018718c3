"""Reading the next item of a generator in another thread."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import closing, suppress
from queue import SimpleQueue
from typing import TypeVar

Item = TypeVar("Item")


def prefetched(items: Generator[Item, None, None]) -> Generator[Item, None, None]:
    """Yield the items of a generator, which makes the next one in a thread meanwhile."""
    # Ctrl-C may interrupt Python code between any two steps and would leave a Queue or an Event
    # locked. SimpleQueue and Lock take each step in C.
    queue: SimpleQueue[tuple[Item] | BaseException | None] = SimpleQueue()
    room = threading.Lock()  # held while an item waits
    stopped: list[bool] = []

    def run() -> None:
        end: BaseException | None = None
        try:
            with closing(items):
                for item in items:
                    room.acquire()
                    if stopped:
                        return
                    queue.put((item,))
                    del item  # frees its memory as soon as the consumer has dropped it
        except BaseException as error:
            end = error
        queue.put(end)

    thread = threading.Thread(target=run, name="termsift-reader", daemon=True)
    thread.start()
    try:
        while (message := queue.get()) is not None:
            if isinstance(message, BaseException):
                raise message
            room.release()
            (item,) = message
            del message
            yield item
            del item
    finally:
        stopped.append(True)
        while thread.is_alive():  # it may be waiting for room
            with suppress(RuntimeError):
                room.release()
            thread.join(0.05)
