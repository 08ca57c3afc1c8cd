"""`ragctl stop`: gone means gone."""

import os
import threading

from ragctl.lockfile import holder


def test_it_comes_back_when_the_lock_is_free(ragctl, fake) -> None:
    result = ragctl("stop")
    assert result.code == 0 and result.out.startswith("ragd stopped (pid ")
    assert holder(fake.home) is None


def test_json_names_the_process_that_ended(ragctl, fake) -> None:
    said = ragctl("stop", "--json").json
    assert said["stopped"] is True and said["pid"] > 0 and said["took_ms"] >= 0


def test_no_daemon_is_exit_3_with_the_next_command(ragctl) -> None:
    result = ragctl("stop")
    assert result.code == 3 and result.out == ""
    assert "`ragctl start`" in result.err


def test_a_daemon_that_does_not_go_is_exit_75(ragctl, fake) -> None:
    fake.heeds_stop = False
    result = ragctl("stop", "--timeout", "0.1")
    assert result.code == 75 and "still there" in result.err and "`kill " in result.err
    assert fake.requests == ["POST /v1/stop"]


def test_a_daemon_that_does_not_listen_is_exit_75_too(ragctl, fake, home) -> None:
    os.rename(home.socket, f"{home.socket}.away")
    result = ragctl("stop", "--timeout", "0.1")
    os.rename(f"{home.socket}.away", home.socket)
    assert result.code == 75 and "does not listen" in result.err


def test_a_daemon_that_is_still_starting_is_asked_as_soon_as_it_listens(ragctl, fake, home) -> None:
    os.rename(home.socket, f"{home.socket}.away")
    threading.Timer(0.05, os.rename, (f"{home.socket}.away", home.socket)).start()
    assert ragctl("stop").code == 0
    assert fake.requests == ["POST /v1/stop"]
