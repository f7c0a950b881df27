"""Signals between a script and its host: the zygote works undisturbed, the children have what the script set."""

import _signal as _plain
import signal

_TIMERS = [getattr(signal, name) for name in ("ITIMER_REAL", "ITIMER_VIRTUAL", "ITIMER_PROF") if hasattr(signal, name)]
_SIGCHLD = int(signal.SIGCHLD) if hasattr(signal, "SIGCHLD") else None
_SIGXCPU = getattr(signal, "SIGXCPU", None)
_OWN_PACKAGE = __name__.partition(".")[0]

_getsignal, _signal, _set_wakeup_fd = signal.getsignal, signal.signal, signal.set_wakeup_fd
_setitimer, _sigmask = getattr(signal, "setitimer", None), getattr(signal, "pthread_sigmask", None)
_ALL = sorted(signal.valid_signals())
#: Without the names of signals, which are not needed here.
_set_handler = _plain.signal
_DEFAULT = signal.SIG_DFL


def keep():
    """Note how signals stand before a script is imported."""
    return Signals()


def stop_timers():
    """An alarm that a script set when it was imported is not for the call that comes later."""
    for timer in _TIMERS:
        _setitimer(timer, 0)


class Signals:
    def __init__(self):
        self._before = {number: _getsignal(number) for number in _ALL}
        self._mask_before = _mask()
        self._of_script = {}
        self._mask_of_script = None

    def reset_in_zygote(self):
        """Undo what the import did to timers, mask, wake-up descriptor and handlers, and remember the script's handlers."""
        stop_timers()
        mask = _mask()
        if mask != self._mask_before:
            self._mask_of_script = mask - {_SIGXCPU}
        for number, before in self._before.items():
            handler = _getsignal(number)
            if handler is not before and handler != before:
                if not _is_own(handler):
                    self._of_script[number] = handler
                _install(number, before)
        _set_wakeup_fd(-1)
        if _sigmask is not None:
            _sigmask(signal.SIG_SETMASK, self._mask_before)

    def restore_in_child(self):
        """Give the script's own handlers back to the process that runs a call."""
        _set_wakeup_fd(-1)
        if _SIGCHLD is not None:
            _set_handler(_SIGCHLD, _plain.SIG_DFL)
        for number, handler in self._of_script.items():
            _install(number, handler)
        if self._mask_of_script is not None:
            _sigmask(signal.SIG_SETMASK, self._mask_of_script)


def _mask():
    return set() if _sigmask is None else set(_sigmask(signal.SIG_BLOCK, ()))


def _install(number, handler):
    try:
        _signal(number, _DEFAULT if handler is None else handler)
    except (OSError, ValueError, TypeError, RuntimeError):
        pass


def _is_own(handler):
    module = getattr(handler, "__module__", None)
    return isinstance(module, str) and module.partition(".")[0] == _OWN_PACKAGE
