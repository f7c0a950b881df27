import os
import signal
import subprocess
import sys
import time
import unittest

from forked import in_child, is_alive, linux_only, needs_fork, wait_until
from mcp_execution import _platform

try:
    import resource
except ImportError:
    resource = None


@linux_only
class Trees(unittest.TestCase):
    def test_child_dies_with_its_parent(self):
        read, write = os.pipe()

        def parent():
            child = os.fork()
            if child == 0:
                assert _platform.die_with_parent(os.getppid())
                os.write(write, str(os.getpid()).encode())
                time.sleep(60)
            time.sleep(60)

        pid = os.fork()
        if pid == 0:
            parent()
        grandchild = int(os.read(read, 20))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        self.assertTrue(wait_until(lambda: not is_alive(grandchild)))
        os.close(read)
        os.close(write)

    def test_child_whose_parent_is_already_gone_ends_at_once(self):
        self.assertEqual(in_child(lambda: _platform.die_with_parent(1 << 22)), -signal.SIGKILL)

    def test_kill_strangers_ends_children_and_what_they_leave_behind(self):
        def reaper():
            assert _platform.become_subreaper()
            known = os.fork()
            if known == 0:
                signal.pause()
            shell = subprocess.Popen(["sh", "-c", "(sleep 60 & sleep 60 & setsid sleep 60 &) ; sleep 60 & wait"])
            assert wait_until(lambda: len(_platform.children_of_me()) > 2)
            assert _platform.kill_strangers({known}) >= 2
            assert _platform.children_of_me() == [known]
            shell.returncode = 0
            _platform.kill_strangers()
            try:
                os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return 0
            return 1

        self.assertEqual(in_child(reaper), 0)

    def test_kill_strangers_reaps_a_child_that_has_already_ended(self):
        def reaper():
            pid = os.fork()
            if pid == 0:
                os._exit(0)
            wait_until(lambda: not is_alive(pid))
            assert _platform.kill_strangers() == 1
            assert _platform.children_of_me() == []

        self.assertEqual(in_child(reaper), 0)

    def test_children_are_found_by_search_where_the_kernel_does_not_list_them(self):
        from mcp_execution import _procfs

        pid = os.fork()
        if pid == 0:
            signal.pause()
        self.assertIn(pid, _procfs._children_by_search())
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)

    def test_nothing_to_kill_is_no_work(self):
        self.assertEqual(in_child(_platform.kill_strangers), 0)


@linux_only
class Limits(unittest.TestCase):
    def test_memory_beyond_the_limit_is_a_memory_error_and_lifting_makes_room(self):
        def work():
            assert _platform.set_limits(memory_bytes=32 << 20)["memory"] == "enforced"
            bytearray(8 << 20)
            try:
                bytearray(64 << 20)
            except MemoryError:
                _platform.lift_memory_limit()
                bytearray(64 << 20)
                return 0
            return 1

        self.assertEqual(in_child(work), 0)

    def test_memory_limit_counts_from_what_the_process_holds(self):
        def work():
            held = bytearray(64 << 20)
            _platform.set_limits(memory_bytes=32 << 20)
            bytearray(16 << 20)
            return 0 if held else 1

        self.assertEqual(in_child(work), 0)

    def test_processor_time_beyond_the_limit_ends_the_process(self):
        def work():
            assert _platform.set_limits(cpu_seconds=0.1)["cpu"] == "enforced"
            while True:
                pass

        self.assertEqual(in_child(work), -signal.SIGXCPU)

    def test_processor_time_is_limited_from_now_on(self):
        def work():
            _platform.set_limits(cpu_seconds=10)
            return resource.getrlimit(resource.RLIMIT_CPU)[0]

        self.assertIn(in_child(work), (10, 11))

    def test_open_files_are_limited(self):
        def work():
            assert _platform.set_limits(open_files=40)["files"] == "enforced"
            try:
                [os.dup(1) for _ in range(60)]
            except OSError:
                return 0
            return 1

        self.assertEqual(in_child(work), 0)

    def test_a_limit_that_is_not_given_is_left_alone(self):
        before = resource.getrlimit(resource.RLIMIT_NOFILE)
        self.assertEqual(_platform.set_limits(), {"cpu": "none", "memory": "none", "files": "none"})
        self.assertEqual(resource.getrlimit(resource.RLIMIT_NOFILE), before)


class Figures(unittest.TestCase):
    @linux_only
    def test_peak_counts_what_was_held_and_can_be_forgotten(self):
        def work():
            start = _platform.peak_memory()
            block = bytearray(b"x") * (40 << 20)
            assert _platform.peak_memory() - start > 30 << 20
            del block
            if _platform.reset_peak():
                assert _platform.peak_memory() - start < 20 << 20

        self.assertEqual(in_child(work), 0)

    def test_current_memory_is_below_the_peak(self):
        self.assertTrue(0 < _platform.current_memory() <= _platform.peak_memory() + (1 << 20))

    def test_processor_time_includes_children_that_were_waited_for(self):
        before, _ = _platform.usage()
        subprocess.run([sys.executable, "-c", "sum(range(3_000_000))"], check=True)
        self.assertGreater(_platform.cpu_ms() - before, 10)

    @linux_only
    def test_unread_bytes_of_a_pipe_are_counted_at_its_writing_end(self):
        read, write = os.pipe()
        self.assertEqual(_platform.unread_bytes(write), 0)
        os.write(write, b"four")
        self.assertEqual(_platform.unread_bytes(write), 4)
        os.close(read)
        os.close(write)

    def test_unread_bytes_of_a_closed_descriptor_are_unknown(self):
        self.assertIsNone(_platform.unread_bytes(987))

    @linux_only
    def test_oom_score_is_raised(self):
        def work():
            assert _platform.raise_oom_score()
            with open("/proc/self/oom_score_adj", encoding="ascii") as file:
                return 0 if file.read().strip() == "1000" else 1

        self.assertEqual(in_child(work), 0)


@needs_fork
class StandardInput(unittest.TestCase):
    def test_text_arrives_whole_and_ends(self):
        text = "grüße 🎈\n" * 200_000

        def work():
            _platform.empty_stdin_from(text)
            with open(0, encoding="utf-8") as stdin:
                return 0 if stdin.read() == text else 1

        self.assertEqual(in_child(work), 0)

    def test_none_is_end_of_file(self):
        def work():
            _platform.empty_stdin_from(None)
            return len(os.read(0, 10))

        self.assertEqual(in_child(work), 0)

    def test_without_memory_files_a_temporary_file_takes_their_place(self):
        def work():
            _platform._memfd_create = None
            _platform.empty_stdin_from("text")
            return 0 if os.read(0, 10) == b"text" else 1

        self.assertEqual(in_child(work), 0)


@unittest.skipIf(sys.platform == "win32", "Windows has it")
class OtherSystems(unittest.TestCase):
    def test_a_windows_job_is_refused_elsewhere(self):
        self.assertFalse(_platform.kill_tree_with_me())


if __name__ == "__main__":
    unittest.main()
