"""`ragctl serve` and `ragctl open`: a real bridge in a process of its own."""

import http.client
import json
import os
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest

from ragctl.bridge.bridge_lock import find_bridge, stop_bridge
from ragd.paths import Home
from tests.ragctl.conftest import FakeDaemon, Ragctl, StartProcess


@pytest.fixture(autouse=True)
def ended(home: Home) -> Iterator[None]:
    yield
    stop_bridge(home)


def port_of(home: Home) -> int:
    found = find_bridge(home)
    assert found is not None
    return int(found["port"])


def address_of(home: Home) -> str:
    found = find_bridge(home)
    assert found is not None
    return str(found["address"])


def get(port: int, path: str, **headers: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, body


def test_it_prints_its_address_serves_and_ends(
    fake: FakeDaemon, process: StartProcess, home: Home
) -> None:
    started = process("serve", "--port", "0")
    address, mcp = started.stdout.readline().strip(), started.stdout.readline().strip()
    assert re.fullmatch(rf"http://r[a-z2-7]{{20}}\.localhost:{port_of(home)}", address)
    assert mcp == f"http://127.0.0.1:{port_of(home)}/mcp"
    host = address.removeprefix("http://")
    assert get(port_of(home), "/enter", Host=host)[0] == 200
    assert get(port_of(home), "/api/v1/status", Host=host)[0] == 401
    assert get(port_of(home), "/enter")[0] == 421
    assert get(port_of(home), "/mcp")[0] == 401
    started.terminate()
    assert started.wait() == 0
    assert find_bridge(home) is None


def test_there_is_one_bridge_for_a_home(
    fake: FakeDaemon, process: StartProcess, ragctl: Ragctl, home: Home
) -> None:
    address = process("serve", "--port", "0").stdout.readline().strip()
    second = ragctl("serve", "--port", "0")
    assert second.code == 73 and "ragctl serve --status" in second.err
    assert address not in second.err  # of a service, that is in the journal
    status = ragctl("serve", "--status", "--json")
    assert (status.code, status.json["running"], status.json["address"]) == (0, True, address)
    assert status.json["mcp_address"] == f"http://127.0.0.1:{port_of(home)}/mcp"
    shown = ragctl("serve", "--status").out
    assert address in shown and status.json["mcp_address"] in shown
    assert ragctl("serve", "--stop").out == "It has ended.\n"
    assert ragctl("serve", "--status").code == 3
    assert ragctl("serve", "--stop", "--json").json == {"was_running": False}


def test_open_starts_it_and_gives_a_link_that_works_once(
    fake: FakeDaemon, ragctl: Ragctl, home: Home
) -> None:
    opened = ragctl("open", "--json").json
    address, _, code = opened["link"].partition("/enter#")
    assert address == opened["address"] == address_of(home)

    def enter() -> int:
        connection = http.client.HTTPConnection("127.0.0.1", port_of(home))
        host = address.removeprefix("http://")
        headers = {"Host": host, "Origin": address, "Content-Type": "application/json"}
        connection.request("POST", "/enter", json.dumps({"code": code}), headers)
        status = connection.getresponse().status
        connection.close()
        return status

    assert (enter(), enter()) == (200, 401)
    assert ragctl("open", "--print").out.startswith(f"{address}/enter#")


def test_several_who_open_it_at_once_get_one_bridge(
    fake: FakeDaemon, process: StartProcess, home: Home
) -> None:
    opening = [process("open", "--print") for _ in range(4)]
    links = [one.communicate()[0].strip() for one in opening]
    assert [one.returncode for one in opening] == [0] * 4
    assert {link.partition("/enter#")[0] for link in links} == {address_of(home)}


def test_each_run_has_another_address_and_it_is_in_no_argument_and_no_file_of_others(
    fake: FakeDaemon, ragctl: Ragctl, home: Home
) -> None:
    """A browser may have a script of another user for an address that it knows."""
    first = ragctl("open", "--json").json["address"]
    found = find_bridge(home)
    assert found is not None
    name = first.removeprefix("http://").partition(".")[0]
    if os.path.isdir("/proc/self"):
        assert name.encode() not in Path(f"/proc/{found['pid']}/cmdline").read_bytes()
    holding = [file for file in Path(home.root).rglob("*") if file.is_file() and has(file, name)]
    assert holding == [Path(home.bridge) / "lock"]
    assert holding[0].stat().st_mode & 0o777 == 0o600
    stop_bridge(home)
    assert not has(holding[0], name)
    assert ragctl("open", "--json").json["address"] != first


def has(file: Path, name: str) -> bool:
    return name.encode() in file.read_bytes()


@pytest.mark.parametrize(
    ("typed", "view"),
    [
        ("/search?q=boat&tag=a", "/search?q=boat&tag=a"),
        ("/search?q=café boat", "/search?q=caf%C3%A9%20boat"),
        ("/search?q=caf%C3%A9%20boat+x#y", "/search?q=caf%C3%A9%20boat+x"),
        ("http://raaaaaaaaaaaaaaaaaaaa.localhost:8427/why?q=a&note=B.md", "/why?q=a&note=B.md"),
        ("http://127.0.0.1:1/health?days=7", "/health?days=7"),
        ("http://localhost:8427", "/"),
        ("http://[::1]:8427/", "/"),
        ("http://localhost:8427/enter#" + "A" * 43, "/"),
        ('/search?q="<b>\\', "/search?q=%22%3Cb%3E%5C"),
    ],
)
def test_open_takes_a_view_or_a_bookmark_of_an_earlier_run(
    fake: FakeDaemon, ragctl: Ragctl, home: Home, typed: str, view: str
) -> None:
    link = ragctl("open", "--print", typed).out.strip()
    code = link.removeprefix(f"{address_of(home)}/enter#").removesuffix(view)
    assert re.fullmatch(r"[A-Za-z0-9_-]{43}", code)


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "search",
        "//evil.com/",
        "http://evil.com/search",
        "http://raaa.localhost:8427/",
        "http://evil.localhost:8427/",
        "http://localhost.evil.com/",
        "http://user@localhost:8427/",
        "http://localhost:8427//evil.com",
        "https://localhost:8427/",
        "http://localhost:x/",
        "http://[::1",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "/" + "x" * 5000,
    ],
)
def test_open_takes_no_address_of_another_site(
    fake: FakeDaemon, ragctl: Ragctl, home: Home, typed: str
) -> None:
    refused = ragctl("open", "--print", typed)
    assert refused.code == 2 and "not a view" in refused.err
    assert find_bridge(home) is None


def test_a_link_is_only_made_for_the_bridge_that_is_there(
    fake: FakeDaemon, ragctl: Ragctl, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another user may have the port of a bridge that just ended, and would get the code."""
    found = iter([{"address": "http://old:1"}, {"address": "http://new:2"}])
    last = {"address": "http://new:2"}
    monkeypatch.setattr("ragctl.commands.open.find_bridge", lambda home: next(found, last))
    assert ragctl("open", "--print").out.startswith("http://new:2/enter#")


def test_the_browser_gets_the_path_of_a_private_file_and_not_the_link(
    fake: FakeDaemon, ragctl: Ragctl, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other users can see the arguments of a program that is started."""
    shown: list[str] = []

    def show(url: str) -> bool:
        shown.append(url)
        return True

    monkeypatch.setattr("webbrowser.open", show)
    assert ragctl("open").code == 0
    (url,) = shown
    file = Path(url.removeprefix("file://"))
    assert file.stat().st_mode & 0o777 == 0o600
    (link,) = (part for part in file.read_text().split('"') if part.startswith("http"))
    code = link.partition("#")[2]
    assert len(code) == 43 and code not in url
    monkeypatch.setattr("webbrowser.open", lambda url: False)
    assert "ragctl open --print" in ragctl("open").err


def test_the_browser_finds_the_file_in_a_folder_with_any_name(
    fake: FakeDaemon, ragctl: Ragctl, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A browser reads `#` and `?` in an address as the end of the path."""
    shown: list[str] = []

    def show(url: str) -> bool:
        shown.append(url)
        return True

    monkeypatch.setattr("webbrowser.open", show)
    odd = Home(f"{home.root}/a #b? 100%25")
    monkeypatch.setattr("ragctl.commands.open.find_bridge", lambda home: {"address": "http://x:1"})
    assert ragctl("open", "--home", odd.root).code == 0
    assert os.path.isfile(url2pathname(urlsplit(shown[0]).path))


def test_a_port_that_is_in_use_is_not_shared(
    fake: FakeDaemon, ragctl: Ragctl, process: StartProcess
) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        refused = ragctl("serve", "--port", str(port))
    assert refused.code == 1 and "cannot be used" in refused.err


def test_a_port_taken_on_the_other_loopback_address_is_not_shared(
    fake: FakeDaemon, ragctl: Ragctl
) -> None:
    """What a browser sends to localhost would go to the other program."""
    with socket.socket(socket.AF_INET6) as other:
        try:
            other.bind(("::1", 0))
        except OSError:
            pytest.skip("this machine has no IPv6")
        other.listen()
        refused = ragctl("serve", "--port", str(other.getsockname()[1]))
    assert refused.code == 1 and "cannot be used" in refused.err


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("0.0.0.0", "does not name one address"),
        ("::", "does not name one address"),
        ("127.0.0.1", "anyway"),
        ("example.com", "not an address"),
        ("2130706433", "not an address"),
        ("", "not an address"),
        ("224.0.0.1", "does not name one address"),
    ],
)
def test_listen_takes_one_address_of_this_machine(
    fake: FakeDaemon, ragctl: Ragctl, address: str, said: str
) -> None:
    refused = ragctl("serve", f"--listen={address}")
    assert refused.code == 2 and said in refused.err


def test_listen_demands_a_token(fake: FakeDaemon, ragctl: Ragctl) -> None:
    for tokens in ([], [{"name": "old", "expired": True}]):
        fake.tokens = tokens
        refused = ragctl("serve", "--listen", "192.0.2.1")
        assert refused.code == 1
        assert "needs a token" in refused.err and "ragctl token create" in refused.err
    fake.tokens = [{"name": "phone", "expired": False}]
    assert "not an address of this machine" in ragctl("serve", "--listen", "192.0.2.1").err


def own_address() -> str | None:
    """An address of this machine that others reach, without sending anything."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return None
        found: str = probe.getsockname()[0]
        return None if found.startswith("127.") else found


@pytest.mark.skipif(own_address() is None, reason="this machine has no address but loopback")
def test_other_machines_get_mcp_alone_and_are_told_what_that_means(
    fake: FakeDaemon, process: StartProcess
) -> None:
    fake.tokens = [{"name": "phone", "expired": False}]
    own = own_address()
    assert own is not None
    started = process("serve", "--port", "0", "--listen", own)
    page, _, second = (started.stdout.readline().strip() for _ in range(3))
    port = int(page.rpartition(":")[2])
    assert second == f"http://{own}:{port}/mcp"
    assert "Nothing is encrypted" in started.stderr.readline()
    connection = http.client.HTTPConnection(own, port)
    for path, status in (("/enter", 404), ("/", 404), ("/api/v1/status", 404), ("/mcp", 401)):
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
        assert answer.status == status, path
    for named in (f"127.0.0.1:{port}", page.removeprefix("http://")):
        for path in ("/mcp", "/enter"):
            connection.request("GET", path, headers={"Host": named})
            answer = connection.getresponse()
            answer.read()
            assert answer.status == 421
    connection.close()
    assert get(port, "/mcp", Host=f"{own}:{port}")[0] == 421


def test_purge_ends_it_and_removes_its_files(fake: FakeDaemon, ragctl: Ragctl, home: Home) -> None:
    assert ragctl("open", "--print").code == 0
    assert os.listdir(home.bridge)
    assert ragctl("purge", "--yes").code == 0
    assert find_bridge(home) is None and not os.path.exists(home.bridge)
