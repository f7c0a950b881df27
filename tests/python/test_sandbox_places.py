import os
import tempfile
import unittest

from mcp_execution._sandbox.places import Places, is_inside, places_of, python_places


def sandbox(**changes):
    return {"read": [], "write": [], "net": False, "run": False, "folder": None, **changes}


class PlacesTest(unittest.TestCase):
    def setUp(self):
        self.folder = os.path.realpath(tempfile.mkdtemp())
        self.addCleanup(lambda: __import__("shutil").rmtree(self.folder))

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def make(self, *names):
        os.makedirs(self.path(*names))
        return self.path(*names)

    def test_none_is_inside_another(self):
        self.make("a", "b")
        places = Places(read=[self.path("a", "b"), self.path("a")], write=())
        self.assertEqual(places.visible, [self.path("a")])

    def test_a_name_that_only_begins_alike_is_not_inside(self):
        self.make("a")
        self.make("ab")
        places = Places(read=[self.path("a"), self.path("ab")], write=())
        self.assertEqual(sorted(places.visible), [self.path("a"), self.path("ab")])
        self.assertFalse(is_inside("/usr2/x", ["/usr"]))

    def test_what_does_not_exist_is_left_out(self):
        self.assertEqual(Places(read=[self.path("missing")], write=()).visible, [])

    def test_links_on_the_way_are_kept_and_lead_to_the_real_place(self):
        real = self.make("real", "data")
        os.symlink(self.path("real"), self.path("link"))
        places = Places(read=[self.path("link", "data")], write=())
        self.assertEqual(places.visible, [real])
        self.assertEqual(places.links, [(self.path("link"), self.path("real"))])

    def test_a_relative_link_is_followed_from_where_it_stands(self):
        real = self.make("deep", "real")
        os.symlink("real", self.path("deep", "link"))
        self.assertEqual(Places(read=[self.path("deep", "link")], write=()).visible, [real])

    def test_a_link_to_itself_ends(self):
        os.symlink(self.path("loop"), self.path("loop"))
        self.assertEqual(Places(read=[self.path("loop")], write=()).visible, [])

    def test_what_may_be_written_can_be_seen(self):
        self.make("out")
        places = Places(read=(), write=[self.path("out")])
        self.assertEqual((places.visible, places.writable), ([self.path("out")], [self.path("out")]))

    def test_a_writable_place_inside_a_readable_one_stays_apart(self):
        self.make("a", "out")
        places = Places(read=[self.path("a")], write=[self.path("a", "out")])
        self.assertEqual((places.visible, places.writable), ([self.path("a")], [self.path("a", "out")]))

    def test_true_means_everything(self):
        self.assertTrue(places_of(sandbox(read=True)).are_everything)
        self.assertFalse(places_of(sandbox(read=True)).are_all_writable)
        self.assertTrue(places_of(sandbox(write=True)).are_all_writable)

    def test_a_sandbox_sees_python_and_its_folder_and_no_home(self):
        places = places_of(sandbox(folder=self.folder))
        self.assertTrue(places.shows(os.__file__))
        self.assertTrue(places.shows(self.path("data.csv")))
        for hidden in ("/etc/passwd", "/etc/shadow", "/home", "/var", "/"):
            self.assertFalse(places.shows(hidden), hidden)

    def test_usr_is_not_taken_whole_for_pythons_sake(self):
        self.assertNotIn("/usr", python_places())
        self.assertNotIn("/", python_places())

    def test_names_of_hosts_are_read_only_where_there_is_a_network(self):
        self.assertFalse(places_of(sandbox()).shows("/etc/hosts"))
        self.assertTrue(places_of(sandbox(net=True)).shows("/etc/hosts"))

    def test_programs_are_seen_only_where_they_may_run(self):
        self.assertFalse(places_of(sandbox()).shows("/usr/bin/env"))
        self.assertTrue(places_of(sandbox(run=True)).shows("/usr/bin/env"))


if __name__ == "__main__":
    unittest.main()
