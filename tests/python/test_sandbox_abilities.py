import errno
import json
import os
import subprocess
import sys
import unittest
from unittest import mock

from forked import PYTHON_PART, WithFolder, linux_only
from mcp_execution._sandbox import abilities

START = os.path.join(PYTHON_PART, "start.py")
CGROUP2 = "29 22 0:26 {part} {place} rw,nosuid shared:4 - cgroup2 cgroup2 rw\n"
CGROUP1 = "28 22 0:25 / /sys/fs/cgroup/memory rw shared:3 - cgroup cgroup rw,memory\n"


class TheRole(unittest.TestCase):
    def test_says_in_one_marked_line_what_the_machine_can_do(self):
        done = subprocess.run([sys.executable, "-I", START, "abilities"], capture_output=True, text=True, timeout=60)
        lines = [line for line in done.stdout.splitlines() if line.startswith(abilities.MARK)]
        self.assertEqual((done.returncode, done.stderr, len(lines)), (0, "", 1))
        self.assertEqual(json.loads(lines[0][len(abilities.MARK) :])["linux"], sys.platform == "linux")

    def test_claims_nothing_on_other_systems(self):
        with mock.patch.object(sys, "platform", "darwin"):
            self.assertEqual(abilities.examine(), {"linux": False})


@linux_only
class AMachine(unittest.TestCase):
    def test_is_named_with_its_kernel(self):
        found = abilities.examine()
        self.assertEqual((found["kernel"], found["machine"]), (os.uname().release, os.uname().machine))

    def test_whose_system_calls_are_not_known_can_do_nothing_and_says_why(self):
        with mock.patch.object(os, "uname", return_value=Uname("riscv64")):
            found = abilities.examine()
        self.assertEqual(found["landlock"]["version"], 0)
        self.assertIn("not for riscv64", found["namespaces"]["reason"])
        self.assertFalse(found["seccomp"]["works"])

    def test_that_refuses_namespaces_is_asked_for_each_kind(self):
        with clone_refusing(0x40000000), mock.patch("mcp_execution._sandbox.namespaces.why_not", return_value="no"):
            found = abilities.examine()
        self.assertEqual(found["namespaces"], {"works": False, "reason": "no", "refused": ["network"]})
        self.assertEqual(found["processes"], {"boundedByNamespace": False, "countedByUser": False})

    def test_that_refuses_namespaces_of_users_is_not_asked_further(self):
        with clone_refusing(0x10000000), mock.patch("mcp_execution._sandbox.namespaces.why_not", return_value="no"):
            self.assertEqual(abilities.examine()["namespaces"]["refused"], ["user"])

    def test_counts_the_processes_of_every_user_but_root(self):
        for uid, counted in ((0, False), (1000, True)):
            with self.subTest(uid=uid), namespaces_that_work(), mock.patch.object(os, "getuid", return_value=uid):
                self.assertEqual(abilities.examine()["processes"], {"boundedByNamespace": False, "countedByUser": counted})

    def test_leaves_no_process_behind(self):
        abilities.examine()
        with self.assertRaises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)


@linux_only
class Landlock(unittest.TestCase):
    def test_that_is_there_has_a_version(self):
        with mock.patch("mcp_execution._sandbox.landlock.version", return_value=4):
            self.assertEqual(abilities.landlock_ability(), {"version": 4})

    def test_that_is_missing_has_a_reason(self):
        reasons = {
            errno.ENOSYS: "this kernel is without it",
            errno.EOPNOTSUPP: "this kernel has it, but it was not switched on at boot",
            errno.EINVAL: os.strerror(errno.EINVAL),
        }
        for number, reason in reasons.items():
            refuse = mock.patch("mcp_execution._sandbox.kernel.call", side_effect=OSError(number, "refused"))
            with self.subTest(reason=reason), refuse:
                self.assertEqual(abilities.landlock_ability(), {"version": 0, "reason": reason})


class ControlGroups(WithFolder):
    def test_that_are_of_version_1_alone_are_not_delegated(self):
        self.write("proc/self/mountinfo", CGROUP1)
        self.write("proc/self/cgroup", "4:memory:/a\n")
        self.assertEqual(self.reason(), "control groups of version 2 are not mounted")

    def test_without_controllers_are_not_delegated(self):
        self.mount_own("/a", controllers="cpu pids")
        self.assertEqual(self.reason(), "the group of this process has no controller for memory")

    def test_that_can_be_divided_are_delegated(self):
        group = self.mount_own("/user/a", controllers="cpu memory pids")
        self.assertEqual(abilities.cgroup_ability(self.folder), {"delegated": True})
        self.assertEqual(sorted(os.listdir(group)), ["cgroup.controllers", "cgroup.subtree_control"])

    def test_of_which_a_container_sees_a_part_are_found_there(self):
        self.mount_own("/docker/abc/own", part="/docker/abc", inner="own", controllers="memory pids")
        self.assertEqual(abilities.cgroup_ability(self.folder), {"delegated": True})

    def test_that_cannot_be_divided_are_not_delegated(self):
        self.mount_own("/a", controllers="memory pids")
        with mock.patch.object(os, "mkdir", side_effect=OSError(errno.EACCES, "no")):
            self.assertEqual(self.reason(), "the group of this process cannot be divided (Permission denied)")

    def reason(self):
        return abilities.cgroup_ability(self.folder)["reason"]

    def mount_own(self, own, controllers, part="/", inner=None):
        self.write("proc/self/mountinfo", CGROUP1 + CGROUP2.format(part=part, place="/sys/fs/cgroup"))
        self.write("proc/self/cgroup", f"4:memory:/b\n0::{own}\n")
        group = os.path.join("sys/fs/cgroup", inner or own.lstrip("/"))
        self.write(f"{group}/cgroup.subtree_control", "")
        return os.path.dirname(self.write(f"{group}/cgroup.controllers", f"{controllers}\n"))


class Uname:
    release = "9.9"

    def __init__(self, machine):
        self.machine = machine


def clone_refusing(flag):
    from mcp_execution._sandbox import kernel

    clone = kernel.clone

    def refuse(flags):
        if flags & flag:
            raise PermissionError(errno.EPERM, "clone: Operation not permitted")
        return clone(flags & 0xFF)

    return mock.patch.object(kernel, "clone", refuse)


def namespaces_that_work():
    module = "mcp_execution._sandbox.namespaces"
    unbounded = mock.Mock(return_value=mock.Mock(begin=lambda *_, **__: mock.Mock(are_bounded=False)))
    return mock.patch.multiple(module, why_not=lambda: None, Surroundings=unbounded, start=lambda net: os.fork())


if __name__ == "__main__":
    unittest.main()
