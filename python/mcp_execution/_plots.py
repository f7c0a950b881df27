"""matplotlib draws for the host, where neither the script nor a person chose another backend."""

import os

from ._after_import import AfterImport

_BACKEND = "module://mcp_execution._matplotlib"


def watch():
    """From now on; costs nothing where matplotlib is not imported."""
    AfterImport("matplotlib", _choose_backend).start()


def _choose_backend(matplotlib):
    """An environment variable would do the same, and break every Python that the script starts."""
    if os.environ.get("MPLBACKEND"):
        return
    try:
        chosen = dict.__getitem__(matplotlib.rcParams, "backend")
        if not isinstance(chosen, str):
            matplotlib.rcParams["backend"] = _BACKEND
    except Exception:  # noqa: BLE001 - a module of that name that is another one
        pass
