"""Questions to the host, answered while the script goes on, for any number of threads and tasks at once."""

import itertools
import os
import threading

from ._channel import TooDeep, encode

_getpid = os.getpid


class Refused(Exception):
    """What the host says instead of an answer."""

    def __init__(self, code, message):
        self.code = code
        super().__init__(message)


class Asker:
    """One connection to the host. Whoever waits reads for all, until what it waits for has come."""

    def __init__(self, channel, max_bytes=None):
        self._channel = channel
        self._max_bytes = max_bytes
        self._pid = _getpid()
        self._numbers = itertools.count(1)
        self._waiting = {}
        self._turn = threading.Condition(threading.Lock())
        self._is_reading = False
        self._reader = None
        self._end = None

    def ask(self, method, params):
        slot = _Slot()
        number = self._send(method, params, slot)
        try:
            self._read_until(lambda: slot.is_over)
        except BaseException:
            self._give_up(number)
            raise
        return slot.outcome()

    async def ask_async(self, method, params):
        import asyncio

        loop = asyncio.get_running_loop()
        slot = _AwaitedSlot(loop)
        self.read_apart()
        number = self._send(method, params, slot)
        try:
            await slot.future
        except BaseException:
            self._give_up(number)
            raise
        return slot.outcome()

    def _send(self, method, params, slot):
        if _getpid() != self._pid:
            raise Refused("NOT_ALLOWED", "Only the process of the script itself can ask its host, and not one that it started")
        number = next(self._numbers)
        question = encode(b"C", {"id": number, "method": method, "params": params})
        if self._max_bytes is not None and len(question) > self._max_bytes:
            message = f"What is asked takes {len(question)} bytes as JSON; {self._max_bytes} are allowed"
            raise Refused("INVALID_ARGUMENTS", message)
        with self._turn:
            if self._end is not None:
                raise self._end
            self._waiting[number] = slot
        try:
            self._channel.send_encoded(question)
        except BaseException as error:
            self._waiting.pop(number, None)
            if isinstance(error, OSError):
                raise Refused("CLOSED", "The host is gone") from None
            raise
        return number

    def _give_up(self, number):
        if self._waiting.pop(number, None) is not None:
            try:
                self._channel.send(b"X", {"id": number})
            except OSError:
                pass

    def read_apart(self):
        """From now on a thread reads for all: tasks have none of their own, and one that Ctrl-C ends would lose what it half read."""
        with self._turn:
            if self._reader is None:
                reader = threading.Thread(target=self._read_until, args=(lambda: False,), name="answers", daemon=True)
                reader.start()
                self._reader = reader

    def _read_until(self, is_over):
        turn = self._turn
        with turn:
            while self._end is None and not is_over():
                if self._is_reading or self._reader not in (None, threading.current_thread()):
                    turn.wait()
                    continue
                self._is_reading = True
                turn.release()
                frame = None
                try:
                    frame = self._receive()
                finally:
                    turn.acquire()
                    self._is_reading = False
                    self._deliver(frame)
                    turn.notify_all()

    def _receive(self):
        try:
            return self._channel.receive()
        except TooDeep as answer:
            # The number comes first.
            number = int(answer.beginning.split(":", 1)[1].split(",", 1)[0])
            return answer.kind, {"id": number, "error": {"code": "RESULT_LIMIT", "message": "The answer is nested too deeply to be read"}}

    def _deliver(self, frame):
        """Without a frame nothing more can be read: what was half read is lost."""
        if frame is not None:
            payload = frame[1]
            slot = self._waiting.pop(payload["id"], None)
            if slot is not None:
                slot.take(payload)
            return
        self._end = Refused("CLOSED", "The host is gone")
        for slot in self._waiting.values():
            slot.take({"error": {"code": self._end.code, "message": str(self._end)}})
        self._waiting.clear()


class NobodyAnswers:
    """The host of a run that offers no tools."""

    def ask(self, method, _params):
        message = f"{method} is for scripts run by mcp-exec run or execute_script: here, no tools are offered"
        raise Refused("NOT_ALLOWED", message)

    async def ask_async(self, method, params):
        return self.ask(method, params)


class _Slot:
    """The place of an answer that is waited for."""

    answer = None

    @property
    def is_over(self):
        return self.answer is not None

    def take(self, answer):
        self.answer = answer

    def outcome(self):
        error = self.answer.get("error")
        if error is not None:
            raise Refused(error["code"], error["message"])
        return self.answer["value"]


class _AwaitedSlot(_Slot):
    def __init__(self, loop):
        self.future = loop.create_future()
        self._loop = loop

    def take(self, answer):
        super().take(answer)
        try:
            self._loop.call_soon_threadsafe(self._tell)
        except RuntimeError:  # the loop is closed, and nobody waits any more
            pass

    def _tell(self):
        if not self.future.done():
            self.future.set_result(None)
