"""Where the documentation is: it comes with no package, so a message names a page by its address or its name."""

from __future__ import annotations

from functools import cache

#: Language -> a page of the documentation, the documentation alone, and a remark after a text
_WORDS = {
    "en": ("{page} in musa_build's documentation", "in musa_build's documentation", " ({})"),
    "zh": ("musa_build 文档的 {page}", "musa_build 文档", "（{}）"),
}
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


def where(page: str, text: str, language: str, *, named: bool = False) -> str:
    """Return the text of a link to a page, such as docs/building.md#settings, with where the page is.

    The text stays as it is, in any sentence: a remark after it says where the page is. `named` is whether an earlier
    remark named the documentation.
    """
    of_page, documentation, remark = _WORDS[language]
    if _base():
        return text + remark.format(f"{_base()}{page}")
    name = page.partition("#")[0].rpartition("/")[2]
    if text == name:
        return text if named else text + remark.format(documentation)
    return text + remark.format(name if named else of_page.format(page=name))
