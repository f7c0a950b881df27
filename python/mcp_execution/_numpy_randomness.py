"""The same for numpy, where a script imports it: its generators know their entropy, but not where it came from."""

import functools
import gc
import secrets
import sys
from os import urandom
from struct import unpack

_MODULE = "numpy.random"
_MAX_NOTED = 100_000


def watch():
    return NumpyRandomness()


class NumpyRandomness:
    """Notes the entropy that numpy draws from the system, which marks every generator made without a seed."""

    def __init__(self):
        self._drawn = set()
        self._is_watching = _MODULE not in sys.modules
        self._global_is_seeded = None
        self._originals = {}
        if self._is_watching:
            self._randbits = secrets.randbits
            secrets.randbits = self._noting_randbits
            sys.meta_path.insert(0, self)

    def find_spec(self, name, path=None, target=None):
        """Take part in the import of numpy's generators, to be told when they are seeded."""
        if name != _MODULE:
            return None
        sys.meta_path.remove(self)
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                spec.loader.exec_module = functools.partial(self._execute, spec.loader)
                return spec
        return None

    def settle(self):
        """Stop watching. Gives what renews each generator that has no seed of its own."""
        if self._is_watching:
            secrets.randbits = self._randbits
            if self in sys.meta_path:
                sys.meta_path.remove(self)
        module = sys.modules.get(_MODULE)
        for name, original in self._originals.items():
            setattr(module, name, original)
        found = [] if module is None or not hasattr(module, "Generator") else self._renewals(module)
        self._drawn.clear()
        self._is_watching = False
        return found

    def _execute(self, loader, module):
        del loader.exec_module
        loader.exec_module(module)
        for name in ("seed", "set_state"):
            original = getattr(module, name, None)
            if original is not None:
                self._originals[name] = original
                setattr(module, name, self._noting_seed(original))

    def _noting_seed(self, original):
        @functools.wraps(original)
        def noting(*args, **kwargs):
            original(*args, **kwargs)
            self._global_is_seeded = next(iter([*args, *kwargs.values()]), None) is not None

        return noting

    def _noting_randbits(self, k):
        bits = self._randbits(k)
        if self._is_watching and len(self._drawn) < _MAX_NOTED:
            self._drawn.add(bits)
        return bits

    def _renewals(self, module):
        the_global = getattr(getattr(module, "mtrand", None), "_rand", None)
        kinds = (module.Generator, module.RandomState)
        found = []
        for item in gc.get_objects():
            if not issubclass(type(item), kinds):
                continue
            if item is the_global and self._global_is_seeded is not None:
                has_no_seed = not self._global_is_seeded
            else:
                has_no_seed = self._has_no_seed(_bits_of(item))
            if has_no_seed:
                found.append(functools.partial(_renew, item))
        return found

    def _has_no_seed(self, bits):
        sequence = getattr(bits, "seed_seq", None) or getattr(bits, "_seed_seq", None)
        entropy = getattr(sequence, "entropy", None)
        return isinstance(entropy, int) and entropy in self._drawn


def _bits_of(generator):
    return getattr(generator, "bit_generator", None) or generator._bit_generator


def _renew(generator):
    if hasattr(generator, "get_state"):
        try:
            return generator.seed(unpack("<8I", urandom(32)))
        except TypeError:
            pass
    bits = _bits_of(generator)
    bits.state = type(bits)().state
