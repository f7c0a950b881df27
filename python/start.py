"""Where every Python process of the host begins: `python start.py ROLE`."""

import os
import sys

STARTUP_MODULES = frozenset(sys.modules)

HERE = os.path.dirname(os.path.abspath(__file__))
if sys.path[:1] != [HERE]:
    sys.path.insert(0, HERE)


def _main_of(role):
    if role in ("template", "sandboxed-template"):
        from mcp_execution import _template

        return lambda: _template.main(sandboxed=role != "template")
    if role == "abilities":
        from mcp_execution._sandbox import abilities

        return abilities.main
    from mcp_execution import _warm

    return {"guarded": _warm.guard, "warm": _warm.main}[role]


if __name__ == "__main__" and sys.argv[1:] == ["discover"]:
    from mcp_execution._discovery.main import main

    main()
elif __name__ == "__main__" and sys.argv[1:] == ["command"]:
    from mcp_execution._guard_command import main

    main()
elif __name__ == "__main__":
    from mcp_execution import _script

    _script.remember_startup_modules(STARTUP_MODULES, own_path_entry=HERE)
    _main_of(sys.argv[1])()
