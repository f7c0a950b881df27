def add(a: int, b: int) -> int:
    return a + b


def add_and_leave(a: int, b: int) -> int:
    """In a fourth of the calls, with something left in the working folder, which is to be a scratch folder."""
    if a % 4 == 0:
        import os

        os.makedirs(f"left-{a}/deeper", exist_ok=True)
        for number in range(5):
            with open(f"left-{a}/deeper/{number}", "w", encoding="utf-8") as file:
                file.write("left" * 100)
    return a + b
