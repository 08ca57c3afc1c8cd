"""Every key of the configuration: its type, its range, its default and what it means.

Pure: it never reads anything. The error messages, `ragctl config` and the reference page are made
from the descriptions here, so that each is written once.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

Word = Annotated[str, Meta(min_length=1, max_length=200)]
Words = tuple[Word, ...]
Category = Literal["health", "financial_debt", "relations", "commitments"]
Listed = Literal["health", "financial_debt", "relations"]  # kinds that have built-in word lists

SCHEMA_KEY = "$schema"  # the one key that is for editors and none of our business
SchemaAddress = Annotated[
    str, Meta(max_length=4096, description="For your editor: where config.schema.json lies.")
]


class Section(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What all sections share: they are values, and an unknown key in them is an error."""


class Embedding(Section, kw_only=True, frozen=True):
    """Where vectors come from."""

    provider: Annotated[
        Literal["auto", "ollama", "embedded"],
        Meta(
            description="Who makes the vectors. auto: Ollama if it answers and has the model when "
            "the index is created, else the embedded model."
        ),
    ] = "auto"
    language: Annotated[
        Literal["auto", "english", "multilingual"],
        Meta(
            description="Which embedded model is taken, where the embedded provider is. auto: the "
            "one that fits the languages of the notes, when an index is first made and at each "
            "reindex that is asked for. english: better for English. multilingual: 16 languages, "
            "and questions in another language than the notes. An index that exists keeps its "
            "model until `ragctl reindex`."
        ),
    ] = "auto"
    model: Annotated[
        str, Meta(min_length=1, max_length=200, description="The model's name in Ollama.")
    ] = "mxbai-embed-large"
    base_url: Annotated[
        str, Meta(min_length=1, max_length=2000, description="Where Ollama answers.")
    ] = "http://localhost:11434"
    dimensions: Annotated[
        int,
        Meta(
            ge=0,
            le=8192,
            description="Numbers in one vector of Ollama's model. 0: taken from the model, which "
            "is 1024 for mxbai-embed-large. Any other number must be the model's own.",
        ),
    ] = 0
    batch_size: Annotated[
        int,
        Meta(
            ge=1,
            le=64,
            description="At most so many passages go to Ollama in one request; "
            "fewer while it is slow, so that a question need not wait long.",
        ),
    ] = 64


class VectorStore(Section, kw_only=True, frozen=True):
    """Where the index lies."""

    type: Annotated[Literal["lancedb"], Meta(description="The kind of store; there is one.")] = (
        "lancedb"
    )
    path: Annotated[
        str,
        Meta(max_length=4096, description="The index's folder. Empty: vectors.lance in the home."),
    ] = ""


class Indexing(Section, kw_only=True, frozen=True):
    """What is read, and how it is cut."""

    chunk_size: Annotated[
        int, Meta(ge=10, le=8192, description="Tokens in one passage of a long text.")
    ] = 500
    chunk_overlap: Annotated[
        int, Meta(ge=0, le=4096, description="Tokens that two neighbouring passages share.")
    ] = 100
    file_patterns: Annotated[
        Words, Meta(min_length=1, max_length=100, description="Which file names are notes.")
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
            description="Folders that Obsidian or Templater keep templates in: left out, or read."
        ),
    ] = "skip"


class Security(Section, kw_only=True, frozen=True):
    """What is guarded, and whether anything may leave this machine."""

    require_confirmation_for: Annotated[
        tuple[Category, ...],
        Meta(max_length=10, description="Kinds of content the agent must ask about first."),
    ] = ("health", "financial_debt")
    sensitive_sections: Annotated[
        Words, Meta(max_length=1000, description="Sections that are sensitive by their name.")
    ] = ("#mentalhealth", "#physicalhealth", "#Relations")
    word_lists: Annotated[
        tuple[Listed, ...],
        Meta(max_length=10, description="Kinds that the built-in word lists look for."),
    ] = ("health", "financial_debt", "relations")
    local_only: Annotated[
        bool, Meta(description="Refuse any embedding address that is not this machine.")
    ] = True
    external_confirmed: Annotated[
        bool,
        Meta(description="You agree that note text goes to the external embedding address."),
    ] = False
    sensitive: Annotated[
        Literal["flag", "block"],
        Meta(description="Sensitive results are flagged, or withheld until confirmed."),
    ] = "flag"
    code_blocks: Annotated[
        Literal["remove", "keep"], Meta(description="What happens to fenced code in notes.")
    ] = "remove"


class Memory(Section, kw_only=True, frozen=True):
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


class Watch(Section, kw_only=True, frozen=True):
    """How changes in the vault are noticed."""

    debounce_s: Annotated[
        float, Meta(ge=0, le=60, description="Seconds of silence after the last save of a file.")
    ] = 2.0
    collect_s: Annotated[
        float, Meta(ge=0, le=300, description="Seconds in which changes are gathered into one.")
    ] = 5.0
    rescan_s: Annotated[
        float, Meta(ge=1, le=86400, description="Seconds between two full looks at the vault.")
    ] = 300.0


class Health(Section, kw_only=True, frozen=True):
    """When health is looked at, and what follows."""

    probe_s: Annotated[
        float, Meta(ge=0.05, le=3600, description="Seconds between two looks at dependencies.")
    ] = 30.0
    stale_s: Annotated[
        float,
        Meta(ge=1, le=2592000, description="Seconds a change may wait before the index is stale."),
    ] = 3600.0
    auto_reindex: Annotated[
        bool, Meta(description="Rebuild the index without being asked when it is damaged.")
    ] = False


class Search(Section, kw_only=True, frozen=True):
    """How results are ranked."""

    fusion: Annotated[
        Literal["rrf", "weighted"],
        Meta(description="How vector and full-text results become one list."),
    ] = "weighted"
    vector_weight: Annotated[
        float, Meta(ge=0, le=1, description="Weight of meaning, with weighted fusion.")
    ] = 0.5
    text_weight: Annotated[
        float, Meta(ge=0, le=1, description="Weight of words, with weighted fusion.")
    ] = 0.5
    stale: Annotated[
        Literal["full_text", "hybrid"], Meta(description="What serves while the index is stale.")
    ] = "full_text"


class Config(Section, kw_only=True, frozen=True):
    """The whole configuration; from `parse`, its paths are absolute."""

    vault_path: Annotated[
        str, Meta(min_length=1, max_length=4096, description="The vault's folder.")
    ]
    embedding: Annotated[Embedding, Meta(description="Where vectors come from.")] = Embedding()
    vector_store: Annotated[VectorStore, Meta(description="Where the index lies.")] = VectorStore()
    indexing: Annotated[Indexing, Meta(description="What is read, and how it is cut.")] = Indexing()
    security: Annotated[
        Security, Meta(description="What is guarded, and whether anything leaves this machine.")
    ] = Security()
    memory: Annotated[Memory, Meta(description="What is worth remembering.")] = msgspec.field(
        default_factory=Memory
    )
    watch: Annotated[Watch, Meta(description="How changes in the vault are noticed.")] = Watch()
    health: Annotated[Health, Meta(description="When health is looked at.")] = Health()
    search: Annotated[Search, Meta(description="How results are ranked.")] = Search()
