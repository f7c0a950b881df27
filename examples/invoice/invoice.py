"""Adds up an order. Arguments arrive as the types that the annotations name."""

from dataclasses import dataclass
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from enum import Enum

CENT = Decimal("0.01")


class Terms(Enum):
    """How long a customer may take to pay."""

    AT_ONCE = 0
    TWO_WEEKS = 14
    A_MONTH = 30


@dataclass
class Item:
    name: str
    price: Decimal
    quantity: int = 1

    def cost(self) -> Decimal:
        return self.price * self.quantity


@dataclass
class Invoice:
    net: Decimal
    tax: Decimal
    gross: Decimal
    due: date


def total(
    items: list[Item],
    ordered: date,
    tax_rate: Decimal = Decimal("0.19"),
    terms: Terms = Terms.TWO_WEEKS,
) -> Invoice:
    """The sums of an order, exact to the cent, and the day by which it is to be paid."""
    for item in items:
        print(f"{item.quantity} x {item.name}: {item.cost()}")
    net = sum((item.cost() for item in items), Decimal(0))
    tax = (net * tax_rate).quantize(CENT, ROUND_HALF_UP)
    return Invoice(net, tax, net + tax, ordered + timedelta(days=terms.value))
