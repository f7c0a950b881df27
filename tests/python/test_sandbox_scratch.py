import math
import os
import shutil
import tempfile
import unittest

from mcp_execution._sandbox import scratch


class ScratchTest(unittest.TestCase):
    def setUp(self):
        self.root = tempfile.mkdtemp()
        self.data = tempfile.mkdtemp()
        self.addCleanup(scratch.remove, self.root)
        self.addCleanup(shutil.rmtree, self.data)
        self.addCleanup(os.closerange, scratch.FIRST_KEPT_FD, scratch.FIRST_KEPT_FD + 32)

    def slots(self, count=2):
        return scratch.Slots(self.root, count, self.data)

    def write_data(self, name, text="data"):
        with open(os.path.join(self.data, name), "w", encoding="utf-8") as file:
            file.write(text)

    def test_the_folder_unused_for_longest_comes_next(self):
        slots = self.slots()
        first, second = slots.take("a").path, slots.take("b").path
        slots.give_back("a")
        slots.give_back("b")
        self.assertEqual([slots.take("c").path, slots.take("d").path], [first, second])

    def test_more_than_were_planned_have_one_each_too(self):
        slots = self.slots(1)
        paths = {slots.take(key).path for key in "abc"}
        self.assertEqual(len(paths), 3)

    def test_what_a_call_left_is_gone_before_the_next(self):
        slots = self.slots(1)
        path = slots.take("a").path
        os.makedirs(os.path.join(path, "x", "y"))
        for name in ("file", ".hidden", "x/file"):
            with open(os.path.join(path, name), "w", encoding="utf-8") as file:
                file.write("left")
        os.symlink("/etc/passwd", os.path.join(path, "link"))
        os.mkfifo(os.path.join(path, "fifo"))
        slots.give_back("a")
        self.assertEqual(os.listdir(slots.take("b").path), [])
        self.assertTrue(os.path.exists("/etc/passwd"))

    def test_a_folder_that_nobody_may_enter_is_removed_too(self):
        slots = self.slots(1)
        path = slots.take("a").path
        os.makedirs(os.path.join(path, "closed", "inner", "most"))
        for name in ("closed/inner/most", "closed/inner", "closed"):
            os.chmod(os.path.join(path, name), 0)
        os.makedirs(os.path.join(path, "fixed", "inner"))
        for name in ("fixed/inner", "fixed"):
            os.chmod(os.path.join(path, name), 0o500)
        slots.give_back("a")
        self.assertEqual(os.listdir(path), [])

    def test_a_tree_deeper_than_paths_go_is_removed(self):
        path = self.slots(1).take("a").path
        self._make_deep(path, 3000)
        fd = os.open(path, os.O_RDONLY)
        scratch.empty(fd)
        os.close(fd)
        self.assertEqual(os.listdir(path), [])

    def test_a_tree_deeper_than_paths_go_counts_as_too_much(self):
        path = self.slots(1).take("a").path
        self._make_deep(path, 3000)
        self.assertEqual(scratch.folder_bytes(path), math.inf)

    def test_data_beside_the_script_is_found_by_its_relative_name(self):
        self.write_data("data.csv")
        self.write_data("script.py")
        path = self.slots().take("a").path
        self.assertEqual(os.listdir(path), ["data.csv"])
        self.assertEqual(os.readlink(os.path.join(path, "data.csv")), os.path.join(self.data, "data.csv"))

    def test_a_link_that_a_call_turned_elsewhere_leads_back(self):
        self.write_data("data.csv")
        slots = self.slots(1)
        link = os.path.join(slots.take("a").path, "data.csv")
        os.unlink(link)
        os.symlink("/etc/passwd", link)
        slots.give_back("a")
        self.assertEqual(os.readlink(link), os.path.join(self.data, "data.csv"))

    def test_a_link_that_a_call_replaced_by_a_file_is_a_link_again(self):
        self.write_data("data.csv")
        slots = self.slots(1)
        link = os.path.join(slots.take("a").path, "data.csv")
        os.unlink(link)
        with open(link, "w", encoding="utf-8") as file:
            file.write("other")
        slots.give_back("a")
        self.assertTrue(os.path.islink(link))

    def test_the_size_counts_every_file_and_folder(self):
        path = self.slots().take("a").path
        with open(os.path.join(path, "large"), "wb") as file:
            file.write(bytes(1 << 20))
        self.assertGreaterEqual(scratch.folder_bytes(path), 1 << 20)
        for number in range(100):
            os.mkdir(os.path.join(path, str(number)))
        self.assertGreaterEqual(scratch.folder_bytes(path), (1 << 20) + 100 * 256)

    def test_what_a_call_did_to_the_folder_itself_is_undone(self):
        slots = self.slots(1)
        path = slots.take("a").path
        os.setxattr(path, "user.secret", b"secret")
        os.utime(path, ns=(42, 42))
        os.chmod(path, 0)
        slots.give_back("a")
        status = os.stat(path)
        self.assertEqual((status.st_mode & 0o777, status.st_mtime_ns, os.listxattr(path)), (0o700, 0, []))

    def test_the_root_of_a_host_that_is_gone_is_removed(self):
        left = os.path.join(tempfile.gettempdir(), "mcp-execution-scratch-left")
        os.makedirs(os.path.join(left, "0"), exist_ok=True)
        self._make_deep(os.path.join(left, "0"), 2000)
        os.utime(left, (0, 0))
        root = scratch.HostRoot()
        self.assertFalse(os.path.exists(left))
        self.assertEqual(os.stat(root.path).st_mode & 0o777, 0o700)
        root.remove()
        self.assertFalse(os.path.exists(root.path))

    def test_the_root_of_a_host_that_is_there_is_not(self):
        first, second = scratch.HostRoot(), scratch.HostRoot()
        self.assertTrue(os.path.exists(first.path))
        first.remove()
        second.remove()

    def _make_deep(self, path, depth):
        fd = os.open(path, os.O_RDONLY)
        for _ in range(depth):
            os.mkdir("d", dir_fd=fd)
            inner = os.open("d", os.O_RDONLY, dir_fd=fd)
            os.close(fd)
            fd = inner
        os.close(fd)


if __name__ == "__main__":
    unittest.main()
