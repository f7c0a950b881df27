"""The orders of a small shop."""

from typing import TypedDict

from mcp_execution import tool

CUSTOMERS = ["Ada", "Grace", "Edsger", "Barbara", "Tony"]


class Order(TypedDict):
    number: int
    customer: str
    amount: int
    days_open: int


class Page(TypedDict):
    orders: list[Order]
    next: int | None


@tool(read_only=True)
def list_orders(page: int = 1) -> Page:
    """All orders, the oldest first, 200 on a page."""
    numbers = range(page * 200 - 199, min(page * 200, 1000) + 1)
    orders: list[Order] = [
        {"number": n, "customer": CUSTOMERS[n % 5], "amount": n * 7 % 90 + 10, "days_open": n * 13 % 47}
        for n in numbers
    ]
    return {"orders": orders, "next": page + 1 if page < 5 else None}


@tool(read_only=True)
def find_customer(name: str):
    """A customer, with the address."""
    if name not in CUSTOMERS:
        raise LookupError(f"there is no customer {name}")
    return {"name": name, "mail": "unknown" if name == "Tony" else f"{name.lower()}@example.com", "since": 2019}


def cancel_order(number: int, reason: str = "") -> dict[str, int]:
    """Cancel an order for good."""
    return {"cancelled": number}
