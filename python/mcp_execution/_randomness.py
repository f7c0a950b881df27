"""Random numbers in children of one process: explicit seeds hold, everything else differs from child to child."""

import functools
import weakref
from _random import Random

from . import _numpy_randomness
from ._after_import import AfterImport

_seed = Random.seed


def watch():
    """Note from now on who seeds what; call before a script is imported."""
    return Randomness()


class Randomness:
    def __init__(self):
        self._is_seeded = False
        self._global = None
        self._state = None
        self._instances = {}
        self._renewals = []
        self._numpy = _numpy_randomness.watch()
        self._patched = []
        self._get_state = self._set_state = None
        self._watching = AfterImport("random", self._watch_module).start()

    def _watch_module(self, random):
        self._get_state, self._set_state = random.getstate, random.setstate
        self._global = getattr(random, "_inst", None)
        self._patch(random, "seed", self._noting_global)
        self._patch(random, "setstate", self._noting_global)
        self._patch(random.Random, "seed", self._noting_instance)
        self._patch(random.Random, "setstate", self._noting_instance)

    def settle(self):
        """Stop watching, and work out what each child has to renew."""
        self._watching.stop()
        for owner, name, original, replacement in reversed(self._patched):
            if vars(owner).get(name) is replacement:
                setattr(owner, name, original)
        self._state = self._get_state() if self._is_seeded else None
        unseeded = [reference for reference, is_seeded in self._instances.values() if not is_seeded]
        if self._global is not None and not self._is_seeded:
            unseeded.append(weakref.ref(self._global))
        self._renewals = [functools.partial(_renew_instance, reference) for reference in unseeded if reference() is not None]
        self._renewals += self._numpy.settle()
        self._instances.clear()

    def renew(self):
        """Call in each child, right after the fork."""
        if self._state is not None:
            self._set_state(self._state)
        for renewal in self._renewals:
            try:
                renewal()
            except Exception:  # noqa: BLE001 - a generator of the script's own making that cannot be reseeded
                pass

    def _patch(self, owner, name, noting):
        original = vars(owner)[name]
        replacement = noting(original)
        self._patched.append((owner, name, original, replacement))
        setattr(owner, name, replacement)

    def _noting_global(self, original):
        @functools.wraps(original)
        def noting(*args, **kwargs):
            original(*args, **kwargs)
            self._is_seeded = _has_seed(args, kwargs)

        return noting

    def _noting_instance(self, original):
        @functools.wraps(original)
        def noting(instance, *args, **kwargs):
            original(instance, *args, **kwargs)
            self._note(instance, _has_seed(args, kwargs))

        return noting

    def _note(self, instance, is_seeded):
        try:
            self._instances[id(instance)] = weakref.ref(instance), is_seeded
        except TypeError:
            pass


def _has_seed(args, kwargs):
    return next(iter([*args, *kwargs.values()]), None) is not None


def _renew_instance(reference):
    instance = reference()
    if instance is not None:
        _seed(instance)
        instance.gauss_next = None
