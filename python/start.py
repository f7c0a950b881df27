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
    if sys.argv[1] == "template":
        from mcp_execution._template import main
    else:
        from mcp_execution._warm import main
    main()
