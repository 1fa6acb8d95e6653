"""Where the documentation is: it comes with no package, so a message names a page by its address or its name."""

from __future__ import annotations

from functools import cache

#: Language -> how a page is named in it
_OF_THE_DOCUMENTATION = {"zh": "musa_build 文档的 {name}"}
_HOME = "docs/README.md"


@cache
def _base() -> str:
    """Return the address of the repository's files, which the metadata of a release have; "" without it."""
    from importlib import metadata

    try:
        urls = metadata.metadata("musa-build").get_all("Project-URL") or []
    except metadata.PackageNotFoundError:
        return ""
    home = dict(url.split(", ", 1) for url in urls if ", " in url).get("Documentation", "")
    return home[: -len(_HOME)] if home.endswith(_HOME) else ""


def where(page: str, text: str, language: str) -> str:
    """Return the text of a link to a page, such as docs/building.md#settings, with where the page is."""
    if _base():
        return f"{text} ({_base()}{page})"
    return _OF_THE_DOCUMENTATION.get(language, "{name} of musa_build's documentation").format(name=text)
