"""All cores of an idle machine, one of a busy one."""

import threading

from ragd.embed.worker.window_threads import ALONE_S, WindowThreads


class Machine:
    """Two clocks: each item takes a second, and computes for a share of what two threads could."""

    def __init__(self, share: float) -> None:
        self.wall = self.computed = 0.0
        self.share = share
        self.threads = WindowThreads(2, lambda: self.wall, lambda: self.computed)
        self.names: set[str] = set()
        self._lock = threading.Lock()

    def work(self, item: int) -> int:
        with self._lock:
            self.wall += 1.0
            self.computed += 2 * self.share
            self.names.add(threading.current_thread().name)
        return -item

    def run(self, items: int = 8) -> bool:
        """Whether the items ran on threads of their own."""
        self.names.clear()
        assert list(self.threads.map(self.work, range(items))) == [-n for n in range(items)]
        return threading.current_thread().name not in self.names


def test_an_idle_machine_gives_all_its_cores() -> None:
    machine = Machine(0.95)
    assert machine.run() and machine.run()


def test_a_busy_machine_is_left_one_core_for_a_while() -> None:
    machine = Machine(0.5)
    assert machine.run()
    assert not machine.run()
    machine.wall += ALONE_S
    machine.share = 0.95
    assert machine.run() and machine.run()


def test_a_few_windows_say_nothing_about_the_machine() -> None:
    machine = Machine(0.1)
    assert machine.run(7) and machine.run(7)


def test_a_single_window_needs_no_other_thread() -> None:
    assert not Machine(0.95).run(1)
