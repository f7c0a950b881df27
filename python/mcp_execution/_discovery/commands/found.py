"""What is found of a command line."""


class Found:
    def __init__(self):
        self.tools = []
        #: Names of top-level functions that belong to the command line, and why.
        self.claimed = {}
