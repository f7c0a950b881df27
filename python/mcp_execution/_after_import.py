"""Be told when a module is imported, without importing it."""

import functools
import sys


class AfterImport:
    """Calls `before` and then `after` around the execution of one module, which may never come."""

    def __init__(self, name, after, before=None):
        self._name = name
        self._after = after
        self._before = before

    def start(self):
        if self._name in sys.modules:
            self._after(sys.modules[self._name])
        else:
            sys.meta_path.insert(0, self)
        return self

    def stop(self):
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(self, name, path=None, target=None):
        if name != self._name:
            return None
        for finder in [finder for finder in sys.meta_path if finder is not self]:
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                # A folder without code has no loader.
                if spec.loader is not None:
                    spec.loader.exec_module = functools.partial(self._execute, spec.loader)
                return spec
        return None

    def _execute(self, loader, module):
        self.stop()
        del loader.exec_module
        if self._before is not None:
            self._before()
        loader.exec_module(module)
        self._after(module)
