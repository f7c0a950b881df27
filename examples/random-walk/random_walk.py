# /// script
# requires-python = ">=3.10"
# dependencies = ["matplotlib>=3.8"]
# ///
"""Walks at random, shows how far it is, and draws where it went."""

import random
import sys

import matplotlib.pyplot as plt


def walk(steps: int = 10_000, seed: int = 1) -> dict[str, float]:
    """Walk at random on a plane and draw the way.

    Args:
        steps: How many steps to take.
        seed: The same number gives the same walk.

    Returns:
        How far from its start the walk went at most, and where it ended.
    """
    dice = random.Random(seed)
    x, y, farthest, xs, ys = 0.0, 0.0, 0.0, [0.0], [0.0]
    for step in range(1, steps + 1):
        x += dice.gauss(0, 1)
        y += dice.gauss(0, 1)
        farthest = max(farthest, (x * x + y * y) ** 0.5)
        xs.append(x)
        ys.append(y)
        if step % (steps // 20 or 1) == 0:
            print(f"\r{100 * step // steps:3d}% {'#' * (20 * step // steps)}", end="", file=sys.stderr)
    print(file=sys.stderr)
    plt.plot(xs, ys, linewidth=0.5)
    plt.title(f"{steps} steps")
    plt.show()
    return {"farthest": round(farthest, 2), "x": round(x, 2), "y": round(y, 2)}


if __name__ == "__main__":
    print(walk())
