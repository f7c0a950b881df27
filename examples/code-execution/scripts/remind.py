"""Sends a reminder to each customer in context["owed"], all of them at once."""

import asyncio

from mcp_execution import ToolError, context, result
from servers.mail import send_async
from servers.orders import find_customer_async


async def remind(name, owed):
    customer = await find_customer_async(name)
    try:
        await send_async(to=customer["mail"], subject="Reminder", body=f"Please pay {owed}.")
    except ToolError as error:
        return f"{name}: {error.text.splitlines()[0]}"
    return f"{name}: sent"


async def remind_all():
    return await asyncio.gather(*(remind(*one) for one in context["owed"].items()))


result(asyncio.run(remind_all()))
