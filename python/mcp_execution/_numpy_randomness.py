"""The same for numpy, where a script imports it: its generators know their entropy, but not where it came from."""

import functools
import gc
import sys
from os import urandom
from struct import unpack

from ._after_import import AfterImport

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
        self._secrets = self._randbits = None
        self._watching = AfterImport(_MODULE, self._watch_module, before=self._watch_entropy)
        if self._is_watching:
            self._watching.start()

    def _watch_entropy(self):
        """numpy takes its reference to the system's entropy while it is imported."""
        import secrets

        self._secrets, self._randbits = secrets, secrets.randbits
        secrets.randbits = self._noting_randbits

    def settle(self):
        """Stop watching. Gives what renews each generator that has no seed of its own."""
        self._watching.stop()
        if self._secrets is not None:
            self._secrets.randbits = self._randbits
        module = sys.modules.get(_MODULE)
        for name, original in self._originals.items():
            setattr(module, name, original)
        found = [] if module is None or not hasattr(module, "Generator") else self._renewals(module)
        self._drawn.clear()
        self._is_watching = False
        return found

    def _watch_module(self, module):
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
