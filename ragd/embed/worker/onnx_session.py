"""onnxruntime as both English models use it: one thread for each window."""

import importlib
import os
from typing import Any

from ragd.embed.worker.loading import CannotRun

_ERRORS_ONLY = 3  # onnxruntime's log level


def load() -> Any:
    """The module onnxruntime. Raises CannotRun."""
    try:
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # otherwise it sends telemetry
        return importlib.import_module("onnxruntime")
    except (ImportError, OSError):  # not installed, or its library does not fit this machine
        raise CannotRun("onnxruntime is not installed here") from None


def session(runtime: Any, model: bytes) -> Any:
    """The model, ready to run."""
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1  # our threads run windows in parallel instead
    options.inter_op_num_threads = 1
    options.log_severity_level = _ERRORS_ONLY
    # Only basic: more would fuse each sum and norm to an operator that measured slower.
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    return runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
