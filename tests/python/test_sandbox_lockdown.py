import errno
import fcntl
import json
import os
import signal
import socket
import tempfile
import threading
import traceback
import unittest

from mcp_execution._sandbox import landlock, lockdown

LIMITS = {"memoryBytes": 1 << 28, "maxOpenFiles": 256, "cpuMs": 10_000}


def sandbox(**changes):
    return {
        "read": [],
        "write": [],
        "net": False,
        "run": False,
        "folder": None,
        "scratchBytes": 1 << 20,
        "slots": 2,
        "maxProcesses": 16,
        "importTimeoutMs": 10_000,
        "namespaces": "auto",
        "required": True,
        **changes,
    }


def machine(**abilities):
    found = lockdown.Machine()
    for name, value in abilities.items():
        setattr(found, name, value)
    return found


def inside(confinement, work):
    """What `work()` gives in a process that entered the sandbox, as far as the process of a call does."""
    read, low = os.pipe()
    write = fcntl.fcntl(low, fcntl.F_DUPFD, 20)
    os.close(low)
    pid = confinement.fork()
    if pid == 0:
        try:
            confinement.let_go()
            confinement.settle()
            slot = confinement.confine()
            confinement.confine_import(slot)
            told = {"value": work()}
        except BaseException:
            told = {"failed": traceback.format_exc()}
        os.write(write, json.dumps(told).encode())
        os._exit(0)
    os.close(write)
    with open(read, encoding="utf-8") as answers:
        told = json.loads(answers.read() or '{"failed": "it died"}')
    os.waitpid(pid, 0)
    confinement.remove()
    if "failed" in told:
        raise AssertionError(told["failed"])
    return told["value"]


def refusal(action):
    """The name of the errno that an action ends with; None where it succeeds."""
    try:
        action()
    except OSError as error:
        return errno.errorcode[error.errno]
    return None


class LockdownTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.outside = os.path.join(self.folder, "secret")
        with open(self.outside, "w", encoding="utf-8") as file:
            file.write("secret")
        self.addCleanup(lambda: __import__("shutil").rmtree(self.folder))

    def attempts(self):
        outside, parent = self.outside, os.getpid()
        return {
            "read": lambda: open(outside).close(),
            "list": lambda: os.listdir(os.path.dirname(outside)),
            "truncate": lambda: os.truncate(outside, 0),
            "remove": lambda: os.remove(outside),
            "chown": lambda: os.chown(outside, os.getuid(), os.getgid()),
            "socket": lambda: socket.socket().close(),
            "fork": os.fork,
            "exec": lambda: os.execv("/bin/true", ["true"]),
            "signal": lambda: os.kill(parent, signal.SIGCONT),
        }

    def assert_all_refused(self, confinement):
        attempts = self.attempts()
        refused = inside(confinement, lambda: {name: refusal(attempt) for name, attempt in attempts.items()})
        self.assertEqual([name for name, code in refused.items() if code is None], [])
        with open(self.outside, encoding="utf-8") as file:
            self.assertEqual(file.read(), "secret")

    def test_every_version_of_landlock_refuses_the_same_without_namespaces(self):
        newest = landlock.version()
        for abi in range(1, newest + 1):
            with self.subTest(abi=abi):
                self.assert_all_refused(lockdown.Confinement(sandbox(namespaces="off"), LIMITS, machine(abi=abi)))

    def test_namespaces_refuse_the_same_without_landlock(self):
        confinement = lockdown.Confinement(sandbox(), LIMITS, machine(abi=0))
        if not confinement.in_namespaces:
            self.skipTest("this machine permits no namespaces")
        self.assert_all_refused(confinement)

    def test_all_together_refuse_the_same(self):
        self.assert_all_refused(lockdown.Confinement(sandbox(), LIMITS, machine()))

    def test_threads_and_files_in_scratch_work(self):
        def work():
            threads = [threading.Thread(target=str) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            with open("own", "w", encoding="utf-8") as file:
                file.write("text")
            os.kill(os.getpid(), 0)
            return os.listdir()

        for namespaces in ("auto", "off"):
            with self.subTest(namespaces=namespaces):
                confinement = lockdown.Confinement(sandbox(namespaces=namespaces), LIMITS, machine())
                self.assertEqual(inside(confinement, work), ["own"])

    def test_nothing_is_left_of_a_scratch_folder_on_the_host(self):
        confinement = lockdown.Confinement(sandbox(namespaces="off"), LIMITS, machine())
        inside(confinement, lambda: None)
        self.assertFalse(os.path.exists(confinement.root))

    def test_capabilities_are_gone(self):
        def held():
            with open("/proc/self/status", encoding="utf-8") as file:
                return {line[:6]: line.split()[1].strip("0") for line in file if line.startswith("Cap")}

        for run in (False, True):
            found = inside(lockdown.Confinement(sandbox(run=run), LIMITS, machine()), held)
            self.assertEqual((found["CapEff"], found["CapPrm"], found["CapInh"], found["CapAmb"]), ("", "", "", ""))
        self.assertEqual(found["CapBnd"], "")


class ReportTest(unittest.TestCase):
    def report(self, machine, **changes):
        confinement = lockdown.Confinement(sandbox(namespaces="off", **changes), LIMITS, machine)
        self.addCleanup(confinement.remove)
        return confinement.report()

    def test_without_filters_the_network_is_open_and_that_is_said(self):
        report = self.report(machine(has_filters=False))
        self.assertEqual((report["enforced"]["network"], report["enforced"]["processes"]), ("none", "none"))
        self.assertIn("seccomp", report["missing"][0])

    def test_without_landlock_and_namespaces_files_are_open_and_that_is_said(self):
        report = self.report(machine(abi=0))
        self.assertEqual(report["enforced"]["files"], "none")
        self.assertIn("Landlock", report["missing"][0])

    def test_processes_of_a_script_could_signal_others_before_landlock_6_and_that_is_said(self):
        self.assertEqual(self.report(machine(abi=5))["missing"], [])
        report = self.report(machine(abi=5), run=True)
        self.assertEqual(report["enforced"]["processes"], "none")
        self.assertIn("signalling", report["missing"][0])

    def test_what_is_allowed_is_not_enforced_and_not_missing(self):
        report = self.report(machine(), net=True, read=True, write=True)
        self.assertEqual((report["enforced"]["files"], report["enforced"]["network"]), ("none", "none"))
        self.assertEqual(report["missing"], [])

    def test_a_tree_of_processes_is_watched_and_not_more(self):
        enforced = self.report(machine(), run=True)["enforced"]
        self.assertEqual((enforced["memory"], enforced["cpu"]), ("best-effort", "best-effort"))

    def test_a_plain_scratch_folder_is_watched_and_not_more(self):
        self.assertEqual(self.report(machine())["enforced"]["disk"], "best-effort")


class RightsTest(unittest.TestCase):
    def test_each_version_adds_its_rights(self):
        names = {
            abi: {name for name, bit in landlock.RIGHT.items() if landlock.rights_of(abi) & bit} for abi in range(8)
        }
        self.assertEqual(names[0], set())
        self.assertEqual(len(names[1]), 13)
        self.assertEqual(names[2] - names[1], {"refer"})
        self.assertEqual(names[3] - names[2], {"truncate"})
        self.assertEqual(names[4], names[3])
        self.assertEqual(names[5] - names[4], {"ioctl_dev"})
        self.assertEqual(names[7], names[5])

    def test_reading_and_writing_have_no_right_in_common(self):
        self.assertEqual(landlock.READ & landlock.WRITE, 0)
        self.assertNotIn("make_block", [name for name, bit in landlock.RIGHT.items() if landlock.WRITE & bit])


if __name__ == "__main__":
    unittest.main()
