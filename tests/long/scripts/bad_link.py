"""A network link that delays and loses packets, where the kernel has no netem: packets between two TUN devices pass here."""

import ctypes
import fcntl
import heapq
import os
import random
import select
import struct
import sys
import time

TUNSETIFF = 0x400454CA
IFF_TUN_WITHOUT_HEADER = 0x1001
CLONE_NEWNET = 0x40000000


def open_device(name):
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH", name.encode(), IFF_TUN_WITHOUT_HEADER))
    return device


def enter(namespace):
    with open(f"/run/netns/{namespace}", "rb") as file:
        if ctypes.CDLL(None, use_errno=True).setns(file.fileno(), CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "setns")


def main(near_name, far_name, namespace, delay, jitter, loss):
    near = open_device(near_name)
    enter(namespace)
    far = open_device(far_name)
    print("ready", flush=True)
    other = {near: far, far: near}
    waiting = []
    order = 0
    while True:
        timeout = max(0.0, waiting[0][0] - time.monotonic()) if waiting else None
        readable, _, _ = select.select([near, far, 0], [], [], timeout)
        if 0 in readable and not os.read(0, 1):
            return
        for device in readable:
            if device == 0:
                continue
            packet = os.read(device, 65536)
            if random.random() >= loss:
                order += 1
                heapq.heappush(waiting, (time.monotonic() + delay + random.uniform(0, jitter), order, device, packet))
        while waiting and waiting[0][0] <= time.monotonic():
            _, _, device, packet = heapq.heappop(waiting)
            try:
                os.write(other[device], packet)
            except OSError:
                pass  # The device is down: the packet is lost, as it would be.


if __name__ == "__main__":
    main(*sys.argv[1:4], *(float(word) for word in sys.argv[4:7]))
