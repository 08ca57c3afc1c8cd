"""The life of the daemon, from top to bottom.

1. `run`: read the configuration, lock the home, open the log for people.
2. `_live`: creating the `Ledger` repairs the event log after a crash and folds it into the state.
3. `_serve`: record `DaemonStarted`, bind the socket, start the actors: watcher, batcher, embedder,
   store writer and cache eviction (`wiring.py`), the config reader, and those of `build_actors`.
4. At a signal or `ragctl stop`: finish requests and jobs, record `DaemonStopped`.

It starts and stops everything and decides nothing else.
"""

import asyncio
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import structlog

from ragd import __version__
from ragd.clock import Clock, SystemClock, new_id
from ragd.config import load as configuration
from ragd.config.config_reader import ConfigReader
from ragd.config.live_settings import Settings
from ragd.config.load import Config
from ragd.config.reload import ConfigReload
from ragd.errors import (
    EXIT_FAILED,
    EXIT_OK,
    ConfigError,
    LogFailed,
    PermissionRefused,
    StartupError,
)
from ragd.events import DaemonStarted, DaemonStopped
from ragd.gateway.http_server import HttpServer, Listener
from ragd.gateway.named_pipe import NamedPipeListener
from ragd.gateway.suggested_commands import SuggestedCommands
from ragd.gateway.tool_gateway import ToolGateway
from ragd.gateway.unix_socket import UnixListener
from ragd.health.collection_probes import CollectionProbes
from ragd.health.health_monitor import HealthMonitor
from ragd.health.probe_thread import join_probe_threads
from ragd.health.service_notification import ServiceNotifier
from ragd.paths import Home, lies_in_by_name
from ragd.reader_wiring import ReaderPipeline
from ragd.runtime import allocator, logs
from ragd.runtime.crash_points import crashpoint
from ragd.runtime.durable_files import private_directory
from ragd.runtime.exception_location import innermost, location_of
from ragd.runtime.lock import hold
from ragd.runtime.native_crash import CrashMark
from ragd.runtime.notify_socket import from_environment
from ragd.state.ledger import Ledger
from ragd.state.snapshotter import Snapshotter
from ragd.state.sync_result_writer import SyncResultWriter
from ragd.supervisor import Actor, Supervisor, TooManyCrashes
from ragd.vault import threads
from ragd.vault.document_worker import DocumentWorker
from ragd.vault.threads import CHECK, VaultNotResponding
from ragd.wiring import Pipeline

FINISH_WITHIN_S = 5.0

log = structlog.get_logger("daemon")


def run(home: Home) -> int:
    """Run until a signal or `ragctl stop`. The exit code says how it ended."""
    allocator.limit_kept_memory()
    try:
        config = _load(home)
        private_directory(Path(home.root))
        clock = SystemClock()
        about = {
            "pid": os.getpid(),
            "version": __version__,
            "socket": home.socket,
            "started_at": clock.now(),
        }
        with hold(Path(home.lock), about):
            logs.configure(Path(home.log_file))
            crash_mark = CrashMark(Path(home.crash_trace))
            crash_mark.watch()
            crashpoint("daemon.after_lock")
            try:
                _run_loop(_live(home, config, clock, crash_mark))
            finally:
                threads.finish(FINISH_WITHIN_S)
                join_probe_threads(FINISH_WITHIN_S)
    except StartupError as why:
        return _fail(SuggestedCommands(home).add_home(str(why)), why.exit_code)
    except TooManyCrashes as why:
        return _fail(SuggestedCommands(home).add_home(str(why)), EXIT_FAILED)
    except OSError as why:
        what, place = why.strerror or type(why).__name__, why.filename or home.root
        return _fail(f"ragd cannot use {place}: {what}.", EXIT_FAILED)
    except (Exception, BaseExceptionGroup) as why:  # one sentence, never a traceback
        cause = innermost(why)
        place = location_of(cause)
        return _fail(f"Internal error ({type(cause).__name__} at {place}).", EXIT_FAILED)
    return EXIT_OK


def _load(home: Home) -> Config:
    """The configuration. The daemon starts even if the vault's mount hangs."""
    try:
        config = CHECK.of("").run_and_wait(configuration.read, home)
    except VaultNotResponding:  # the folder of the agents; the config reader looks for it again
        config = configuration.read_written(home)
    try:
        CHECK.of("").run_and_wait(configuration.check_folders, config, home.root)
    except VaultNotResponding:
        configuration.check_folders(config, home.root, lies_in_by_name)
    return config


def _run_loop(life: Coroutine[Any, Any, None]) -> None:
    """Like asyncio.run, but the process ends even if a thread hangs on a dead mount. By then
    everything is recorded."""
    end = threading.Timer(FINISH_WITHIN_S, os._exit, (EXIT_OK,))
    end.daemon = True
    with contextlib.ExitStack() as afterwards, asyncio.Runner() as runner:
        runner.run(life)
        end.start()
        afterwards.callback(end.cancel)


def _fail(sentence: str, code: int) -> int:
    print(f"ragd: {sentence}", file=sys.stderr)
    if structlog.is_configured():  # the log file exists and is ours
        log.error("the daemon ended", reason=sentence, exit_code=code)
    return code


async def _live(home: Home, config: Config, clock: SystemClock, crash_mark: CrashMark) -> None:
    """Open the log, serve, and record the stop."""
    stop = asyncio.Event()
    _handle_signals(stop)
    private_directory(Path(home.events))
    ledger = Ledger(Path(home.events), Path(home.snapshots), clock, new_id(), f"ragd {__version__}")
    try:
        async with asyncio.TaskGroup() as group:
            writer = group.create_task(ledger.journal.run(), name="log-writer")
            try:
                await _serve(home, config, clock, ledger, stop, crash_mark)
            except (Exception, BaseExceptionGroup) as why:
                if isinstance(innermost(why), PermissionRefused | ConfigError):
                    await record_stop(ledger, "refused", writer)
                raise
            await record_stop(ledger, "requested", writer)
    except BaseExceptionGroup as failures:
        # Not `except*`: before Python 3.11.4 what it raises comes out in a group again.
        cause = innermost(failures)
        if isinstance(cause, LogFailed | TooManyCrashes | StartupError | OSError):
            raise cause from None
        raise


async def _serve(
    home: Home,
    config: Config,
    clock: SystemClock,
    ledger: Ledger,
    stop: asyncio.Event,
    crash_mark: CrashMark,
) -> None:
    """Answer on the socket while the actors run, until `stop` is set."""
    settings = Settings(home, config)
    settings.hold_back_replaced(
        lambda: ledger.state.catalog.stored_roots(is_working=bool(ledger.state.jobs.open))
    )
    pipeline = build_pipeline(home, clock, ledger, settings, crash_mark)
    reload = ConfigReload(settings)
    config_reader = ConfigReader(clock, settings, reload, ledger.journal)
    gateway = ToolGateway(
        ledger,
        clock,
        settings,
        stop,
        pipeline.searcher,
        pipeline.notes,
        reload,
        pipeline.guard,
        pipeline.vector_progress,
        pipeline.announce_now,
        pipeline.memory_vectors,
    )
    open_indexes = pipeline.open_indexes
    open_indexes.on_change(lambda: gateway.set_index_digest(open_indexes.serving_digest))
    gateway.set_index_bytes(lambda: open_indexes.bytes_in_memory)
    server = HttpServer(_listener(home), gateway.routes(), gateway.refuse)
    actors = build_actors(home, clock, ledger, settings, gateway, pipeline)
    actors |= {"config_reader": config_reader.run} | pipeline.actors()
    supervisor = Supervisor(ledger.journal, clock, actors)
    gateway.live.actors = supervisor.states
    if isinstance(pipeline, ReaderPipeline):
        gateway.follow_index(pipeline.follower, pipeline.open_indexes)
    notifier = ServiceNotifier(from_environment(os.environ), ledger, clock, supervisor.is_complete)
    try:
        async with asyncio.TaskGroup() as group:
            starting = group.create_task(_record_start(config, ledger), name="start")
            await _wait_until_recorded_or_full(starting, ledger)
            await server.start()
            crashpoint("daemon.after_bind")
            working = group.create_task(_run_actors(starting, supervisor), name="supervisor")
            notifying = group.create_task(notifier.run(), name="service-notifier")
            await stop.wait()
            notifier.report_stopping()
            await server.stop_accepting()
            gateway.streams.end()
            await server.stop(FINISH_WITHIN_S)
            await asyncio.wait({starting}, timeout=FINISH_WITHIN_S)
            await _finish_jobs(ledger)
            working.cancel()
            notifying.cancel()
        await gateway.record_refusals()
        await _write_last_sync_result(home, clock, ledger)
    finally:
        await server.stop(0)
        await gateway.close()
        await pipeline.close()


def build_pipeline(
    home: Home, clock: Clock, ledger: Ledger, settings: Settings, crash_mark: CrashMark
) -> Pipeline | ReaderPipeline:
    """What this daemon does with the index: write it, or only read it."""
    if settings.is_reader:
        return ReaderPipeline(home, clock, ledger, settings, crash_mark)
    return Pipeline(home, clock, ledger, settings, crash_mark, DocumentWorker())


async def _write_last_sync_result(home: Home, clock: Clock, ledger: Ledger) -> None:
    """Bring sync-result.json up to date. A full disk does not prevent the stop."""
    with contextlib.suppress(TimeoutError, OSError):
        async with asyncio.timeout(FINISH_WITHIN_S):
            writer = SyncResultWriter(ledger, clock, Path(home.sync_result))
            await writer.catch_up(once=True)


async def _finish_jobs(ledger: Ledger) -> None:
    """Let a running sync end. A longer job continues after the next start."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(FINISH_WITHIN_S):
            while ledger.state.jobs.open:
                async for _ in ledger.journal.follow(ledger.state.seq):
                    break


async def _record_start(config: Config, ledger: Ledger) -> None:
    previous = ledger.state.runs.previous_stop
    started = DaemonStarted(
        version=__version__,
        config_hash=configuration.fingerprint(config),
        previous_stop=previous,
        provider=config.embedding.provider,
    )
    await ledger.journal.append("daemon", started)
    await ledger.record_incidents()
    log.info("started", version=__version__, pid=os.getpid(), previous_stop=previous)


async def _wait_until_recorded_or_full(starting: "asyncio.Task[None]", ledger: Ledger) -> None:
    """The start is recorded before the daemon answers, unless the disk is full."""
    full = asyncio.create_task(ledger.journal.fullness_changed())
    try:
        await asyncio.wait({starting, full}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        full.cancel()


async def _run_actors(starting: "asyncio.Task[None]", supervisor: Supervisor) -> None:
    """Start the actors once this run is in the log: before, the folds describe the last run."""
    await starting
    await supervisor.run()


def build_actors(
    home: Home,
    clock: Clock,
    ledger: Ledger,
    settings: Settings,
    gateway: ToolGateway,
    pipeline: Pipeline | ReaderPipeline,
) -> dict[str, Actor]:
    """The actors that do not move notes into the index; `Pipeline.actors` has the others."""
    collections = None
    if isinstance(pipeline, ReaderPipeline):
        probes = pipeline.probes()
    else:
        collections = CollectionProbes(ledger, clock, settings, pipeline.notes)
        probes = pipeline.probes.by_dependency()
    monitor = HealthMonitor(ledger, clock, settings, probes, collections)
    return {
        "health_monitor": monitor.run,
        "sync_result_writer": SyncResultWriter(ledger, clock, Path(home.sync_result)).run,
        "snapshotter": Snapshotter(ledger).run,
        "tool_gateway": gateway.run,
    }


def _listener(home: Home) -> Listener:
    if sys.platform == "win32":
        return NamedPipeListener(home.pipe)
    folder = Path(home.socket).parent
    if folder != Path(home.root):  # a folder that other users can guess
        private_directory(folder, links=False)
    return UnixListener(home.socket)


async def record_stop(ledger: Ledger, reason: str, writer: "asyncio.Task[None]") -> None:
    """Record a clean stop, unless the disk is full."""
    crashpoint("daemon.before_stopped")
    try:
        async with asyncio.timeout(FINISH_WITHIN_S):
            if ledger.state.runs.id == ledger.run_id:  # else the start is not recorded either
                await ledger.journal.append("daemon", DaemonStopped(reason=reason))
            crashpoint("daemon.after_stopped")
            await ledger.journal.close()
    except TimeoutError:
        writer.cancel()
    log.info("stopped", reason=reason)


def _handle_signals(stop: asyncio.Event) -> None:
    """The first signal asks for an orderly stop; the second ends the process at once."""

    received = False

    def handle(number: int) -> None:
        nonlocal received
        if received:
            os._exit(128 + number)
        received = True
        stop.set()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        if sys.platform == "win32":  # not tested
            signal.signal(number, lambda n, _: loop.call_soon_threadsafe(handle, n))
        else:
            loop.add_signal_handler(number, handle, number)
