import importlib.util
import json
import random
import unittest

from forked import WithFolder, fresh_python, needs_fork

PROGRAM = """
import json, os, sys
from mcp_execution import _randomness, _script
watching = _randomness.watch()
module = _script.load_module(sys.argv[1])
watching.settle()
for _ in range(2):
    if os.fork() == 0:
        watching.renew()
        print(json.dumps(module.draw()), flush=True)
        os._exit(0)
    os.wait()
"""

needs_numpy = unittest.skipUnless(importlib.util.find_spec("numpy"), "an interpreter with numpy")


@needs_fork
class Children(WithFolder):
    def draws(self, source):
        out = fresh_python(PROGRAM, self.write("draws.py", source))
        return [json.loads(line) for line in out.splitlines()]

    def assert_same(self, source):
        one, two = self.draws(source)
        self.assertEqual(one, two)
        return one

    def assert_different(self, source):
        one, two = self.draws(source)
        for left, right in zip(one, two):
            self.assertNotEqual(left, right)

    def test_unseeded_sources_differ(self):
        self.assert_different(
            """
            import random, secrets, tempfile, uuid
            own = random.Random()
            class Mine(random.Random): pass
            mine = Mine()
            again = random.Random(7)
            again.seed()
            gauss = random.Random()
            gauss.gauss(0, 1)
            names = tempfile._get_candidate_names()
            next(names)
            def draw():
                return [random.random(), own.random(), mine.random(), again.random(), gauss.gauss(0, 1),
                    next(names), str(uuid.uuid4()), str(uuid.uuid1()), secrets.token_hex(8)]
            """
        )

    def test_explicit_seeds_hold_and_the_sequence_goes_on_where_import_left_it(self):
        drawn = self.assert_same(
            """
            import random
            from random import seed
            seed(42)
            own = random.Random(42)
            first = [random.random(), own.random()]
            def draw(): return [random.random(), own.random()]
            """
        )
        plain = random.Random(42)
        plain.random()
        self.assertEqual(drawn, [plain.random()] * 2)

    def test_restored_state_counts_as_a_seed(self):
        self.assert_same(
            """
            import random, copy
            random.setstate(random.Random(3).getstate())
            twin = copy.copy(random.Random(3))
            def draw(): return [random.random(), twin.random()]
            """
        )

    def test_last_seed_counts(self):
        self.assert_different("import random\nrandom.seed(42)\nrandom.seed()\ndef draw(): return [random.random()]\n")

    def test_nothing_stays_patched(self):
        fresh_python(
            """
            import random, secrets, sys
            before = random.seed, random.setstate, vars(random.Random).copy(), secrets.randbits, list(sys.meta_path)
            from mcp_execution import _randomness
            watching = _randomness.watch()
            assert random.seed is not before[0]
            watching.settle()
            assert (random.seed, random.setstate) == before[:2] and dict(vars(random.Random)) == before[2]
            assert secrets.randbits == before[3] and sys.meta_path == before[4]
            """
        )

    def test_nothing_to_renew_costs_next_to_nothing(self):
        out = fresh_python(
            """
            import timeit
            from mcp_execution import _randomness
            watching = _randomness.watch()
            watching.settle()
            print(timeit.timeit(watching.renew, number=1000) / 1000)
            """
        )
        self.assertLess(float(out), 20e-6)

    @needs_numpy
    def test_numpy_without_seeds_differs(self):
        self.assert_different(
            """
            import numpy, numpy as np
            rng, state, philox = np.random.default_rng(), np.random.RandomState(), np.random.Generator(np.random.Philox())
            legacy = np.random.RandomState(np.random.PCG64())
            def draw(): return [np.random.rand(), rng.random(), state.rand(), philox.random(), legacy.rand()]
            """
        )

    @needs_numpy
    def test_numpy_with_explicit_seeds_holds(self):
        self.assert_same(
            """
            import numpy as np
            np.random.seed(42)
            rng, state = np.random.default_rng(42), np.random.RandomState(42)
            wide = np.random.default_rng(0x87351080e25cb0fad77a44a3be03b491)
            philox = np.random.Generator(np.random.Philox(7))
            def draw(): return [np.random.rand(), rng.random(), state.rand(), wide.random(), philox.random()]
            """
        )

    @needs_numpy
    def test_numpy_state_that_was_set_holds_and_a_seed_taken_back_does_not(self):
        drawing = "\nimport numpy as np\ndef draw(): return [np.random.rand()]\n"
        self.assert_same(drawing + "np.random.set_state(np.random.RandomState(1).get_state())\n")
        self.assert_different(drawing + "np.random.seed(1)\nnp.random.seed()\n")


if __name__ == "__main__":
    unittest.main()
