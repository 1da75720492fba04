"""The networks that a call may reach: the public network, and the caller's own networks.

The organizer of a task chooses the addresses in it. Without this check the organizer could make all participants call a
printer, a router's page or a service of the same machine.
"""

import socket
from functools import cached_property
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any, Literal

import httpx2 as httpx

from discretion.collection.errors import RefusedTaskError
from discretion.collection.wire.addresses import WebAddress

Network = Literal["public", "private", "loopback"]
# An IPv6-only network reaches IPv4 by these addresses (RFC 6052).
_TRANSLATED = IPv6Network("64:ff9b::/96")


def ip_of(text: str) -> IPv4Address | IPv6Address:
    """Return the IP address that packets to this address reach: IPv4 addresses may be written as IPv6."""
    ip = ip_address(text.partition("%")[0])
    if isinstance(ip, IPv4Address):
        return ip
    return ip.ipv4_mapped or (IPv4Address(int(ip) & 0xFFFFFFFF) if ip in _TRANSLATED else ip)


def network_of(text: str) -> Network:
    """Return the network of an IP address; an address that is neither public nor this machine's counts as private."""
    ip = ip_of(text)
    if ip.is_loopback or ip.is_unspecified:  # whose packets stay on this machine as well
        return "loopback"
    return "public" if ip.is_global and not ip.is_multicast and not ip.is_reserved else "private"


def sender_of(address: str) -> str:
    """Return the sender that an address belongs to: for IPv6 its network of 64 bits, which one sender usually owns."""
    try:
        ip = ip_of(address)
    except ValueError:  # of no network
        return address
    return str(ip_network((ip, 64), strict=False)) if isinstance(ip, IPv6Address) else str(ip)


def ips_of(host: str, port: int) -> list[str]:
    """Return the IP addresses of a host, in the order in which to try them; none if it has none."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return list(dict.fromkeys(str(place[0]) for *_, place in found))


class NearbyTransport(httpx.HTTPTransport):
    """A transport that connects to the public network, and to the networks of one address that the caller trusts.

    It calls the IP address that it has checked, even if the name leads elsewhere a moment later.

    Parameters
    ----------
    address
        The address to call.
    near
        The address that the caller trusts.
    more
        The options of `httpx.HTTPTransport`.
    """

    def __init__(self, address: WebAddress, near: WebAddress, **more: Any) -> None:
        super().__init__(**more)
        self._address, self._near = address, near

    @cached_property
    def _near_networks(self) -> set[Network]:
        return {network_of(ip) for ip in ips_of(self._near.host, self._near.port)}

    def _may_reach(self, ip: str) -> bool:
        network = network_of(ip)
        return network == "public" or network in self._near_networks

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request to the first IP address of the host that accepts a connection."""
        found = ips_of(self._address.host, self._address.port)
        ips = list(filter(self._may_reach, found))
        if not found:
            raise httpx.ConnectError("the host has no address")
        if not ips:
            raise _refused_network(self._address)
        for place, ip in enumerate(ips, 1):
            pinned = httpx.Request(
                request.method, request.url.copy_with(host=ip), headers=request.headers, stream=request.stream,
                extensions={**request.extensions, "sni_hostname": self._address.host},
            )  # fmt: skip
            try:
                return super().handle_request(pinned)
            except (httpx.ConnectError, httpx.ConnectTimeout):
                if place == len(ips):
                    raise
        raise AssertionError


def _refused_network(address: WebAddress) -> RefusedTaskError:
    """Return the error for an address in a task that leads into a network where the caller's address does not lead."""
    error = RefusedTaskError(
        f"the task's address {address.url} leads to this machine or into a private network, and the caller's own "
        "address does not; if that is right, allow it by --private-addresses"
    )
    error.why = "private address"
    return error
