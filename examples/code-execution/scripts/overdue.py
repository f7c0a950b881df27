"""Who owes most for orders that are open too long: overdue [DAYS]."""

import sys
from collections import Counter

from mcp_execution import result
from servers.orders import list_orders

days = int(sys.argv[1]) if len(sys.argv) > 1 else 40
owed = Counter()
page = 1
while page is not None:
    answer = list_orders(page=page)
    for order in answer["orders"]:
        if order["days_open"] > days:
            owed[order["customer"]] += order["amount"]
    page = answer["next"]
print(f"{owed.total()} for more than {days} days")
result(dict(owed.most_common(3)))
