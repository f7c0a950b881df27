import toolkit
from fastmcp import FastMCP

server = FastMCP("toolkit")
for function in (toolkit.add, toolkit.total, toolkit.word_count, toolkit.summary, toolkit.working_days, toolkit.slug):
    server.tool(function)

if __name__ == "__main__":
    server.run(transport="stdio", show_banner=False)
