"""The styles of a Word file: standard manuscript format, or the pages of a book.

Every look is a style: nothing in the text is formatted directly, so that an editor can change all
of it in one place.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal
from xml.sax.saxutils import quoteattr

from libriscribe2.models.languages import Language

WORD_SPACES: Final = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"'
)
WordStyle = Literal["book", "manuscript"]


@dataclass(frozen=True, slots=True)
class WordPage:
    """The page of a Word file, in twentieths of a point.

    Attributes:
        width: Its width.
        height: Its height.
        side: The margins at the sides.
        top: The margins above and below.
        is_vertical: Whether lines run from top to bottom.
    """

    width: int
    height: int
    side: int
    top: int
    is_vertical: bool = False


_LETTER: Final = WordPage(12_240, 15_840, 1_440, 1_440)
_A4: Final = WordPage(11_906, 16_838, 1_440, 1_440)
_BOOK: Final = WordPage(8_640, 12_960, 1_150, 1_200)
_LETTER_REGIONS: Final = ("", "US", "CA", "MX", "PH")
_EAST_ASIAN: Final = {"ja": "MS Mincho", "ko": "Batang", "zh-hant": "PMingLiU", "zh": "SimSun"}


def page_of(style: WordStyle, language: Language, *, vertical: bool = False) -> WordPage:
    """The page of a style: a manuscript's is the paper of its country."""
    if style == "book":
        return replace(_BOOK, is_vertical=vertical)
    is_letter = language.region in _LETTER_REGIONS and language.code in ("en", "es")
    return replace(_LETTER if is_letter else _A4, is_vertical=vertical)


Looks = Mapping[str, tuple[str, str, str, str]]
"""By style id: name, the style it is based on, properties of paragraphs, properties of runs."""

_TITLE_CENTRED: Final = '<w:ind w:firstLine="0"/><w:jc w:val="center"/>'
_LEFT: Final = '<w:ind w:firstLine="0"/><w:jc w:val="left"/>'
_OWN_PAGE: Final = "<w:keepNext/><w:keepLines/><w:pageBreakBefore/>"

_SHARED: Final[Looks] = {
    "Heading2": ("heading 2", "Normal", f'<w:keepNext/><w:keepLines/><w:spacing w:before="320" '
                 f'w:after="160"/>{_LEFT}<w:outlineLvl w:val="1"/>', '<w:b/><w:bCs/>'),
    "Heading3": ("heading 3", "Normal", f'<w:keepNext/><w:keepLines/><w:spacing w:before="280" '
                 f'w:after="140"/>{_LEFT}<w:outlineLvl w:val="2"/>', '<w:i/><w:iCs/>'),
    "Quote": ("Quote", "BodyText", '<w:spacing w:before="120" w:after="120"/>'
              '<w:ind w:left="560" w:right="560" w:firstLine="0"/><w:jc w:val="left"/>', ""),
    "Lines": ("Lines", "BodyText", '<w:spacing w:before="120" w:after="120"/>'
              '<w:ind w:left="560" w:firstLine="0"/><w:jc w:val="left"/>', ""),
    "Verse": ("Verse", "Lines", "", ""),
    "Letter": ("Letter", "Quote", "", ""),
    "Sign": ("Sign", "BodyText", f'<w:spacing w:before="200" w:after="200"/>{_TITLE_CENTRED}', ""),
    "Figure": ("Figure", "BodyText", f'<w:spacing w:before="200" w:after="200"/>{_TITLE_CENTRED}', ""),
    "ListParagraph": ("List Paragraph", "BodyText", '<w:spacing w:before="120" w:after="120"/>'
                      '<w:ind w:firstLine="0"/><w:contextualSpacing/><w:jc w:val="left"/>', ""),
    "ListContinue": ("List Continue", "ListParagraph", '<w:ind w:left="400" w:firstLine="0"/>', ""),
    "SourceCode": ("Source Code", "Normal", '<w:keepLines/><w:spacing w:before="160" w:after="160" '
                   f'w:line="240" w:lineRule="auto"/>{_LEFT}',
                   '<w:rFonts w:ascii="Courier New" w:hAnsi="Courier New" w:cs="Courier New"/>'
                   '<w:noProof/><w:sz w:val="18"/><w:szCs w:val="18"/>'),
    "TableText": ("Table Text", "Normal",
                  f'<w:spacing w:before="40" w:after="40" w:line="240" w:lineRule="auto"/>{_LEFT}', ""),
    "TableTextCentre": ("Table Text Centre", "TableText", '<w:jc w:val="center"/>', ""),
    "TableTextEnd": ("Table Text End", "TableText", '<w:jc w:val="right"/>', ""),
    "FootnoteText": ("footnote text", "Normal",
                     f'<w:spacing w:line="240" w:lineRule="auto"/>{_LEFT}',
                     '<w:sz w:val="18"/><w:szCs w:val="18"/>'),
    "TOCHeading": ("TOC Heading", "Normal", f'{_OWN_PAGE}<w:spacing w:before="900" w:after="400"/>'
                   f'{_TITLE_CENTRED}', '<w:sz w:val="32"/><w:szCs w:val="32"/>'),
    "TOC1": ("toc 1", "Normal", f'<w:spacing w:before="80" w:after="80"/>{_LEFT}', ""),
    "TOC2": ("toc 2", "TOC1", '<w:ind w:left="360"/>', ""),
}  # fmt: skip
_OF_BOOK: Final[Looks] = {
    "BodyText": ("Body Text", "Normal", '<w:widowControl/><w:spacing w:line="300" '
                 'w:lineRule="auto"/><w:ind w:firstLine="340"/><w:jc w:val="both"/>', ""),
    "FirstParagraph": ("First Paragraph", "BodyText", '<w:ind w:firstLine="0"/>', ""),
    "Heading1": ("heading 1", "Normal", f'{_OWN_PAGE}<w:spacing w:before="1600" w:after="640"/>'
                 f'{_TITLE_CENTRED}<w:outlineLvl w:val="0"/>', '<w:sz w:val="36"/><w:szCs w:val="36"/>'),
    "SceneBreak": ("Scene Break", "Normal", '<w:keepNext/><w:spacing w:before="240" w:after="240"/>'
                   f'{_TITLE_CENTRED}', '<w:spacing w:val="120"/>'),
    "Title": ("Title", "Normal", f'<w:spacing w:before="2600" w:after="320"/>{_TITLE_CENTRED}',
              '<w:sz w:val="56"/><w:szCs w:val="56"/>'),
    "Subtitle": ("Subtitle", "Normal", f'<w:spacing w:after="320"/>{_TITLE_CENTRED}', "<w:i/><w:iCs/>"),
    "Author": ("Author", "Normal", f'<w:spacing w:before="320"/>{_TITLE_CENTRED}',
               '<w:sz w:val="28"/><w:szCs w:val="28"/>'),
    "Imprint": ("Imprint", "Normal", f'<w:spacing w:after="120"/>{_LEFT}',
                '<w:sz w:val="17"/><w:szCs w:val="17"/>'),
    "ImprintFirst": ("Imprint First", "Imprint", '<w:pageBreakBefore/><w:spacing w:before="7600"/>', ""),
    "Dedication": ("Dedication", "Normal", '<w:pageBreakBefore/><w:spacing w:before="2600"/>'
                   f'{_TITLE_CENTRED}', "<w:i/><w:iCs/>"),
    "Epigraph": ("Epigraph", "Normal", '<w:pageBreakBefore/><w:spacing w:before="2600"/>'
                 '<w:ind w:left="900" w:right="900" '
                 'w:firstLine="0"/><w:jc w:val="left"/>', ""),
    "Header": ("header", "Normal", _TITLE_CENTRED, '<w:i/><w:iCs/><w:sz w:val="18"/><w:szCs w:val="18"/>'),
    "Footer": ("footer", "Normal", _TITLE_CENTRED, '<w:sz w:val="18"/><w:szCs w:val="18"/>'),
}  # fmt: skip
_DOUBLE: Final = 'w:line="480" w:lineRule="auto"'
_OF_MANUSCRIPT: Final[Looks] = {
    "BodyText": ("Body Text", "Normal", f'<w:widowControl w:val="0"/><w:spacing {_DOUBLE}/>'
                 '<w:ind w:firstLine="720"/><w:jc w:val="left"/>', ""),
    "FirstParagraph": ("First Paragraph", "BodyText", "", ""),
    "Heading1": ("heading 1", "Normal", f'{_OWN_PAGE}<w:spacing w:before="3600" w:after="480" '
                 f'{_DOUBLE}/>{_TITLE_CENTRED}<w:outlineLvl w:val="0"/>', ""),
    "SceneBreak": ("Scene Break", "Normal", f'<w:keepNext/><w:spacing {_DOUBLE}/>{_TITLE_CENTRED}', ""),
    "Title": ("Title", "Normal", f'<w:spacing w:before="4800" {_DOUBLE}/>{_TITLE_CENTRED}', ""),
    "Author": ("Author", "Normal", f'<w:spacing {_DOUBLE}/>{_TITLE_CENTRED}', ""),
    "Contact": ("Contact", "Normal", _LEFT, ""),
    "WordCount": ("Word Count", "Normal", '<w:ind w:firstLine="0"/><w:jc w:val="right"/>', ""),
    "End": ("End", "SceneBreak", '<w:keepNext w:val="0"/>', ""),
    "Header": ("header", "Normal", '<w:ind w:firstLine="0"/><w:jc w:val="right"/>', ""),
    "Footer": ("footer", "Normal", _TITLE_CENTRED, ""),
}  # fmt: skip

_CHARACTERS: Final = {
    "i": ("Emphasis", "<w:i/><w:iCs/>"),
    "b": ("Strong", "<w:b/><w:bCs/>"),
    "s": ("Struck", "<w:strike/>"),
    "k": ("Small Capitals", "<w:smallCaps/>"),
    "c": ("Verbatim", '<w:rFonts w:ascii="Courier New" w:hAnsi="Courier New" w:cs="Courier New"/>'),
    "l": ("Hyperlink", '<w:color w:val="1F4E79"/><w:u w:val="single"/>'),
}  # fmt: skip
"""Looks of characters by one letter; a run may have several."""


def character_style(look: Iterable[str]) -> str:
    """The id of the style of a run with these looks."""
    return "".join(_CHARACTERS[one][0].replace(" ", "") for one in sorted(look))


def styles_xml(style: WordStyle, language: Language, looks: Iterable[frozenset[str]]) -> str:
    """The part `word/styles.xml`.

    Args:
        style: Which of the two.
        language: The book's.
        looks: The looks of runs that the text has.
    """
    paragraphs = {**_SHARED, **(_OF_BOOK if style == "book" else _OF_MANUSCRIPT)}
    if style == "book" and language.ideographic:  # all its paragraphs are indented
        width = f'w:firstLine="{language.indent * 220:.0f}"'  # a character is 11 points wide
        name, base, look, run = paragraphs["BodyText"]
        paragraphs["BodyText"] = (name, base, look.replace('w:firstLine="340"', width), run)
        paragraphs["FirstParagraph"] = _OF_MANUSCRIPT["FirstParagraph"]
    return (
        f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<w:styles {WORD_SPACES}>'
        f"{_defaults(style, language)}"
        '<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/>'
        "<w:qFormat/></w:style>"
        '<w:style w:type="character" w:default="1" w:styleId="DefaultParagraphFont">'
        '<w:name w:val="Default Paragraph Font"/></w:style>'
        f"{''.join(_paragraph(one, *told) for one, told in paragraphs.items())}"
        f"{''.join(sorted(_character(one) for one in {*looks} if one))}"
        '<w:style w:type="character" w:styleId="FootnoteReference">'
        '<w:name w:val="footnote reference"/><w:rPr><w:vertAlign w:val="superscript"/></w:rPr>'
        f"</w:style>{_TABLE}</w:styles>"
    )


_TABLE: Final = (
    '<w:style w:type="table" w:default="1" w:styleId="TableNormal"><w:name w:val="Normal Table"/>'
    '<w:tblPr><w:tblInd w:w="0" w:type="dxa"/></w:tblPr></w:style>'
    '<w:style w:type="table" w:styleId="BookTable"><w:name w:val="Book Table"/>'
    '<w:basedOn w:val="TableNormal"/><w:tblPr><w:jc w:val="center"/>'
    '<w:tblBorders><w:top w:val="single" w:sz="8" w:space="0" w:color="auto"/>'
    '<w:bottom w:val="single" w:sz="8" w:space="0" w:color="auto"/></w:tblBorders>'
    '<w:tblCellMar><w:left w:w="100" w:type="dxa"/><w:right w:w="100" w:type="dxa"/>'
    '</w:tblCellMar></w:tblPr><w:tblStylePr w:type="firstRow"><w:rPr><w:b/><w:bCs/></w:rPr><w:tcPr>'
    '<w:tcBorders><w:bottom w:val="single" w:sz="4" w:space="0" w:color="auto"/></w:tcBorders>'
    "</w:tcPr></w:tblStylePr></w:style>"
)


def _defaults(style: WordStyle, language: Language) -> str:
    face = "Georgia" if style == "book" else "Times New Roman"
    size = 22 if style == "book" else 24
    east = _EAST_ASIAN.get(language.script, _EAST_ASIAN.get(language.code, face))
    direction = "<w:rtl/>" if language.right_to_left else ""
    paragraphs = "<w:bidi/>" if language.right_to_left else ""
    tag = quoteattr(language.tag)
    both = f" w:eastAsia={tag}" if language.ideographic else ""
    both += f" w:bidi={tag}" if language.right_to_left else ""
    return (
        f'<w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:ascii="{face}" w:eastAsia="{east}" '
        f'w:hAnsi="{face}" w:cs="Times New Roman"/><w:sz w:val="{size}"/><w:szCs w:val="{size}"/>'
        f"{direction}<w:lang w:val={tag}{both}/></w:rPr></w:rPrDefault><w:pPrDefault><w:pPr>"
        f'{paragraphs}<w:spacing w:before="0" w:after="0" w:line="240" w:lineRule="auto"/>'
        "</w:pPr></w:pPrDefault></w:docDefaults>"
    )


def _paragraph(identity: str, name: str, base: str, paragraph: str, run: str) -> str:
    following = '<w:next w:val="FirstParagraph"/>' if name.startswith("heading") else ""
    return (
        f'<w:style w:type="paragraph" w:styleId="{identity}"><w:name w:val="{name}"/>'
        f'<w:basedOn w:val="{base}"/>{following}<w:qFormat/>'
        f"<w:pPr>{paragraph}</w:pPr><w:rPr>{run}</w:rPr></w:style>"
    )


def _character(look: frozenset[str]) -> str:
    names = " ".join(_CHARACTERS[one][0] for one in sorted(look))
    properties = "".join(_CHARACTERS[one][1] for one in sorted(look, key="cbiksl".index))
    return (
        f'<w:style w:type="character" w:styleId="{character_style(look)}">'
        f'<w:name w:val="{names}"/><w:qFormat/><w:rPr>{properties}</w:rPr></w:style>'
    )
