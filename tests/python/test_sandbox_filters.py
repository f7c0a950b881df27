import errno
import itertools
import os
import re
import signal
import sys
import tempfile
import threading
import unittest

from bpf_machine import ARCHITECTURES, Machine
from forked import in_child, linux_only
from mcp_execution._sandbox import bpf, filters
from mcp_execution._sandbox.syscalls import numbers

ALLOW, KILL = 0x7FFF0000, 0x80000000
REFUSE, UNKNOWN = 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS
PRETEND = 0x00050000
MACHINES = tuple(ARCHITECTURES)
FOREIGN_ARCHITECTURES = (0x40000003, 0x40000028, 0)
PID = 4242
ZEROS, ONES = [0] * 6, [0xFFFFFFFFFFFFFFFF] * 6
HIGH = 1 << 32

#: The other side of the allow-list. Whatever of the table is neither here nor below is ordinary.
REFUSED = """
ptrace process_vm_readv process_vm_writev kcmp pidfd_open pidfd_getfd pidfd_send_signal process_madvise process_mrelease
mount umount2 pivot_root chroot unshare setns open_tree open_tree_attr move_mount fsopen fsconfig fsmount fspick mount_setattr
statmount listmount listns
add_key request_key keyctl bpf userfaultfd perf_event_open uretprobe uprobe quotactl quotactl_fd swapon swapoff reboot
kexec_load kexec_file_load create_module init_module finit_module delete_module query_module get_kernel_syms
iopl ioperm modify_ldt acct settimeofday clock_settime adjtimex clock_adjtime syslog vhangup fanotify_init fanotify_mark
name_to_handle_at open_by_handle_at lookup_dcookie memfd_create memfd_secret
shmget shmat shmctl shmdt semget semop semctl semtimedop msgget msgsnd msgrcv msgctl
mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr sethostname setdomainname
setuid setgid setreuid setregid setresuid setresgid setfsuid setfsgid setgroups capset
lsm_get_self_attr lsm_set_self_attr lsm_list_modules
io_setup io_destroy io_submit io_cancel io_getevents io_pgetevents
uselib ustat sysfs _sysctl nfsservctl getpmsg putpmsg afs_syscall tuxcall security vserver set_thread_area get_thread_area
epoll_ctl_old epoll_wait_old
""".split()
ABSENT = "clone3 io_uring_setup io_uring_enter io_uring_register".split()
WITH_NET = "connect bind listen accept accept4".split()
WITH_RUN = "execve execveat".split()
PRETENDED = "chmod fchmod fchmodat fchmodat2 utime utimes futimesat utimensat".split()
WITH_OWN_ROOT = """
chown fchown lchown fchownat inotify_add_watch file_setattr
setxattr lsetxattr fsetxattr setxattrat removexattr lremovexattr fremovexattr removexattrat
""".split()
OF_A_PROCESS = """
prlimit64 sched_setaffinity sched_setscheduler sched_setparam sched_setattr migrate_pages move_pages get_robust_list
""".split()
#: The verdicts on arguments that are all zero, and all ones.
BY_ARGUMENTS = {
    "clone": (ALLOW, REFUSE),
    "socketpair": (REFUSE, REFUSE),
    "prctl": (REFUSE, REFUSE),
    "fcntl": (ALLOW, ALLOW),
    "ioctl": (ALLOW, ALLOW),
    "seccomp": (REFUSE, REFUSE),
    "setsockopt": (ALLOW, ALLOW),
    "personality": (REFUSE, ALLOW),
    "mknod": (ALLOW, REFUSE),
    "mknodat": (ALLOW, REFUSE),
    "setpriority": (ALLOW, REFUSE),
    "ioprio_set": (REFUSE, REFUSE),
    **dict.fromkeys(OF_A_PROCESS, (ALLOW, REFUSE)),
}
HOT = """
read write open openat close fstat newfstatat stat lseek mmap munmap mprotect brk madvise futex clock_gettime poll ppoll
epoll_wait epoll_pwait rt_sigaction rt_sigprocmask rt_sigreturn getpid gettid getrandom sched_yield nanosleep
clock_nanosleep getdents64 dup dup3 pipe2 pread64 pwrite64 sendmsg recvmsg wait4 exit_group
""".split()
WELL_KNOWN = {
    "x86_64": """
read 0 write 1 open 2 close 3 mmap 9 rt_sigreturn 15 ioctl 16 socket 41 sendto 44 socketpair 53 clone 56 fork 57 vfork
58 execve 59 kill 62 fcntl 72 truncate 76 chmod 90 ptrace 101 setsid 112 personality 135 prctl 157 arch_prctl 158 mount
165 tkill 200 futex 202 epoll_ctl 233 tgkill 234 openat 257 unshare 272 rt_tgsigqueueinfo 297 prlimit64 302 setns 308
seccomp 317 memfd_create 319 bpf 321 execveat 322 statx 332 rseq 334
""",
    "aarch64": """
io_setup 0 setxattr 5 getcwd 17 dup3 24 fcntl 25 ioctl 29 mknodat 33 renameat 38 mount 40 truncate 45 fchmodat 53 openat
56 close 57 read 63 write 64 newfstatat 79 fstat 80 personality 92 unshare 97 futex 98 ptrace 117 kill 129 tkill 130
tgkill 131 rt_sigreturn 139 setpgid 154 setsid 157 prctl 167 getpid 172 socket 198 socketpair 199 sendto 206 clone 220
execve 221 mmap 222 rt_tgsigqueueinfo 240 wait4 260 prlimit64 261 setns 268 seccomp 277 memfd_create 279 bpf 280
execveat 281 statx 291 rseq 293
""",
}
WELL_KNOWN_SINCE_2019 = """
pidfd_send_signal 424 io_uring_setup 425 clone3 435 close_range 436 openat2 437 landlock_create_ruleset 444
landlock_restrict_self 446 memfd_secret 447 futex_waitv 449 fchmodat2 452 map_shadow_stack 453 statmount 457
lsm_list_modules 461 mseal 462 setxattrat 463 removexattrat 466 open_tree_attr 467 file_setattr 469 listns 470
"""
HEADERS = {
    "x86_64": ("/usr/include/x86_64-linux-gnu/asm/unistd_64.h", "/usr/include/asm/unistd_64.h"),
    "aarch64": ("/usr/include/asm-generic/unistd.h",),
}
NO_CALLS = {"arch_specific_syscall", "syscalls"}
OF_32_BITS = range(403, 424)
#: The kernel puts these into the process itself; older headers lack them.
PROBES = (335, 336)


def zygote(machine, **changed):
    options = {"net": False, "run": False, "own_root": False, "truncate_covered": False, **changed}
    return Judge(machine, filters.zygote_filter(machine, **options))


def child(machine, **changed):
    options = {"pid": PID, "run": False, "restrict_signals": True, **changed}
    return Judge(machine, filters.child_filter(machine, **options))


class Judge:
    """A program as calls by name meet it."""

    def __init__(self, machine, program):
        self.machine = Machine(program)
        self._architecture, self._numbers = ARCHITECTURES[machine], numbers(machine)

    def judge(self, name, *arguments):
        return self.machine.judge(self._architecture, self._numbers[name], arguments)

    def __call__(self, name, *arguments):
        return self.judge(name, *arguments).verdict


class OfBothMachines(unittest.TestCase):
    def each(self, make=zygote, **options):
        for machine in MACHINES:
            with self.subTest(machine=machine, **options):
                yield make(machine, **options)


class Numbers(unittest.TestCase):
    def test_numbers_agree_with_what_everybody_knows(self):
        for machine in MACHINES:
            known = numbers(machine)
            words = (WELL_KNOWN[machine] + " " + WELL_KNOWN_SINCE_2019).split()
            for name, number in zip(words[::2], words[1::2]):
                self.assertEqual(known[name], int(number), f"{name} on {machine}")

    def test_no_number_has_two_names(self):
        for machine in MACHINES:
            self.assertEqual(len(set(numbers(machine).values())), len(numbers(machine)))

    def test_numbers_agree_with_the_headers_that_this_machine_has(self):
        for machine, paths in HEADERS.items():
            listed = next((names_in(path) for path in paths if os.path.exists(path)), {})
            ours = {number: name for name, number in numbers(machine).items()}
            for number, names in listed.items():
                if number <= max(ours) and number not in OF_32_BITS:
                    self.assertIn(ours.get(number), names, f"{number} on {machine}")
            self.assertEqual({number for number in ours if number <= max(listed, default=-1)} - {*listed, *PROBES}, set())

    def test_other_machines_are_named_in_the_error(self):
        with self.assertRaisesRegex(LookupError, "x86_64 and aarch64, not for riscv64"):
            numbers("riscv64")
        with self.assertRaises(LookupError):
            filters.zygote_filter("i686", net=False, run=False, own_root=False, truncate_covered=False)
        with self.assertRaises(LookupError):
            filters.child_filter("i686", pid=1, run=False, restrict_signals=False)


def names_in(header):
    """The names of each number; a header for several machines has more than one."""
    with open(header, encoding="utf-8") as file:
        lines = dict(re.findall(r"^#define\s+(__NR\w+)\s+(\w+)", file.read(), re.MULTILINE))
    names = {}
    for line, value in lines.items():
        name, number = line[len("__NR_") :], lines.get(value, value)
        if line.startswith("__NR_") and number.isdigit() and name not in NO_CALLS:
            names.setdefault(int(number), set()).add(name)
    return names


class ZygoteFilter(OfBothMachines):
    def test_every_number_gets_the_verdict_of_the_policy(self):
        for machine, (net, run, own_root, truncate) in itertools.product(MACHINES, itertools.product((False, True), repeat=4)):
            options = {"net": net, "run": run, "own_root": own_root, "truncate_covered": truncate}
            program = zygote(machine, **options).machine
            names = {number: name for name, number in numbers(machine).items()}
            refused = {*REFUSED}.union(
                () if net else WITH_NET,
                () if run else WITH_RUN,
                () if own_root else WITH_OWN_ROOT,
                () if own_root or truncate else ("truncate",),
            )
            by_arguments = {**BY_ARGUMENTS, "socket": (REFUSE, REFUSE), "sendto": (ALLOW, ALLOW if net else REFUSE)}
            for number in range(513):
                name = names.get(number)
                constant = UNKNOWN if name is None or name in ABSENT else REFUSE if name in refused else ALLOW
                if name in PRETENDED and not own_root:
                    constant = PRETEND
                expected = by_arguments.get(name, (constant, constant))
                found = tuple(program.judge(ARCHITECTURES[machine], number, values).verdict for values in (ZEROS, ONES))
                self.assertEqual(found, expected, f"{name or number} on {machine} with {options}")

    def test_names_of_the_policy_are_names_of_calls(self):
        known = {*numbers("x86_64"), *numbers("aarch64")}
        for names in (filters._ORDINARY, filters._ATTRIBUTES, filters._CONNECTIONS, filters._PROGRAMS, filters._ONE_PROCESS):
            self.assertEqual(set(names.split()) - known, set())
        self.assertEqual({*filters._BY_ARGUMENTS, *filters._SIGNALS_TO_SELF, *filters._PRETENDED_ABSENT.split()} - known, set())
        self.assertEqual({*REFUSED, *ABSENT, *WITH_NET, *WITH_RUN, *WITH_OWN_ROOT, *BY_ARGUMENTS, *HOT} - known, set())

    def test_calls_of_another_architecture_end_the_process(self):
        for machine in MACHINES:
            program = zygote(machine).machine
            for architecture in (*FOREIGN_ARCHITECTURES, *(ARCHITECTURES[other] for other in MACHINES if other != machine)):
                for number in (0, 1, 56, 57, 221, 999):
                    self.assertEqual(program.judge(architecture, number).verdict, KILL)

    def test_calls_of_x32_end_the_process(self):
        program = zygote("x86_64").machine
        for number in (0x40000000, 0x40000001, 0x40000000 + 520, 0x7FFFFFFF, 0xFFFFFFFF):
            self.assertEqual(program.judge(ARCHITECTURES["x86_64"], number).verdict, KILL)

    def test_numbers_far_beyond_the_table_are_unknown(self):
        for machine in MACHINES:
            program = zygote(machine).machine
            for number in (513, 548, 1024, 0x10000, 0x3FFFFFFF, 0x80000000 if machine == "x86_64" else 0xFFFFFFFF):
                self.assertEqual(program.judge(ARCHITECTURES[machine], number).verdict, UNKNOWN)

    def test_hot_calls_are_decided_without_their_arguments(self):
        for machine in MACHINES:
            for make in (zygote, child):
                judge = make(machine)
                for name in set(HOT) & set(numbers(machine)):
                    outcome = judge.judge(name)
                    self.assertEqual((outcome.verdict, outcome.read_arguments), (ALLOW, False), f"{name} on {machine}")

    def test_programs_are_small_and_their_paths_short(self):
        for machine, options in itertools.product(MACHINES, itertools.product((False, True), repeat=4)):
            judge = zygote(machine, **dict(zip(("net", "run", "own_root", "truncate_covered"), options)))
            self.assertLess(len(judge.machine.instructions), 300)
            self.assertLess(max(judge.judge(name).steps for name in numbers(machine)), 35)

    def test_clone_makes_threads_and_processes_but_no_namespaces_and_no_siblings(self):
        for judge in self.each():
            for flags in (17, 0x3D0F00, 0x1200011, 0x4111, 0x1000):
                self.assertEqual(judge("clone", flags), ALLOW)
            for new in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000, 0x80, 0x8000):
                self.assertEqual(judge("clone", new | 17), REFUSE)
                self.assertEqual(judge("clone", new | 0x3D0F00 | HIGH), REFUSE)

    def test_socket_pairs_are_streams_between_processes(self):
        for net in (False, True):
            for judge in self.each(net=net):
                for kind in (1, 1 | 0o4000, 1 | 0o2000000, 1 | 0o2004000, HIGH | 1):
                    self.assertEqual(judge("socketpair", 1, kind), ALLOW)
                for family, kind in ((1, 2), (1, 5), (1, 2 | 0o2000000), (1, 0), (2, 1), (10, 1), (16, 1), (0, 1)):
                    self.assertEqual(judge("socketpair", family, kind), REFUSE)

    def test_sockets_without_net_are_refused_and_nothing_is_sent_to_an_address(self):
        for judge in self.each(net=False):
            self.assertEqual(judge("socket", 2, 1, 0), REFUSE)
            self.assertEqual(judge("socket", 1, 1, 0), REFUSE)
            self.assertEqual(judge("sendto", 3, 4096, 10, 0, 0, 0), ALLOW)
            for address in (1, HIGH, HIGH | 1, 0xFFFF << 32):
                self.assertEqual(judge("sendto", 3, 4096, 10, 0, address, 16), REFUSE)

    def test_sockets_with_net_speak_tcp_and_udp(self):
        for judge in self.each(net=True):
            for family, kind, protocol in itertools.product((2, 10), (1, 2, 1 | 0o2004000), (0, 6, 17)):
                self.assertEqual(judge("socket", family, kind, protocol), ALLOW)
            for family, kind, protocol in (
                *((family, 1, 0) for family in (0, 1, 16, 17, 38, 40)),
                *((2, kind, 0) for kind in (0, 3, 5, 10, 3 | 0o2000000)),
                *((10, 1, protocol) for protocol in (1, 58, 132, 255, 262)),
            ):
                self.assertEqual(judge("socket", family, kind, protocol), REFUSE)
            self.assertEqual(judge("sendto", 3, 4096, 10, 0, 4096, 16), ALLOW)

    def test_limits_and_priorities_of_other_processes_are_out_of_reach(self):
        for judge in self.each():
            for name in OF_A_PROCESS:
                self.assertEqual(judge(name, 0), ALLOW)
                self.assertEqual(judge(name, HIGH), ALLOW)
                for pid in (1, PID, -1, 0x80000000):
                    self.assertEqual(judge(name, pid), REFUSE)
            self.assertEqual(judge("setpriority", 0, 0, 5), ALLOW)
            self.assertEqual(judge("ioprio_set", 1, 0, 5), ALLOW)
            for which, who in ((0, 1), (1, 0), (2, 0), (0, PID), (1, PID)):
                self.assertEqual(judge("setpriority", which, who), REFUSE)
                if which != 1 or who != 0:
                    self.assertEqual(judge("ioprio_set", which, who), REFUSE)

    def test_prctl_has_the_harmless_options_only(self):
        harmless = {2, 3, 4, 15, 16, 21, 23, 29, 30, 37, 38, 39, 40, 41, 42, 0x53564D41}
        for judge in self.each():
            for option in (*range(100), 0x53564D40, 0x53564D41, 0x53564D42, 0x59616D61, 0xFFFFFFFF):
                self.assertEqual(judge("prctl", option), ALLOW if option in harmless else REFUSE, option)

    def test_dying_with_the_parent_and_taking_over_orphans_cannot_be_taken_back(self):
        for judge in self.each():
            self.assertEqual([judge("prctl", 1, signal) for signal in (9, 0, 15)], [ALLOW, REFUSE, REFUSE])
            self.assertEqual([judge("prctl", 36, wanted) for wanted in (1, 0)], [ALLOW, REFUSE])

    def test_buffers_of_sockets_stay_as_large_as_they_are(self):
        for judge in self.each():
            self.assertEqual([judge("setsockopt", 3, 1, option) for option in (7, 8)], [PRETEND, PRETEND])
            self.assertEqual([judge("setsockopt", 3, 1, option) for option in (32, 33)], [REFUSE, REFUSE])
            self.assertEqual([judge("setsockopt", 3, *which) for which in ((1, 2), (6, 7), (6, 1))], [ALLOW] * 3)

    def test_addresses_of_the_machine_are_told_only_where_there_is_a_network(self):
        for net, verdict in ((False, REFUSE), (True, ALLOW)):
            for judge in self.each(net=net):
                self.assertEqual(judge("ioctl", 3, 0x8912), verdict)
                self.assertEqual(judge("ioctl", 3, 0x8901), REFUSE)

    def test_fcntl_names_no_owner_of_signals_and_takes_no_leases(self):
        for judge in self.each():
            for command in (*range(40), *range(1020, 1050)):
                refused = command in (8, 10, 15, 1024, 1026, 1031, 1040)
                self.assertEqual(judge("fcntl", 3, command), REFUSE if refused else ALLOW, command)
            self.assertEqual(judge("fcntl", 3, HIGH | 8), REFUSE)

    def test_ioctl_types_into_no_terminal_and_changes_no_file(self):
        refused = {
            "TIOCSTI": 0x5412,
            "TIOCLINUX": 0x541C,
            "TIOCSETD": 0x5423,
            "FIOSETOWN": 0x8901,
            "SIOCSPGRP": 0x8902,
            "FS_IOC_SETFLAGS": 0x40086602,
            "FS_IOC_SETVERSION": 0x40087602,
            "FS_IOC_FSSETXATTR": 0x401C5820,
            "FS_IOC_ENABLE_VERITY": 0x40806685,
            "FS_IOC_SET_ENCRYPTION_POLICY": 0x800C6613,
            "BTRFS_IOC_SNAP_CREATE": 0x50009401,
            "BTRFS_IOC_SUBVOL_CREATE": 0x5000940E,
            "BTRFS_IOC_SNAP_DESTROY": 0x5000940F,
            "BCH_IOCTL_SUBVOLUME_CREATE": 0x4020BC10,
            "F2FS_IOC_START_ATOMIC_WRITE": 0xF501,
        }
        allowed = {
            "TCGETS": 0x5401,
            "TIOCGWINSZ": 0x5413,
            "FIONREAD": 0x541B,
            "FIONBIO": 0x5421,
            "FIOCLEX": 0x5451,
            "TIOCGPTN": 0x80045430,
            "FS_IOC_GETFLAGS": 0x80086601,
            "FS_IOC_FIEMAP": 0xC020660B,
            "FS_IOC_FSGETXATTR": 0x801C581F,
            "FS_IOC_GETVERSION": 0x80087601,
            "FICLONE": 0x40049409,
            "FICLONERANGE": 0x4020940D,
            "FIDEDUPERANGE": 0xC0189436,
        }
        for judge in self.each():
            for name, command in refused.items():
                self.assertEqual(judge("ioctl", 3, command), REFUSE, name)
                self.assertEqual(judge("ioctl", 3, HIGH | command), REFUSE, name)
            for name, command in allowed.items():
                self.assertEqual(judge("ioctl", 3, command), ALLOW, name)

    def test_seccomp_adds_plain_filters_only(self):
        for judge in self.each():
            self.assertEqual(judge("seccomp", 1, 0), ALLOW)
            self.assertEqual(judge("seccomp", 2, 0), ALLOW)
            for operation, flags in ((0, 0), (1, 1), (1, 8), (1, 16), (3, 0), (0xFFFFFFFF, 0)):
                self.assertEqual(judge("seccomp", operation, flags), REFUSE)

    def test_personality_can_only_be_asked(self):
        for judge in self.each():
            self.assertEqual(judge("personality", 0xFFFFFFFF), ALLOW)
            for persona in (0, 8, 0x0040000, 0xFFFFFFFE):
                self.assertEqual(judge("personality", persona), REFUSE)

    def test_devices_are_not_made(self):
        for judge in self.each():
            for mode in (0o600, 0o100600, 0o10600, 0o140600):
                self.assertEqual(judge("mknodat", -100, 4096, mode), ALLOW)
            for mode in (0o20600, 0o60600):
                self.assertEqual(judge("mknodat", -100, 4096, mode), REFUSE)
        self.assertEqual(zygote("x86_64")("mknod", 4096, 0o20600), REFUSE)
        self.assertEqual(zygote("x86_64")("mknod", 4096, 0o10600), ALLOW)


class ChildFilter(OfBothMachines):
    def test_only_threads_start_without_run(self):
        for judge in self.each(child):
            self.assertEqual(judge("clone", 0x3D0F00), ALLOW)
            for flags in (17, 0x1200011, 0x4111, 0, HIGH * 0x10000):
                self.assertEqual(judge("clone", flags), REFUSE)
            for name in "setsid setpgid seccomp landlock_create_ruleset landlock_add_rule landlock_restrict_self".split():
                self.assertEqual(judge(name), REFUSE)
        for name in ("fork", "vfork"):
            self.assertEqual(child("x86_64")(name), REFUSE)

    def test_processes_start_with_run(self):
        for judge in self.each(child, run=True):
            for name in ("clone", "setsid", "setpgid", "seccomp", "landlock_restrict_self"):
                self.assertEqual(judge(name, 17), ALLOW)
        self.assertEqual(child("x86_64", run=True)("fork"), ALLOW)

    def test_signals_reach_the_process_itself_and_its_group(self):
        for run in (False, True):
            for judge in self.each(child, run=run):
                for name in ("kill", "rt_sigqueueinfo"):
                    for pid in (PID, 0, -PID, -PID & 0xFFFFFFFF, HIGH | PID):
                        self.assertEqual(judge(name, pid), ALLOW, pid)
                    for pid in (1, -1, PID - 1, PID + 1, -PID - 1, -PID + 1, PID << 32 | 1):
                        self.assertEqual(judge(name, pid), REFUSE, pid)
                for name in ("tkill", "tgkill", "rt_tgsigqueueinfo"):
                    self.assertEqual(judge(name, PID, PID + 5), ALLOW)
                    for pid in (0, 1, -1, PID + 1, -PID):
                        self.assertEqual(judge(name, pid, PID), REFUSE, pid)

    def test_signals_are_left_alone_where_something_else_restricts_them(self):
        for judge in self.each(child, restrict_signals=False):
            for name in ("kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"):
                self.assertEqual(judge(name, 1), ALLOW)

    def test_everything_else_is_left_to_the_zygotes_filter(self):
        decided = """
        fork vfork clone setsid setpgid seccomp landlock_create_ruleset landlock_add_rule landlock_restrict_self
        kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo
        """.split()
        for machine in MACHINES:
            program = child(machine).machine
            named = {numbers(machine).get(name) for name in decided}
            for number in {*range(513), 0x7FFFFFFF, 0xFFFFFFFF} - named:
                for values in (ZEROS, ONES):
                    self.assertEqual(program.judge(ARCHITECTURES[machine], number, values).verdict, ALLOW, number)

    def test_any_process_id_fits_in(self):
        for pid in (1, 2, 255, 256, 32768, 0x1F2F3F, 4194304):
            for judge in self.each(child, pid=pid):
                self.assertEqual([judge("kill", target) for target in (pid, -pid, 0, pid + 1)], [ALLOW, ALLOW, ALLOW, REFUSE])
                self.assertEqual([judge("tgkill", target) for target in (pid, pid + 1)], [ALLOW, REFUSE])

    def test_all_but_the_process_id_is_made_with_the_zygotes_filter(self):
        filters.zygote_filter("aarch64", net=False, run=False, own_root=False, truncate_covered=False)
        made = filters._child_program.cache_info().misses
        filters.child_filter("aarch64", pid=PID, run=False, restrict_signals=True)
        self.assertEqual(filters._child_program.cache_info().misses, made)

    def test_program_is_small(self):
        for judge in self.each(child):
            self.assertLess(len(judge.machine.instructions), 50)

    def test_nothing_to_refuse_is_no_program(self):
        for machine in MACHINES:
            self.assertEqual(filters.child_filter(machine, pid=PID, run=True, restrict_signals=False), b"")


class Assembler(unittest.TestCase):
    def test_ways_beyond_the_reach_of_a_jump_get_a_bridge(self):
        verdicts = {number: bpf.fail_with(number % 1000) for number in range(0, 2000, 2)}
        program = Machine(bpf.assemble(bpf.load(bpf.NUMBER, bpf.search(verdicts, bpf.ALLOW))))
        for number in range(2010):
            expected = verdicts.get(number, bpf.ALLOW)[1]
            self.assertEqual(program.judge(0, number).verdict, expected)

    def test_equal_parts_are_there_once(self):
        rule = bpf.argument(0, bpf.one_of((1, 2), bpf.ALLOW, bpf.KILL))
        once = bpf.assemble(bpf.load(bpf.NUMBER, bpf.search({5: rule}, bpf.KILL)))
        twice = bpf.assemble(bpf.load(bpf.NUMBER, bpf.search({5: rule, 9: rule}, bpf.KILL)))
        self.assertEqual((len(twice) - len(once)) // filters.INSTRUCTION_BYTES, 2)


@linux_only
class OnThisMachine(unittest.TestCase):
    def under_zygote_filter(self, work, **changed):
        self.assertEqual(in_child(lambda: obey_zygote(**changed) or work()), 0)

    def under_both_filters(self, work, restrict_signals=True, **changed):
        def obedient():
            obey_zygote(**changed)
            obey_child(run=changed.get("run", False), restrict_signals=restrict_signals)
            return work()

        self.assertEqual(in_child(obedient), 0)

    def test_sockets_are_refused_and_event_loops_run(self):
        def work():
            import asyncio
            import socket

            for family, kind in itertools.product((socket.AF_INET, socket.AF_UNIX), (socket.SOCK_STREAM, socket.SOCK_DGRAM)):
                expect_refused(lambda: socket.socket(family, kind))
            expect_refused(lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM))

            async def talk():
                left, right = socket.socketpair()
                reader, writer = await asyncio.open_connection(sock=left)
                right.sendall(b"hello\n")
                assert await reader.readline() == b"hello\n"
                writer.close()
                right.close()
                return await asyncio.to_thread(lambda: 7)

            assert asyncio.run(talk()) == 7

        self.under_both_filters(work)

    def test_connections_work_with_net(self):
        def work():
            import socket

            with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
                peer, _ = server.accept()
                client.sendall(b"hello")
                assert peer.recv(5) == b"hello"
                peer.close()
            socket.getaddrinfo("127.0.0.1", 80)
            expect_refused(lambda: socket.socket(socket.AF_UNIX))
            expect_refused(lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262))

        self.under_both_filters(work, net=True)

    def test_ordinary_code_runs(self):
        def work():
            import ctypes
            import json
            import mmap
            import resource
            import sqlite3
            import time
            from concurrent.futures import ThreadPoolExecutor

            assert json.loads(json.dumps({"a": [1]})) == {"a": [1]}
            with ThreadPoolExecutor(4) as executor:
                assert sum(executor.map(abs, range(-50, 0))) == 1275
            with tempfile.TemporaryDirectory() as folder:
                with sqlite3.connect(os.path.join(folder, "data.db")) as database:
                    database.execute("pragma journal_mode=wal")
                    database.execute("create table t as select 1 as one")
                    assert database.execute("select one from t").fetchall() == [(1,)]
                database.close()
                os.mkfifo(os.path.join(folder, "fifo"))
                with open(os.path.join(folder, "file"), "w+b") as file:
                    file.truncate(4096)
                    mmap.mmap(file.fileno(), 4096).close()
                os.rename(os.path.join(folder, "file"), os.path.join(folder, "renamed"))
                assert len(os.listdir(folder)) >= 3
            compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(lambda value: value + 1)
            assert compare(1) == 2
            os.sched_setaffinity(0, os.sched_getaffinity(0))
            os.nice(0)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.prlimit(0, resource.RLIMIT_CORE, (0, 0))
            rang = threading.Event()
            signal.signal(signal.SIGALRM, lambda *_: rang.set())
            signal.setitimer(signal.ITIMER_REAL, 0.001)
            assert rang.wait(5)
            time.sleep(0)

        self.under_both_filters(work)

    def test_processes_start_in_the_zygote_and_not_in_its_children(self):
        def zygote_work():
            assert in_child(lambda: 5) == 5

        def child_work():
            import subprocess

            expect_refused(os.fork)
            expect_refused(os.setsid)
            expect_refused(lambda: os.setpgid(0, 0))
            expect_refused(lambda: subprocess.run(["/bin/true"]))
            expect_refused(lambda: os.execv("/bin/true", ["true"]))

        self.under_zygote_filter(zygote_work)
        self.under_both_filters(child_work)

    def test_programs_start_with_run(self):
        def work():
            import asyncio
            import multiprocessing
            import subprocess

            assert subprocess.run(["sh", "-c", "echo a | cat"], capture_output=True, check=True).stdout == b"a\n"
            assert subprocess.run([sys.executable, "-c", "print(6*7)"], capture_output=True, check=True).stdout == b"42\n"
            sleeper = subprocess.Popen(["sleep", "60"], start_new_session=True)
            sleeper.kill()
            assert sleeper.wait() == -signal.SIGKILL

            async def start():
                process = await asyncio.create_subprocess_exec("echo", "b", stdout=asyncio.subprocess.PIPE)
                return await process.communicate()

            assert asyncio.run(start())[0] == b"b\n"
            process = multiprocessing.get_context("fork").Process(target=os._exit, args=(3,))
            process.start()
            process.join()
            assert process.exitcode == 3

        self.under_both_filters(work, run=True, restrict_signals=False)

    def test_signals_reach_nobody_else(self):
        def work():
            os.kill(os.getpid(), 0)
            os.kill(0, 0)
            os.kill(-os.getpid(), 0)
            expect_refused(lambda: os.kill(os.getppid(), 0))
            expect_refused(lambda: os.kill(-1, 0))
            expect_refused(lambda: os.kill(1, 0))
            arrived = []
            signal.signal(signal.SIGUSR1, lambda *_: arrived.append(1))
            signal.raise_signal(signal.SIGUSR1)
            signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)
            assert arrived == [1, 1]

        def leads_a_group():
            os.setpgid(0, 0)
            obey_zygote()
            obey_child(run=False, restrict_signals=True)
            return work()

        self.assertEqual(in_child(leads_a_group), 0)

    def test_attributes_of_files_are_left_as_they_are_without_an_own_root(self):
        with tempfile.NamedTemporaryFile() as file:
            pretended = [
                lambda: os.chmod(file.name, 0o644),
                lambda: os.fchmod(file.fileno(), 0o644),
                lambda: os.utime(file.name, ns=(1, 1)),
            ]
            changes = [lambda: os.chown(file.name, os.getuid(), os.getgid()), lambda: os.truncate(file.name, 0)]

            def refused():
                for change in pretended:
                    change()
                for change in changes:
                    expect_refused(change)

            def allowed():
                for change in (*pretended, *changes):
                    change()

            self.under_zygote_filter(refused)
            status = os.stat(file.name)
            self.assertEqual(status.st_mode & 0o777, 0o600)
            self.assertNotEqual(status.st_mtime_ns, 1)
            self.under_zygote_filter(allowed, own_root=True)
            self.assertEqual(os.stat(file.name).st_mode & 0o777, 0o644)

    def test_ways_out_are_refused(self):
        def work():
            from mcp_execution._sandbox import kernel

            for name in "ptrace unshare mount setns pidfd_open process_vm_readv bpf perf_event_open memfd_create".split():
                expect_refused(lambda: kernel.call(name, 0, 0, 0, 0, 0))
            for name in ("clone3", "io_uring_setup"):
                expect_refused(lambda: kernel.call(name, 0, 0), errno.ENOSYS)

        self.under_zygote_filter(work)

    def test_a_program_that_the_kernel_refuses_is_an_error(self):
        def work():
            from mcp_execution._sandbox import kernel

            kernel.no_new_privileges()
            expect_refused(lambda: filters.install(b"\xff" * filters.INSTRUCTION_BYTES), errno.EINVAL)

        self.assertEqual(in_child(work), 0)

    def test_nothing_to_install_is_no_work(self):
        self.assertEqual(in_child(lambda: filters.install(b"")), 0)


def obey_zygote(**changed):
    from mcp_execution._sandbox import kernel

    options = {"net": False, "run": False, "own_root": False, "truncate_covered": False, **changed}
    kernel.no_new_privileges()
    filters.install(filters.zygote_filter(os.uname().machine, **options))


def obey_child(**options):
    filters.install(filters.child_filter(os.uname().machine, pid=os.getpid(), **options))


def expect_refused(work, number=errno.EPERM):
    try:
        work()
    except OSError as error:
        assert error.errno == number, error
        return
    raise AssertionError("was not refused")


if __name__ == "__main__":
    unittest.main()
