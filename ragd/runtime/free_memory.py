"""Whether the machine lacks memory, so that a process that only waits should end.

It measures the whole machine, as Linux reports it. Elsewhere memory never counts as short.
"""

LEAST_SHARE = 0.1  # of the machine's memory
_MEMINFO = "/proc/meminfo"


def is_memory_short(meminfo: str = _MEMINFO) -> bool:
    """Whether less than a tenth of the machine's memory is available."""
    try:
        with open(meminfo, encoding="ascii") as file:  # noqa: PTH123
            sizes = {name: rest.split()[0] for name, _, rest in (x.partition(":") for x in file)}
        return int(sizes["MemAvailable"]) < LEAST_SHARE * int(sizes["MemTotal"])
    except (OSError, KeyError, IndexError, ValueError):
        return False
