"""Which places of the file system a strict script sees: Python itself, its own folder, and what it was allowed."""

import os
import sys
from functools import lru_cache

#: Where shared libraries, time zones and kinds of files are found.
_SYSTEM = (
    "/lib /lib32 /lib64 /usr/lib /usr/lib32 /usr/lib64 /usr/local/lib /usr/local/lib64 /usr/share/zoneinfo "
    "/etc/ld.so.cache /etc/localtime /etc/mime.types /etc/os-release /etc/ssl/openssl.cnf"
).split()
_NETWORK = (
    "/etc/resolv.conf /etc/hosts /etc/host.conf /etc/nsswitch.conf /etc/gai.conf /etc/services /etc/protocols "
    "/run/systemd/resolve /etc/ssl/certs /etc/pki/tls/certs /etc/ca-certificates /usr/share/ca-certificates "
    "/usr/local/share/ca-certificates"
).split()
_PROGRAMS = "/bin /sbin /usr/bin /usr/sbin /usr/local/bin /usr/local/sbin /etc/alternatives /etc/profile /usr/share".split()
_ROOT, _PROC = "/", "/proc"
_MOST_LINKS = 40


class Places:
    """Paths as the kernel will see them: existing, real, none inside another, and the links that lead to them."""

    def __init__(self, read, write, known=None):
        """Beside other places, `known`, that were found before."""
        links = dict(known.links) if known else {}
        self.writable = _outermost(_real(path, links) for path in write)
        self.visible = _outermost([*(_real(path, links) for path in read), *self.writable], known.visible if known else ())
        new = set(self.visible).difference(known.visible if known else ())
        self.folders = {path for path in new if os.path.isdir(path)}.union(known.folders if known else ())
        self.are_everything = self.visible == [_ROOT]
        self.are_all_writable = self.writable == [_ROOT]
        seen = [*self.visible, _PROC]
        self.links = sorted((link, target) for link, target in links.items() if not is_inside(link, seen))

    def plan(self):
        """As data, for a process that sees other places."""
        return {**vars(self), "folders": sorted(self.folders)}

    @classmethod
    def planned(cls, plan):
        places = cls.__new__(cls)
        vars(places).update(plan, folders=set(plan["folders"]), links=[tuple(link) for link in plan["links"]])
        return places

    def are_away_from(self, path):
        return not is_inside(path, self.visible) and not any(is_inside(place, [path]) for place in self.visible)

    def shows(self, path):
        return is_inside(os.path.realpath(path), self.visible)


def places_of(sandbox):
    """The places of a sandbox as the host describes it; true stands for everything."""
    read, write = sandbox["read"], sandbox["write"]
    if read is True or write is True:
        return Places([_ROOT], [_ROOT] if write is True else write)
    folder = [sandbox["folder"]] if sandbox["folder"] else []
    return Places([*folder, *read], write, _of_every(sandbox["net"], sandbox["run"]))


@lru_cache(maxsize=None)
def _of_every(net, run):
    """What every sandbox of a kind sees, found once."""
    search_path = filter(os.path.isabs, os.environ.get("PATH", "").split(os.pathsep))
    programs = [*_PROGRAMS, *search_path] if run else []
    return Places([*python_places(), *_SYSTEM, *(_NETWORK if net else ()), *programs], ())


def python_places():
    """The interpreter, its library and the packages of its environment. /usr itself is no place of Python alone."""
    prefixes = {sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix} - {"/usr", "/usr/local", "/"}
    own = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    return [*prefixes, os.path.dirname(os.__file__), *filter(os.path.isabs, sys.path), own]


def _real(path, links):
    """The real path; on the way, every symbolic link that leads there is noted."""
    path, hops = os.path.abspath(path), 0
    done = ""
    rest = path.split("/")[1:]
    while rest:
        step = rest.pop(0)
        place = f"{done}/{step}" if step else done
        try:
            target = os.readlink(place)
        except OSError:
            done = place
            continue
        hops += 1
        if hops > _MOST_LINKS:
            return path
        links[place] = target
        full = os.path.normpath(os.path.join(done or "/", target))
        done, rest = "", [*full.split("/")[1:], *rest]
    return done or "/"


def _outermost(paths, known=()):
    """Of those that exist; what the kernel tells of processes is no place, but each process's own."""
    existing = {path for path in (*known, *paths) if os.path.exists(path) and not is_inside(path, [_PROC])}
    kept = []
    for path in sorted(existing, key=len):
        if not is_inside(path, kept):
            kept.append(path)
    return kept


def is_inside(path, places):
    return any(path == place or place == "/" or path.startswith(place + "/") for place in places)
