"""The form that directory_tree promises of its answer."""

import json

from mcp_execution.validation import check, data, equal, value


def is_tree():
    tree = json.loads(data()["content"])
    files = list(walk(tree, ""))
    check("/lines.txt" in files, "a file is missing in the tree", expected="/lines.txt", actual=files)
    check(not any("monday" in file for file in files), "what was left out is there", actual=files)
    value("files_seen", len(files))


def walk(entries, path):
    for entry in entries:
        here = f"{path}/{entry['name']}"
        is_file = entry["type"] == "file"
        equal("children" in entry, not is_file, f"{here}: folders have children, files have none")
        if is_file:
            yield here
        else:
            yield from walk(entry["children"], here)
