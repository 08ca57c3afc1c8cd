"""The worker process: its failures, and that callers do not notice them."""

import asyncio
import os
import select
import signal
import subprocess
import sys
import textwrap
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from ragd.embed.providers import worker_process
from ragd.embed.providers.embedder_port import BatchPace, EmbeddingError, cosine
from ragd.embed.providers.local_model import EmbeddedEmbedder, unavailable
from ragd.embed.worker import (
    ENGLISH,
    GRANITE,
    MINILM,
    SHIPPED,
    ShippedModel,
    granite_weights,
    minilm_weights,
)
from tests.embed.conftest import at_once
from tests.patience import PATIENCE_S, wait_until

ROOT = Path(__file__).parents[3]
CAT = "The cat sleeps on the warm windowsill."

pytestmark = pytest.mark.skipif(
    not hasattr(os, "pidfd_open"), reason="these tests wait for processes by Linux's pidfd"
)


@asynccontextmanager
async def twisted(
    code: str = "",
    idle_s: float = 120.0,
    sleep: Callable[[float], Awaitable[None]] = at_once,
    model: ShippedModel = ENGLISH,
) -> AsyncIterator[EmbeddedEmbedder]:
    """An embedder whose worker first runs this code."""
    program = "from ragd.embed.worker import __main__ as worker\n" + textwrap.dedent(code)
    command = (sys.executable, "-c", f"{program}\nraise SystemExit(worker.main())")
    embedder = EmbeddedEmbedder(lambda: idle_s, command, sleep, model)
    try:
        yield embedder
    finally:
        await embedder.close()


async def ended(pid: int) -> None:
    """Wait until this process has ended."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    gone = asyncio.Event()
    asyncio.get_running_loop().add_reader(handle, gone.set)
    try:
        async with asyncio.timeout(PATIENCE_S):
            await gone.wait()
    finally:
        asyncio.get_running_loop().remove_reader(handle)
        os.close(handle)


async def sent(embedder: EmbeddedEmbedder) -> None:
    """Wait until a request was sent to the worker."""
    while not embedder.is_busy:
        await asyncio.sleep(0)
    await asyncio.sleep(0)


def pid_of(embedder: EmbeddedEmbedder) -> int:
    assert embedder.worker_pid is not None
    return embedder.worker_pid


# Two lanes


async def bulk_pid(embedder: EmbeddedEmbedder) -> int:
    """The worker of the backlog."""
    await wait_until(lambda: set(embedder.worker_pids) > {embedder.worker_pid})
    [pid] = set(embedder.worker_pids) - {embedder.worker_pid}
    return pid


async def test_a_question_does_not_wait_for_passages(local: EmbeddedEmbedder) -> None:
    expected = await local.embed_query(CAT)
    await local.embed_passages([CAT])
    bulk = await bulk_pid(local)
    os.kill(bulk, signal.SIGSTOP)  # its passages take forever
    passages = asyncio.create_task(local.embed_passages([f"{CAT} {n}" for n in range(40)]))
    await sent(local)
    assert await local.embed_query(CAT) == expected
    assert await local.embed([CAT]) == [expected]  # a person may wait for these, too
    assert await local.embed_passages([CAT], urgent=True) == [expected]
    assert not passages.done()
    os.kill(bulk, signal.SIGCONT)
    assert len(await passages) == 40


async def test_a_killed_bulk_worker_costs_no_passage_and_no_question(
    local: EmbeddedEmbedder,
) -> None:
    texts = [f"{CAT} {number}" for number in range(6)]
    expected = await local.embed_passages(texts)
    await local.embed_query(CAT)
    questions, bulk = pid_of(local), await bulk_pid(local)
    os.kill(bulk, signal.SIGSTOP)  # so that it is in the middle for sure
    passages = asyncio.create_task(local.embed_passages(texts))
    await sent(local)
    os.kill(bulk, signal.SIGKILL)
    assert await passages == expected
    assert pid_of(local) == questions


@pytest.mark.skipif(not hasattr(os, "getpriority"), reason="there are no priorities here")
async def test_only_the_bulk_worker_lets_other_programs_go_first(local: EmbeddedEmbedder) -> None:
    await local.embed_query(CAT)
    await local.embed_passages([CAT])
    ours = os.getpriority(os.PRIO_PROCESS, 0)
    assert os.getpriority(os.PRIO_PROCESS, pid_of(local)) == ours
    assert os.getpriority(os.PRIO_PROCESS, await bulk_pid(local)) > ours


async def test_many_texts_of_a_saved_note_do_not_block_questions(local: EmbeddedEmbedder) -> None:
    await local.embed_passages([f"{CAT} {n}" for n in range(20)], urgent=True)
    assert local.worker_pid is None and len(local.worker_pids) == 1


# Ends and beginnings


async def test_a_worker_killed_in_mid_batch_is_replaced_and_nothing_is_lost(
    local: EmbeddedEmbedder,
) -> None:
    texts = [f"{CAT} {number}" for number in range(6)]
    expected = await local.embed(texts)
    first = pid_of(local)
    os.kill(first, signal.SIGSTOP)  # so that it is in the middle for sure
    documents = asyncio.create_task(local.embed(texts))
    await sent(local)
    os.kill(first, signal.SIGKILL)
    assert await documents == expected
    assert pid_of(local) != first


async def test_a_worker_killed_between_two_queries_is_not_noticed(local: EmbeddedEmbedder) -> None:
    expected = await local.embed_query(CAT)
    first = pid_of(local)
    os.kill(first, signal.SIGKILL)
    await wait_until(lambda: local.worker_pid is None)
    assert await local.embed_query(CAT) == expected


async def test_a_worker_that_does_not_answer_is_killed_and_replaced(
    local: EmbeddedEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = await local.embed([CAT])
    first = pid_of(local)
    monkeypatch.setattr(BatchPace, "FLOOR_S", 0.05)
    os.kill(first, signal.SIGSTOP)
    with pytest.raises(EmbeddingError) as caught:
        await local.embed([CAT])
    assert (caught.value.kind, caught.value.detail) == ("transient", "took too long")
    await ended(first)
    monkeypatch.undo()
    assert await local.embed([CAT]) == expected


async def test_a_query_that_gave_up_does_not_cost_the_next_one_a_start(
    local: EmbeddedEmbedder,
) -> None:
    expected = await local.embed_query(CAT)
    first = pid_of(local)
    os.kill(first, signal.SIGSTOP)
    query = asyncio.create_task(local.embed_query("something else"))
    await sent(local)
    query.cancel()
    await asyncio.gather(query, return_exceptions=True)
    os.kill(first, signal.SIGCONT)
    assert await local.embed_query(CAT) == expected
    assert pid_of(local) == first


async def test_an_idle_worker_ends_and_comes_back() -> None:
    async with twisted(idle_s=0.01) as embedder:
        expected = await embedder.embed([CAT])
        first = pid_of(embedder)
        await ended(first)
        assert await embedder.embed([CAT]) == expected
        assert pid_of(embedder) != first


async def test_an_idle_worker_ends_early_if_memory_is_short(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(worker_process, "CHECK_S", 0.01)
    is_short = False
    checks = asyncio.Event()

    def check() -> bool:
        checks.set()
        return is_short

    monkeypatch.setattr(worker_process, "is_memory_short", check)
    async with twisted() as embedder:
        await embedder.embed([CAT])
        first = pid_of(embedder)
        for _ in range(3):
            checks.clear()
            await checks.wait()
        assert embedder.worker_pid == first
        is_short = True
        await ended(first)


async def test_closing_ends_the_worker(local: EmbeddedEmbedder) -> None:
    await local.embed([CAT])
    worker = pid_of(local)
    await local.close()
    await ended(worker)
    assert local.worker_pid is None


def test_a_worker_ends_when_its_daemon_is_killed() -> None:
    program = """
        import asyncio
        from ragd.embed.providers.local_model import EmbeddedEmbedder
        async def main():
            embedder = EmbeddedEmbedder()
            await embedder.embed(["text"])
            print(embedder.worker_pid, flush=True)
            await asyncio.Event().wait()
        asyncio.run(main())
    """
    parent = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)], cwd=ROOT, stdout=subprocess.PIPE
    )
    assert parent.stdout is not None
    with parent.stdout:
        worker = os.pidfd_open(int(parent.stdout.readline()))
    try:
        parent.kill()
        parent.wait()
        assert select.select([worker], [], [], 20)[0], "the worker lives on"
    finally:
        os.close(worker)


# What a worker says


async def test_noise_on_the_standard_output_does_not_get_between_the_answers() -> None:
    noise = """
        import os
        from ragd.embed.worker import granite
        def noisy(method):
            def call(*given):
                print("noise", flush=True)
                os.write(1, b"noise" * 1000)
                return method(*given)
            return call
        worker.load = noisy(worker.load)
        granite.Granite.embed_passages = noisy(granite.Granite.embed_passages)
    """
    async with twisted(noise) as embedder:
        one, other = await embedder.embed([CAT, CAT])
        assert one == other


BROKEN = {
    MINILM.name: {
        "onnxruntime is not installed here": "import sys; sys.modules['onnxruntime'] = None",
        "the model's weights are not installed here": """
            from pathlib import Path
            from ragd.embed.worker import minilm_weights as weights
            weights.path = lambda: Path("/nowhere/model.onnx")
        """,
        "the model's weights are not those of this version": """
            import os
            from pathlib import Path
            from ragd.embed.worker import minilm_weights as weights
            weights.path = lambda: Path(os.environ["CHANGED_WEIGHTS"]) / weights.FILE
        """,
        "the vocabulary is not that of this version": """
            from ragd.embed.worker import minilm
            minilm.VOCABULARY_SHA256 = "0" * 64
        """,
        "the model makes wrong vectors on this machine": """
            from ragd.embed.worker import onnx_file
            onnx_file.EPSILON = 1e3
        """,
        "the model cannot be loaded": """
            from ragd.embed.worker import minilm_graph as graph
            graph.write = lambda known: b"not a model"
        """,
    },
    GRANITE.name: {
        "onnxruntime is not installed here": "import sys; sys.modules['onnxruntime'] = None",
        "the model's weights are not installed here": """
            from pathlib import Path
            from ragd.embed.worker import granite_weights
            granite_weights.folder = lambda: Path("/nowhere")
        """,
        "the model's weights are not those of this version": """
            import os
            from pathlib import Path
            from ragd.embed.worker import granite_weights
            granite_weights.folder = lambda: Path(os.environ["CHANGED_WEIGHTS"])
        """,
        "the model makes wrong vectors on this machine": """
            from ragd.embed.worker import onnx_file
            onnx_file.EPSILON = 1e3
        """,
        "the model cannot be loaded": """
            from ragd.embed.worker import granite_graph
            granite_graph.write = lambda known: b"not a model"
        """,
    },
}
CASES = [
    pytest.param(SHIPPED[name], detail, id=f"{name}: {detail}")
    for name, broken in BROKEN.items()
    for detail in broken
]


@pytest.mark.parametrize(("model", "detail"), CASES)
async def test_a_worker_that_cannot_run_says_why(
    model: ShippedModel, detail: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for file in (minilm_weights.path(), granite_weights.folder() / granite_weights.FILE):
        changed = bytearray(file.read_bytes())
        changed[-1000] ^= 1
        copy = tmp_path / (
            minilm_weights.FILE if file == minilm_weights.path() else granite_weights.FILE
        )
        copy.parent.mkdir(exist_ok=True)
        copy.write_bytes(changed)
    monkeypatch.setenv("CHANGED_WEIGHTS", str(tmp_path))
    async with twisted(BROKEN[model.name][detail], model=model) as embedder:
        with pytest.raises(EmbeddingError) as caught:
            await embedder.embed([CAT])
        assert caught.value.code == "EMBEDDER_UNAVAILABLE"
        assert (caught.value.kind, caught.value.detail) == ("unreachable", detail)
        assert embedder.worker_pid is None


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("raise SystemExit(0)", "transient"),
        ("import os; os.write(1, b'\\xff' * 100)", "transient"),
        ("import os; os.write(1, b'\\0\\0\\0\\1x' * 100)", "transient"),
    ],
    ids=["it ends at once", "a frame that is none", "a message that is none"],
)
async def test_a_worker_that_speaks_otherwise_is_an_error(code: str, kind: str) -> None:
    async with twisted(code) as embedder:
        with pytest.raises(EmbeddingError) as caught:
            await embedder.embed_query(CAT)
        assert caught.value.kind == kind
        assert caught.value.detail == "the worker ended unexpectedly"


async def test_a_worker_that_cannot_even_start_is_an_error() -> None:
    embedder = EmbeddedEmbedder(command=("/nowhere/python",))
    with pytest.raises(EmbeddingError) as caught:
        await embedder.embed([CAT])
    assert caught.value.detail == "the worker cannot be started"
    await embedder.close()


async def test_a_text_that_kills_the_worker_is_found() -> None:
    deadly = """
        import os
        from ragd.embed.worker import granite
        embed = granite.Granite.embed_passages
        def fragile(self, texts):
            if "poison" in texts:
                os._exit(1)
            return embed(self, texts)
        granite.Granite.embed_passages = fragile
    """
    async with twisted(deadly) as embedder:
        with pytest.raises(EmbeddingError) as caught:
            await embedder.embed(["poison", CAT])
        assert (caught.value.kind, caught.value.index) == ("bad_item", 0)
        assert len(await embedder.embed([CAT])) == 1


async def test_an_error_inside_the_worker_is_reported_without_the_text(
    capfd: pytest.CaptureFixture[str],
) -> None:
    failing = """
        from ragd.embed.worker import granite
        embed = granite.Granite.embed_passages
        def broken(self, texts):
            if len(texts) < 3:
                raise KeyError(texts[0])
            return embed(self, texts)
        granite.Granite.embed_passages = broken
    """
    async with twisted(failing) as embedder:
        with pytest.raises(EmbeddingError) as caught:
            await embedder.embed(["a Secret text"])
    assert caught.value.detail == "reported an internal error"
    said = capfd.readouterr().err
    assert "KeyError" in said
    assert "Secret" not in said


# What it is made of


def test_a_quick_check_shows_whether_the_model_can_run(monkeypatch: pytest.MonkeyPatch) -> None:
    assert unavailable() is None
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert unavailable() == "onnxruntime is not installed here"


def test_the_worker_imports_nothing_of_the_daemon() -> None:
    program = (
        "import sys, ragd.embed.worker.__main__;"
        "print([name for name in ('aiohttp', 'lancedb', 'lance', 'pyarrow', 'structlog',"
        " 'ragd.daemon', 'ragd.embed.providers.local_model') if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True)
    assert found.stdout.decode().strip() == "[]"


def test_the_daemons_side_imports_neither_numpy_nor_the_runtime() -> None:
    program = (
        "import sys, ragd.embed.providers.local_model;"
        "print([name for name in ('numpy', 'onnxruntime') if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True)
    assert found.stdout.decode().strip() == "[]"


async def test_a_folder_with_a_module_of_the_same_name_is_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The daemon may be started in a vault: nothing in there may run."""
    (tmp_path / "numpy.py").write_text("raise SystemExit(9)")
    (tmp_path / "ragd").mkdir()
    (tmp_path / "ragd" / "__init__.py").write_text("raise SystemExit(9)")
    monkeypatch.chdir(tmp_path)
    embedder = EmbeddedEmbedder()
    try:
        one, other = await embedder.embed([CAT, "A cat naps at the window."])
        assert cosine(one, other) > 0.5
    finally:
        await embedder.close()


@pytest.mark.parametrize("wish", [None, "0"], ids=["unset", "switched on"])
async def test_the_runtime_reports_nothing_to_its_makers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wish: str | None
) -> None:
    """Its telemetry would keep a file below the home folder; there must be none."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    if wish is not None:
        monkeypatch.setenv("ORT_DISABLE_TELEMETRY", wish)
    async with twisted() as embedder:
        await embedder.embed([CAT])
    assert list(tmp_path.rglob("*")) == []
