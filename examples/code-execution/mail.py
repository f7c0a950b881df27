"""Sends mail."""

import os


def send(to: str, subject: str, body: str) -> dict[str, str]:
    """Send a mail, at once."""
    if "@" not in to:
        raise ValueError(f"{to} is no address")
    assert os.environ["MAIL_PASSWORD"], "a real one would log in with it here"
    return {"sent": to}
