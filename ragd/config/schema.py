"""Every key of the configuration: its type, range, default and meaning.

Pure: it never reads a file. Error messages, `ragctl config` and the reference page are made from
the descriptions here, so that each is written once.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from ragd.config.section import ConfigSection
from ragd.config.store_settings import LogSettings, VectorStoreSettings

Word = Annotated[str, Meta(min_length=1, max_length=200)]
Words = tuple[Word, ...]
Category = Literal["health", "financial_debt", "relations", "commitments"]
# Categories that have built-in word lists.
ListedCategory = Literal["health", "financial_debt", "relations"]

CONTEXT_MAX = 500  # characters

SCHEMA_KEY = "$schema"  # for editors only; ragd ignores it
SchemaAddress = Annotated[
    str, Meta(max_length=4096, description="For your editor: the address of config.schema.json.")
]


class EmbeddingSettings(ConfigSection, kw_only=True, frozen=True):
    """Where vectors come from."""

    provider: Annotated[
        Literal["auto", "ollama", "embedded"],
        Meta(
            description="What makes the vectors. auto: Ollama if it responds and has the model "
            "when the index is created, else the embedded model."
        ),
    ] = "auto"
    language: Annotated[
        Literal["auto", "english", "multilingual"],
        Meta(
            description="Which embedded model is used, with the embedded provider. auto: the one "
            "that fits the languages of the notes, chosen for the first index and at each reindex "
            "that you request. english: better for English. multilingual: 16 languages, and "
            "queries in another language than the notes. An existing index keeps its model until "
            "`ragctl reindex`."
        ),
    ] = "auto"
    model: Annotated[
        str, Meta(min_length=1, max_length=200, description="The model's name in Ollama.")
    ] = "mxbai-embed-large"
    base_url: Annotated[
        str, Meta(min_length=1, max_length=2000, description="The address of Ollama.")
    ] = "http://localhost:11434"
    dimensions: Annotated[
        int,
        Meta(
            ge=0,
            le=8192,
            description="Numbers in one vector of Ollama's model. 0: taken from the model, which "
            "is 1024 for mxbai-embed-large. Any other number must match the model.",
        ),
    ] = 0
    batch_size: Annotated[
        int,
        Meta(
            ge=1,
            le=64,
            description="The largest number of passages in one request to Ollama; "
            "fewer while it is slow, so that a query does not wait long.",
        ),
    ] = 64
    worker_idle_s: Annotated[
        float,
        Meta(
            ge=0,
            le=604800,
            description="Seconds without a question after which the process with the embedded "
            "model ends; earlier if the machine lacks memory. Until then it keeps about 150 MB, "
            "and a question does not wait for the model to be loaded.",
        ),
    ] = 3600.0


class IndexingSettings(ConfigSection, kw_only=True, frozen=True):
    """What is read, and how it is split."""

    chunk_size: Annotated[
        int, Meta(ge=10, le=8192, description="Tokens in one passage of a long text.")
    ] = 500
    chunk_overlap: Annotated[
        int, Meta(ge=0, le=4096, description="Tokens that two neighbouring passages share.")
    ] = 100
    file_patterns: Annotated[
        Words,
        Meta(min_length=1, max_length=100, description="Patterns of file names that are notes."),
    ] = ("*.md",)
    deny_dirs: Annotated[
        Words,
        Meta(max_length=1000, description="Folders never read, relative to the vault."),
    ] = (".obsidian", ".trash", "zzz-Archive", ".git", ".logseq")
    allow_dirs: Annotated[
        Words,
        Meta(max_length=1000, description="If not empty, only these folders are read."),
    ] = ()
    templates: Annotated[
        Literal["skip", "index"],
        Meta(
            description="Folders in which Obsidian or Templater keep templates: skipped or indexed."
        ),
    ] = "skip"


class SecuritySettings(ConfigSection, kw_only=True, frozen=True):
    """What is protected, and whether anything may leave this machine."""

    require_confirmation_for: Annotated[
        tuple[Category, ...],
        Meta(max_length=10, description="Kinds of content that the agent must ask about first."),
    ] = ("health", "financial_debt")
    sensitive_sections: Annotated[
        Words, Meta(max_length=1000, description="Sections that are sensitive by their name.")
    ] = ("#mentalhealth", "#physicalhealth", "#Relations")
    word_lists: Annotated[
        tuple[ListedCategory, ...],
        Meta(max_length=10, description="Kinds of content that the built-in word lists find."),
    ] = ("health", "financial_debt", "relations")
    local_only: Annotated[
        bool,
        Meta(
            description="Refuse an embedding address, or an object store to write to, that is not "
            "this machine."
        ),
    ] = True
    external_confirmed: Annotated[
        bool,
        Meta(
            description="You agree that note text is sent to the external embedding address or "
            "object store."
        ),
    ] = False
    sensitive: Annotated[
        Literal["flag", "block"],
        Meta(description="Sensitive results are flagged, or withheld until confirmed."),
    ] = "flag"
    confirm: Annotated[
        Literal["person", "token"],
        Meta(
            description="Who can release to an agent what is withheld: a person, with "
            "`ragctl approve` or in the assistant; or any call with the token of the answer."
        ),
    ] = "person"
    code_blocks: Annotated[
        Literal["auto", "remove", "keep"],
        Meta(
            description="What happens to fenced code in notes: `remove` leaves a mark in its "
            "place; `auto` keeps it in a new index if most of the text is code."
        ),
    ] = "auto"


class MemorySettings(ConfigSection, kw_only=True, frozen=True):
    """What is worth remembering."""

    auto_suggest: Annotated[
        bool, Meta(description="Suggest a memory when a result matches the patterns.")
    ] = True
    patterns: Annotated[
        dict[Word, Annotated[Words, Meta(max_length=1000)]],
        Meta(max_length=100, description="Words that mark a fact, by kind of fact."),
    ] = msgspec.field(
        default_factory=lambda: {
            "financial": ("owe", "owed", "debt", "paid", "$", "spent", "spend"),
            "health": ("#mentalhealth", "#physicalhealth", "medication", "therapy"),
            "commitments": ("shopping list", "costco", "amazon", "grocery"),
        }
    )


class WatchSettings(ConfigSection, kw_only=True, frozen=True):
    """How changes in the vault are noticed."""

    debounce_s: Annotated[
        float,
        Meta(ge=0, le=60, description="Seconds without another save before a file is indexed."),
    ] = 2.0
    collect_s: Annotated[
        float,
        Meta(ge=0, le=300, description="Seconds in which changes are collected into one batch."),
    ] = 5.0
    quiet_s: Annotated[
        float,
        Meta(
            ge=0,
            le=300,
            description="Collecting ends early after so many seconds without another change.",
        ),
    ] = 0.5
    rescan_s: Annotated[
        float, Meta(ge=1, le=86400, description="Seconds between two full scans of the vault.")
    ] = 300.0


class HealthSettings(ConfigSection, kw_only=True, frozen=True):
    """When health is checked, and what follows."""

    probe_s: Annotated[
        float, Meta(ge=0.05, le=3600, description="Seconds between two checks of dependencies.")
    ] = 30.0
    stale_s: Annotated[
        float,
        Meta(ge=1, le=2592000, description="Seconds a change may wait before the index is stale."),
    ] = 3600.0
    auto_reindex: Annotated[bool, Meta(description="Rebuild a damaged index automatically.")] = (
        False
    )


class SearchSettings(ConfigSection, kw_only=True, frozen=True):
    """How results are ranked."""

    fusion: Annotated[
        Literal["rrf", "weighted"],
        Meta(description="How vector and full-text results are combined."),
    ] = "weighted"
    vector_weight: Annotated[
        float, Meta(ge=0, le=1, description="Weight of meaning, with weighted fusion.")
    ] = 0.5
    text_weight: Annotated[
        float, Meta(ge=0, le=1, description="Weight of words, with weighted fusion.")
    ] = 0.5
    stale: Annotated[
        Literal["full_text", "hybrid"],
        Meta(description="Which search is used while the index is stale."),
    ] = "full_text"
    fallback: Annotated[
        Literal["full_text", "none"],
        Meta(
            description="What answers a search whose vectors are not available: full-text search "
            "alone, or nothing: the search is refused."
        ),
    ] = "full_text"


class CollectionSettings(ConfigSection, kw_only=True, frozen=True):
    """A further folder of notes or documents, beside the vault."""

    path: Annotated[str, Meta(min_length=1, max_length=4096, description="The folder.")]
    patterns: Annotated[
        Words,
        Meta(
            max_length=100,
            description="Patterns of file names that are read. Empty: every kind that ragd reads, "
            "except images.",
        ),
    ] = ()
    deny_dirs: Annotated[
        Words, Meta(max_length=1000, description="Folders never read, relative to this one.")
    ] = (".obsidian", ".trash", ".git", ".logseq")
    allow_dirs: Annotated[
        Words, Meta(max_length=1000, description="If not empty, only these folders are read.")
    ] = ()
    context: Annotated[
        str, Meta(max_length=CONTEXT_MAX, description="What is in it, in your own words.")
    ] = ""
    private: Annotated[
        bool, Meta(description="Searched only when a request names this collection.")
    ] = False


class AccessMatch(ConfigSection, kw_only=True, frozen=True):
    """Who asks. An empty value matches everyone."""

    agent: Annotated[str, Meta(max_length=200, description="The agent's name.")] = ""
    chat: Annotated[
        str, Meta(max_length=50, description="The kind of chat: direct, group or channel.")
    ] = ""


class AccessRule(ConfigSection, kw_only=True, frozen=True):
    """The collections that an agent may search. The first rule that matches decides."""

    match: Annotated[AccessMatch, Meta(description="Who asks.")] = AccessMatch()
    collections: Annotated[
        Words, Meta(max_length=100, description='Names; "vault" is the vault, "*" means all.')
    ] = ()


class AccessSettings(ConfigSection, kw_only=True, frozen=True):
    """Which collections an agent may search. You yourself may always search all of them."""

    default: Annotated[
        Literal["allow", "deny"],
        Meta(description="What holds for an agent that no rule matches: all collections or none."),
    ] = "allow"
    rules: Annotated[
        tuple[AccessRule, ...],
        Meta(max_length=1000, description="Rules; the first one that matches decides."),
    ] = ()


class SessionsSettings(ConfigSection, kw_only=True, frozen=True):
    """Past conversations of OpenClaw's agents, as collections `@sessions/AGENT`."""

    enabled: Annotated[
        bool,
        Meta(
            description="Read the transcripts of past conversations. Only the agent itself and "
            "you can search them."
        ),
    ] = False
    path: Annotated[
        str,
        Meta(
            min_length=1, max_length=4096, description="The folder in which OpenClaw keeps agents."
        ),
    ] = "~/.openclaw/agents"
    keep_days: Annotated[
        int,
        Meta(
            ge=1,
            le=3650,
            description="Days after its last message until a conversation is erased from the "
            "index. OpenClaw's own file is not touched.",
        ),
    ] = 30


class Config(ConfigSection, kw_only=True, frozen=True):
    """The whole configuration; from `parse`, its paths are absolute."""

    vault_path: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=4096,
            description="The vault's folder. A reader does not use it.",
        ),
    ]
    role: Annotated[
        Literal["writer", "reader"],
        Meta(
            description="writer: reads the vault and writes the index. reader: only searches an "
            "index that another machine writes to an object store; it needs no vault."
        ),
    ] = "writer"
    embedding: Annotated[EmbeddingSettings, Meta(description="Where vectors come from.")] = (
        EmbeddingSettings()
    )
    vector_store: Annotated[VectorStoreSettings, Meta(description="Where the index is.")] = (
        VectorStoreSettings()
    )
    indexing: Annotated[
        IndexingSettings, Meta(description="What is read, and how it is split.")
    ] = IndexingSettings()
    security: Annotated[
        SecuritySettings,
        Meta(description="What is protected, and whether anything leaves this machine."),
    ] = SecuritySettings()
    memory: Annotated[MemorySettings, Meta(description="What is worth remembering.")] = (
        msgspec.field(default_factory=MemorySettings)
    )
    watch: Annotated[WatchSettings, Meta(description="How changes in the vault are noticed.")] = (
        WatchSettings()
    )
    health: Annotated[HealthSettings, Meta(description="When health is checked.")] = (
        HealthSettings()
    )
    search: Annotated[SearchSettings, Meta(description="How results are ranked.")] = (
        SearchSettings()
    )
    log: Annotated[
        LogSettings, Meta(description="Whether the event log is copied to the object store.")
    ] = LogSettings()
    collections: Annotated[
        dict[Annotated[str, Meta(min_length=1, max_length=40)], CollectionSettings],
        Meta(
            max_length=100,
            description="Further folders, by name. Their notes have paths such as "
            "@papers/2024/a.pdf.",
        ),
    ] = msgspec.field(default_factory=dict)
    contexts: Annotated[
        dict[
            Annotated[str, Meta(min_length=1, max_length=1000)],
            Annotated[str, Meta(min_length=1, max_length=CONTEXT_MAX)],
        ],
        Meta(
            max_length=1000,
            description="What is in a folder or a note, in your own words; results from it have "
            "these words with them.",
        ),
    ] = msgspec.field(default_factory=dict)
    access: Annotated[
        AccessSettings, Meta(description="Which collections an agent may search.")
    ] = AccessSettings()
    sessions: Annotated[
        SessionsSettings, Meta(description="Past conversations of OpenClaw's agents.")
    ] = SessionsSettings()
