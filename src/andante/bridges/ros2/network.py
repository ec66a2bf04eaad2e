"""Where a bridge can be reached: by every program on this machine and by nobody else, or on one network interface.

A DDS program with default settings speaks on the machine's network interface only, not on the loopback. To be found by
it, a bridge has to speak there as well. Its multicasts then have the time to live 0, which the kernel hands to this
machine's own sockets alone, and a filter in the kernel drops what comes from elsewhere before DDS sees it. So DDS
never learns of another machine, and never sends it anything.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import socket
import struct
import sys

from andante.errors import BadInput

HERE = "127.0.0.1"
LARGEST_DOMAIN = 232
LARGEST_INDEX = 100  # of the participants in a domain on one machine
MOST = 3  # interfaces beside the loopback; Cyclone DDS takes four in all
FIRST_PORT, PORTS_PER_DOMAIN = 7400, 250  # RTPS 2.5, 9.6.2.3

UP, LOOPBACK, RUNNING, MULTICAST = 0x1, 0x8, 0x40, 0x1000  # flags of an interface (linux/if.h)
GET_FLAGS, GET_ADDRESS = 0x8913, 0x8915  # SIOCGIFFLAGS, SIOCGIFADDR
ATTACH_FILTER = 26  # SO_ATTACH_FILTER
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06  # BPF: ld [k], jeq k, ret k
PACKET_TYPE, PACKET_INTERFACE = 0xFFFFF004, 0xFFFFF008  # SKF_AD_PKTTYPE, SKF_AD_IFINDEX
LOOPED = 5  # PACKET_LOOPBACK: a multicast of this machine that comes back to it


def check_domain(domain: int) -> None:
    """Raise BadInput unless the number can be a ROS domain."""
    if not 0 <= domain <= LARGEST_DOMAIN:
        raise BadInput(f"a ROS domain is a number from 0 to {LARGEST_DOMAIN}, got {domain}")


def loopback() -> str:
    """What the loopback interface is called here."""
    return {"darwin": "lo0", "win32": HERE}.get(sys.platform, "lo")


def is_private(interface: str) -> bool:
    """Whether a bridge on this interface is for this machine only; empty: none was named."""
    return interface in ("", loopback(), "localhost") or re.fullmatch(r"127(\.\d+){3}", interface) is not None


def described(interface: str) -> str:
    """In words, where a bridge can be reached."""
    return "for programs on this machine only" if is_private(interface) else f"open to the network on {interface}"


def local_interfaces() -> list[str]:
    """Names of the interfaces on which DDS programs of this machine may speak: the loopback, then those that are up
    and can multicast."""
    found = [loopback()]
    if sys.platform == "linux":
        found += [name for _, name in socket.if_nameindex() if _is_usable(name)][:MOST]
    return found


def configuration(interface: str = "") -> str:
    """The settings of Cyclone DDS for a network interface; by default for this machine only."""
    if not all(c.isalnum() or c in ".:_-" for c in interface):
        raise BadInput(f"network interface {interface!r} should be a name such as eth0 or an address")
    private = is_private(interface)
    names = [interface] if interface and interface != "localhost" else local_interfaces()
    general = "".join(_interface(name) for name in names)
    limits = "<AllowMulticast>spdp</AllowMulticast><MulticastTimeToLive>0</MulticastTimeToLive>" if private else ""
    return (
        f"<CycloneDDS><Domain><General><Interfaces>{general}</Interfaces>{limits}</General>"
        # What stands at its default is told too: some implementations want to hear it.
        "<Compatibility><ExplicitlyPublishQosSetToDefault>true</ExplicitlyPublishQosSetToDefault></Compatibility>"
        "<Discovery><ParticipantIndex>auto</ParticipantIndex>"
        f"<MaxAutoParticipantIndex>{LARGEST_INDEX}</MaxAutoParticipantIndex></Discovery></Domain></CycloneDDS>"
    )


def keep_private(domain: int, known: set[int]) -> int:
    """Have the kernel drop what other machines send to the DDS sockets of this process; returns how many these are.

    Args:
        domain: the ROS domain, whose ports are 7400 + 250 `domain` and the 249 above.
        known: file numbers of sockets that were open before DDS came, see `open_sockets`.
    """
    if sys.platform != "linux":  # there only the loopback is used
        return 0
    first = FIRST_PORT + PORTS_PER_DOMAIN * domain
    count = 0
    for number in open_sockets() - known:
        with contextlib.suppress(OSError), socket.socket(fileno=os.dup(number)) as one:
            port = one.getsockname()[1] if one.family in (socket.AF_INET, socket.AF_INET6) else 0
            if one.type == socket.SOCK_DGRAM and first <= port < first + PORTS_PER_DOMAIN:
                _filter(one)
                count += 1
    if not count:
        raise BadInput("the DDS bridge cannot be kept to this machine here; name an --interface to open it")
    return count


def open_sockets() -> set[int]:
    """File numbers of the open sockets of this process (Linux)."""
    if sys.platform != "linux":
        return set()
    found = set()
    for name in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            if os.readlink(f"/proc/self/fd/{name}").startswith("socket:"):
                found.add(int(name))
    return found


def _interface(name: str) -> str:
    where = f'address="{name}"' if name[0].isdigit() else f'name="{name}"'
    # Loopback interfaces do not claim to be able to do multicast, but they are.
    multicast = ' multicast="true"' if is_private(name) else ""
    return f"<NetworkInterface {where}{multicast}/>"


def _is_usable(name: str) -> bool:
    """Whether an interface that is not the loopback is up, can multicast and has an IPv4 address (Linux)."""
    import fcntl

    asked = struct.pack("256s", name.encode()[:15])
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        try:
            flags: int = struct.unpack_from("H", fcntl.ioctl(one, GET_FLAGS, asked), 16)[0]
            fcntl.ioctl(one, GET_ADDRESS, asked)
        except OSError:  # it is gone, or has no address
            return False
    wanted = UP | RUNNING | MULTICAST
    return flags & (wanted | LOOPBACK) == wanted


def _filter(one: socket.socket) -> None:
    """Let a socket receive packets of the loopback interface and returning multicasts, nothing else.

    What this machine sends to any of its own addresses comes over the loopback interface. Another machine cannot
    reach it, whatever address it pretends to have.
    """
    steps = (
        (LOAD, 0, 0, PACKET_INTERFACE),
        (EQUAL, 2, 0, socket.if_nametoindex(loopback())),
        (LOAD, 0, 0, PACKET_TYPE),
        (EQUAL, 0, 1, LOOPED),
        (RETURN, 0, 0, 0xFFFFFFFF),
        (RETURN, 0, 0, 0),
    )
    program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    one.setsockopt(socket.SOL_SOCKET, ATTACH_FILTER, struct.pack("HP", len(steps), ctypes.addressof(program)))
