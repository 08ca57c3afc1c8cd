"""The names under which a bridge may be addressed, compared exactly. Pure.

A page elsewhere can point a name of its own at this machine (DNS rebinding), but it cannot change
the header `Host`. So only names that are ours are answered, and nothing is normalised: a trailing
dot, a decimal address or an upper-case letter is another name.
"""

from collections.abc import Iterable

LOCALHOST = "localhost"
LOOPBACK = ("127.0.0.1", "::1")
_HTTP_PORT = 80


def own_hosts(addresses: Iterable[str], port: int) -> frozenset[str]:
    """The values of `Host` that are ours. `addresses`: where the bridge listens."""
    listed = tuple(addresses)
    names = [f"[{one}]" if ":" in one else one for one in listed]
    if any(one in LOOPBACK for one in listed):
        names.append(LOCALHOST)
    return hosts_of(names, port)


def hosts_of(names: Iterable[str], port: int) -> frozenset[str]:
    """The values of `Host` for these names: a browser leaves the usual port out."""
    listed = tuple(names)
    hosts = {f"{name}:{port}" for name in listed}
    return frozenset(hosts.union(listed) if port == _HTTP_PORT else hosts)


def url(address: str, port: int) -> str:
    """The URL of an address, without a slash at its end."""
    name = f"[{address}]" if ":" in address else address
    return f"http://{name}:{port}"


def is_own_origin(origin: str, host: str) -> bool:
    """Whether a request comes from a page of the host that it is sent to."""
    return origin == f"http://{host}"
