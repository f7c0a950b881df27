"""A graph whose relations begin and end at entities that there are."""

from mcp_execution.validation import check, data, value


def hangs_together():
    graph = data()
    names = {entity["name"] for entity in graph["entities"]}
    check(len(names) == len(graph["entities"]), "two entities have the same name")
    for relation in graph["relations"]:
        for end in ("from", "to"):
            check(relation[end] in names, f"a relation leads to nothing at {end!r}", expected=sorted(names), actual=relation[end])
    value("entities_seen", len(names))
