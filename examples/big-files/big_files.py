#!/usr/bin/env python3
"""Finds the files that take the most room below a folder."""

import argparse
import fnmatch
import os
import sys

UNITS = {"B": 1, "kB": 1000, "MB": 1000**2, "GB": 1000**3}


def files_below(folder, pattern, hidden):
    for parent, folders, names in os.walk(folder):
        if not hidden:
            folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            if fnmatch.fnmatch(name, pattern) and (hidden or not name.startswith(".")):
                path = os.path.join(parent, name)
                yield os.path.getsize(path), os.path.relpath(path, folder)


def main():
    parser = argparse.ArgumentParser(description="Finds the files that take the most room below a folder.")
    parser.add_argument("folder", help="where to look")
    parser.add_argument("-n", "--top", type=int, default=10, help="how many files to show (default: %(default)s)")
    parser.add_argument("-p", "--pattern", default="*", help="only files whose name fits, such as *.log")
    parser.add_argument("-u", "--unit", choices=list(UNITS), default="kB", help="the unit of the sizes")
    parser.add_argument("--hidden", action="store_true", help="look at hidden files and folders too")
    args = parser.parse_args()
    if not os.path.isdir(args.folder):
        sys.exit(f"{args.folder} is no folder")
    largest = sorted(files_below(args.folder, args.pattern, args.hidden), key=lambda found: (-found[0], found[1]))
    for size, path in largest[: args.top]:
        print(f"{size / UNITS[args.unit]:10.1f} {args.unit}  {path}")


if __name__ == "__main__":
    main()
