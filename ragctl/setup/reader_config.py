"""Writes the configuration of a reader, for `ragctl init --reader`. It opens no connection."""

import os
from pathlib import Path
from typing import Any

from ragctl.failure import Failure
from ragctl.setup.config_file import write_config
from ragd.config import load as configuration
from ragd.config.store_rules import NO_VAULT
from ragd.paths import Home


def set_up_reader(
    home: Home, address: str, endpoint: str, region: str, *, force: bool = False
) -> dict[str, Any]:
    """Write a configuration that reads the index at this address."""
    options: dict[str, Any] = {}
    if endpoint:
        options["endpoint"] = endpoint
        if endpoint.lower().startswith("http://"):
            options["allow_http"] = True
    if region:
        options["region"] = region
    store = {"path": address, **({"options": options} if options else {})}
    data = configuration.to_json({"vault_path": NO_VAULT, "role": "reader", "vector_store": store})
    configuration.check_folders(configuration.parse(data, home.root), home.root)
    file = Path(home.config)
    exists = os.path.lexists(file)
    if exists and not force:
        raise Failure(
            f"{file} already exists.",
            "Use another home (`ragctl --home FOLDER init --reader …`), or add --force, which "
            "replaces it.",
        )
    write_config(home, data)
    return {"config": home.config, "reader": address, "written": True}
