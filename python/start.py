"""Where every Python process of the host begins: `python start.py ROLE`."""

import os
import sys

STARTUP_MODULES = frozenset(sys.modules)

HERE = os.path.dirname(os.path.abspath(__file__))
if sys.path[:1] != [HERE]:
    sys.path.insert(0, HERE)

if __name__ == "__main__":
    from mcp_execution import _script

    _script.remember_startup_modules(STARTUP_MODULES, own_path_entry=HERE)
    role = sys.argv[1]
    if role == "template":
        from mcp_execution._template import main
    elif role == "guarded":
        from mcp_execution._warm import guard as main
    else:
        from mcp_execution._warm import main
    main()
