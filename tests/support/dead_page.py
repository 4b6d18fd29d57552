"""What of a page could run or fetch something, judged by the document that a browser would make."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from lxml import etree
from lxml import html as lxml_html

_NEVER: Final = frozenset(
    {
        *("script", "iframe", "frame", "frameset", "object", "embed", "applet", "base", "form"),
        *("input", "button", "select", "textarea", "svg", "math", "video", "audio", "source"),
        *("track", "template", "noscript", "marquee", "details", "portal", "animate", "use"),
    }
)
_ADDRESSES: Final = frozenset(
    {
        *("href", "src", "srcset", "data", "action", "formaction", "background", "poster", "cite"),
        *("ping", "longdesc", "usemap", "manifest", "codebase", "classid", "profile", "icon"),
    }
)
_FETCHED: Final = frozenset({"src", "srcset", "data", "background", "poster", "manifest", "icon"})
_LINKED: Final = re.compile(r"(?:https?://|mailto:|#|/|\.|[\w./-]+\.(?:html|xhtml|css|js|json)\b)")
_OWN: Final = re.compile(r"(?:data:image/(?:png|jpeg|gif);base64,|/static/|static/|media/|\.\./)")
_BLANKS: Final = re.compile(r"[\x00-\x20\x7f-\xa0\u200b-\u200f\u2028-\u202f\ufeff]+")


def live_in_html(text: str) -> Counter[str]:
    """What is alive in a page, with how often; the program's own forms and scripts count too."""
    parser = lxml_html.HTMLParser(huge_tree=True)
    return Counter(_live(lxml_html.document_fromstring(text.encode(), parser=parser)))


def live_in_xml(data: bytes) -> Counter[str]:
    """The same for a document of an EPUB, which has to be XML."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    return Counter(_live(etree.fromstring(data, parser)))


def _live(root: Any) -> Iterator[str]:
    for element in root.iter():
        if not isinstance(element.tag, str):
            if isinstance(element, etree._ProcessingInstruction) and "xml" in element.target:
                yield f"instruction {element.target}"
            continue
        tag = etree.QName(element).localname.lower()
        if tag in _NEVER:
            yield f"<{tag}>"
        if tag == "script" and (element.text or "").strip():
            yield "a script of its own"
        if tag == "meta" and "refresh" in str(element.get("http-equiv", "")).lower():
            yield "<meta refresh>"
        if tag == "style" and re.search(r"@import|url\(", "".join(element.itertext())):
            yield "<style> that fetches"
        yield from _live_attributes(tag, element)


def _live_attributes(tag: str, element: Any) -> Iterator[str]:
    for raw, value in element.attrib.items():
        name = raw.rpartition("}")[2].rpartition(":")[2].lower()
        address = _BLANKS.sub("", str(value)).lower()
        fetched = name in _FETCHED or (tag in ("link", "image") and name == "href")
        if name == "style":
            alive = not re.fullmatch(r"text-align: ?\w+;?", value)
        elif fetched:
            alive = _is_fetched_elsewhere(address)
        elif name in _ADDRESSES:
            alive = not _LINKED.match(address)
        else:
            alive = name.startswith("on") or name == "srcdoc"
        if alive:
            yield f"{tag} {name}={value[:40]}"


def _is_fetched_elsewhere(address: str) -> bool:
    """Whether an address leads out of the page's own files, or runs."""
    if _OWN.match(address):
        return False
    return "://" in address or address.startswith(("//", "javascript:", "vbscript:", "data:"))
