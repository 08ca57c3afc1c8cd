"""docs/publishing.md: one version everywhere, and the files and names on the page exist."""

import json
import re
from pathlib import Path
from typing import Any

import yaml

from ragd import __version__

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "contrib" / "openclaw-plugin"
MEMORY_PLUGIN = ROOT / "contrib" / "openclaw-memory"
OBSIDIAN_PLUGIN = ROOT / "contrib" / "obsidian-plugin"
PAGE = (ROOT / "docs" / "publishing.md").read_text(encoding="utf-8")


def plugin_file(name: str, plugin: Path = PLUGIN) -> Any:
    return json.loads((plugin / name).read_text(encoding="utf-8"))


def test_the_version_is_the_same_in_every_place() -> None:
    found: dict[str, str] = {}
    for plugin in (PLUGIN, MEMORY_PLUGIN):
        lock = plugin_file("package-lock.json", plugin)
        found |= {
            f"{plugin.name}/package.json": plugin_file("package.json", plugin)["version"],
            f"{plugin.name}/package-lock.json": lock["version"],
            f"{plugin.name}/package-lock.json, packages": lock["packages"][""]["version"],
            f"{plugin.name}/manifest": plugin_file("openclaw.plugin.json", plugin)["version"],
        }
    for name in ("package.json", "package-lock.json", "manifest.json"):
        found[f"obsidian-plugin/{name}"] = plugin_file(name, OBSIDIAN_PLUGIN)["version"]
    for page in ("README.md", "docs/openclaw.md", "docs/publishing.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        [found[page]] = set(re.findall(r"ragd-obsidian-rag(?:-memory)?-([\d.]+)\.tgz", text))
    assert found == dict.fromkeys(found, __version__)


def test_the_page_names_the_packages_as_they_are() -> None:
    assert f"`{plugin_file('package.json')['name']}`" in PAGE
    assert f"clawhub:{plugin_file('package.json')['name']}\n" in PAGE
    assert set(re.findall(r"v\d+\.\d+\.\d+", PAGE)) == {f"v{__version__}"}
    for named in (
        "contrib/openclaw-plugin/package.json",
        "contrib/openclaw-plugin/skills/obsidian-rag",
    ):
        assert named in PAGE and (ROOT / named).exists()


def test_the_skill_says_what_the_page_says_of_it() -> None:
    text = (PLUGIN / "skills" / "obsidian-rag" / "SKILL.md").read_text(encoding="utf-8")
    about = yaml.safe_load(text.split("---\n")[1])
    assert about["homepage"] == "https://ragd.example/"
    assert about["homepage"] in PAGE
    assert about["metadata"]["openclaw"]["requires"]["bins"] == ["ragctl"]
    assert 'metadata.openclaw.requires.bins: ["ragctl"]' in PAGE
