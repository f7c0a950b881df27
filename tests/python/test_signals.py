import os
import signal
import unittest

from forked import in_child, needs_fork
from mcp_execution import _signals


def handler_of_script(_signum, _frame):
    pass


@needs_fork
class Signals(unittest.TestCase):
    def expect(self, work):
        self.assertEqual(in_child(work), 0)

    def test_handlers_set_at_import_are_away_in_the_zygote_and_back_in_children(self):
        def work():
            signals = _signals.keep()
            signal.signal(signal.SIGTERM, handler_of_script)
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signals.reset_in_zygote()
            assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
            assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
            signals.restore_in_child()
            assert signal.getsignal(signal.SIGTERM) is handler_of_script
            assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN

        self.expect(work)

    def test_timers_set_at_import_never_fire(self):
        def work():
            signals = _signals.keep()
            signal.alarm(1)
            signal.setitimer(signal.ITIMER_VIRTUAL, 0.01)
            signals.reset_in_zygote()
            assert signal.alarm(0) == 0
            assert signal.getitimer(signal.ITIMER_VIRTUAL)[0] == 0

        self.expect(work)

    def test_signals_blocked_at_import_reach_the_zygote_and_are_blocked_again_in_children(self):
        def work():
            signals = _signals.keep()
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD, signal.SIGUSR1, signal.SIGXCPU})
            signals.reset_in_zygote()
            assert not signal.pthread_sigmask(signal.SIG_BLOCK, ())
            signals.restore_in_child()
            assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == {signal.SIGCHLD, signal.SIGUSR1}

        self.expect(work)

    def test_child_signal_is_default_in_children_unless_the_script_took_it(self):
        def work():
            signals = _signals.keep()
            signals.reset_in_zygote()
            signal.signal(signal.SIGCHLD, lambda *_: None)
            signals.restore_in_child()
            assert signal.getsignal(signal.SIGCHLD) == signal.SIG_DFL

        def work_with_handler():
            signals = _signals.keep()
            signal.signal(signal.SIGCHLD, handler_of_script)
            signals.reset_in_zygote()
            assert signal.getsignal(signal.SIGCHLD) == signal.SIG_DFL
            signals.restore_in_child()
            assert signal.getsignal(signal.SIGCHLD) is handler_of_script

        self.expect(work)
        self.expect(work_with_handler)

    def test_handlers_of_our_own_are_not_taken_for_the_scripts(self):
        def own(_signum, _frame):
            pass

        own.__module__ = "mcp_execution._keeper"

        def work():
            signals = _signals.keep()
            signal.signal(signal.SIGCHLD, own)
            signals.reset_in_zygote()
            signals.restore_in_child()
            assert signal.getsignal(signal.SIGCHLD) == signal.SIG_DFL

        self.expect(work)

    def test_broken_pipes_stay_ignored_as_python_has_it(self):
        def work():
            signals = _signals.keep()
            signals.reset_in_zygote()
            signals.restore_in_child()
            assert signal.getsignal(signal.SIGPIPE) == signal.SIG_IGN

        self.expect(work)

    def test_wakeup_descriptor_set_at_import_is_taken_away(self):
        def work():
            signals = _signals.keep()
            read, write = os.pipe()
            os.set_blocking(write, False)
            signal.set_wakeup_fd(write)
            signals.reset_in_zygote()
            assert signal.set_wakeup_fd(-1) == -1

        self.expect(work)


if __name__ == "__main__":
    unittest.main()
