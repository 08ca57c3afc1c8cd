"""The keys of `vector_store` and `log`: where the index and the log are. Pure; see `schema.py`."""

from typing import Annotated, Literal

from msgspec import Meta

from ragd.config.section import ConfigSection


class StoreOptions(ConfigSection, kw_only=True, frozen=True):
    """How an object store is reached. Credentials are never here: they come from the environment
    or from the usual credential files."""

    endpoint: Annotated[
        str,
        Meta(
            max_length=2000,
            description="The address of the object store. Empty: the one of the cloud provider.",
        ),
    ] = ""
    region: Annotated[
        str,
        Meta(max_length=100, description="The region of an s3:// bucket. Empty: from the system."),
    ] = ""
    allow_http: Annotated[
        bool, Meta(description="Allow an endpoint without TLS, for a store on this machine.")
    ] = False
    lease_s: Annotated[
        float,
        Meta(
            ge=6,
            le=3600,
            description="Seconds without a sign of life after which another daemon may write to "
            "an index in an object store.",
        ),
    ] = 120.0
    follow_s: Annotated[
        float,
        Meta(
            ge=0,
            le=3600,
            description="Seconds between two looks of a reader for a newer index. 0: before every "
            "request.",
        ),
    ] = 5.0


class VectorStoreSettings(ConfigSection, kw_only=True, frozen=True):
    """Where the index is."""

    type: Annotated[Literal["lancedb"], Meta(description="The kind of store; only one exists.")] = (
        "lancedb"
    )
    path: Annotated[
        str,
        Meta(
            max_length=4096,
            description="The index's folder, or the address of an object store, such as "
            "s3://bucket/prefix. Empty: vectors.lance in the home.",
        ),
    ] = ""
    vault: Annotated[
        str,
        Meta(
            max_length=16,
            description="The id of the vault in an index that was taken over from another machine "
            "(`ragctl mirror restore` sets it). Empty: derived from `vault_path`.",
        ),
    ] = ""
    options: Annotated[
        StoreOptions, Meta(description="How the object store is reached. Never credentials.")
    ] = StoreOptions()


class LogSettings(ConfigSection, kw_only=True, frozen=True):
    """Whether another machine can take over from the object store alone."""

    mirror: Annotated[
        bool,
        Meta(
            description="Copy the event log and the memories (encrypted) to the object store that "
            "has the index, so that another machine can take over."
        ),
    ] = False
