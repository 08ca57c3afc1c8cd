"""JSON is decoded to our types only by decoders that are made when a module is imported.

msgspec prepares a type when it is first decoded. Two threads that do so at the same time crash the
process, so no thread may be the first.
"""

import ast
from pathlib import Path

import ragd

PACKAGE = Path(ragd.__file__).parent

# These run in the event loop or in `ragctl`, where no other thread decodes the same types.
ONE_THREAD = {
    "store/lance/key_lookups.py",
    "store/lance/packed_rows.py",  # only its `_link_rows`, which the event loop calls
    "store/lance/reader.py",
    "store/lance/table_version.py",
    "embed/providers/ollama.py",
    "config/load.py",
    "gateway/reader_mode.py",
    "eventlog/codec.py",  # and `_decoder` has prepared them
    "protocol/tool_schemas.py",
    "state/replay.py",
}


def prepares_a_type(node: ast.AST) -> bool:
    """Whether this is msgspec.json.decode(…, type=…) or msgspec.convert(…)."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    if node.func.attr == "convert":
        return isinstance(node.func.value, ast.Name) and node.func.value.id == "msgspec"
    return node.func.attr == "decode" and any(word.arg == "type" for word in node.keywords)


def test_no_thread_is_the_first_to_decode_a_type() -> None:
    found = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if any(map(prepares_a_type, ast.walk(ast.parse(path.read_text()))))
    }
    assert found == ONE_THREAD
