import unittest

from forked import WithFolder, fresh_python, linux_only

PROGRAM = """
import os, sys
from mcp_execution import _forking, _script
hooks = _forking.Hooks().watch()
module = _script.load_module(sys.argv[1])
fork = hooks.settle()
print("plain" if fork is _forking.fork_plainly else "whole", flush=True)
if fork() == 0:
    module.work()
    sys.stdout.flush()
    os._exit(0)
os.wait()
"""


@linux_only
class Forks(WithFolder):
    def lines(self, source):
        return fresh_python(PROGRAM, self.write("forks.py", source)).splitlines()

    def test_a_script_that_asks_to_be_told_of_forks_is_told(self):
        source = """
            import os
            told = []
            os.register_at_fork(before=lambda: told.append("before"), after_in_child=lambda: told.append("in child"))
            def work():
                print(*told)
        """
        self.assertEqual(self.lines(source), ["whole", "before in child"])

    def test_what_the_library_registers_for_threads_is_left_out(self):
        source = """
            import asyncio, concurrent.futures, logging, random, threading
            def work():
                print("worked")
        """
        self.assertEqual(self.lines(source), ["plain", "worked"])

    def test_threads_pools_loops_and_processes_work_in_a_plain_fork(self):
        source = """
            import asyncio, concurrent.futures, logging, multiprocessing, os, signal, subprocess, sys, threading

            def in_thread():
                with concurrent.futures.ThreadPoolExecutor(2) as pool:
                    return sum(pool.map(len, ["ab", "c"]))

            async def sleep():
                await asyncio.sleep(0)
                return threading.current_thread() is threading.main_thread()

            def double(number, queue):
                queue.put(number * 2)

            def in_process():
                context = multiprocessing.get_context("fork")
                queue = context.SimpleQueue()
                process = context.Process(target=double, args=(21, queue))
                process.start()
                process.join()
                return queue.get()

            def on_alarm():
                heard = []
                signal.signal(signal.SIGALRM, lambda *_: heard.append("alarm"))
                signal.raise_signal(signal.SIGALRM)
                return heard

            def work():
                logging.getLogger().warning("logged")
                done = []
                threads = [threading.Thread(target=done.append, args=("thread",)) for _ in range(2)]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
                print(*done)
                print(in_thread(), asyncio.run(sleep()), in_process(), *on_alarm())
                print(subprocess.run([sys.executable, "-c", "print('process')"], capture_output=True, text=True).stdout.strip())
                print(os.getpid() == int(open("/proc/self/stat").read().split()[0]), threading.active_count())
        """
        expected = ["plain", "thread thread", "3 True 42 alarm", "process", "True 1"]
        self.assertEqual(self.lines(source), expected)

    def test_what_watches_is_gone_when_the_import_is_over(self):
        source = """
            import os
            def work():
                os.register_at_fork(after_in_child=lambda: print("later", flush=True))
                if os.fork() == 0:
                    os._exit(0)
                os.wait()
                print(type(os.register_at_fork).__name__)
        """
        self.assertEqual(self.lines(source), ["plain", "later", "builtin_function_or_method"])


if __name__ == "__main__":
    unittest.main()
