"""The language of a book: its tag, its direction, the fonts that have its letters."""

import re
from dataclasses import dataclass
from typing import Final

UNKNOWN: Final = "und"
"""The tag of a language that nobody can tell (BCP 47)."""

_NAMES: Final = (
    *("af afrikaans", "am amharic አማርኛ", "ar arabic العربية", "az azerbaijani"),
    *("be belarusian беларуская", "bg bulgarian български", "bn bengali bangla বাংলা"),
    *("bs bosnian bosanski", "ca catalan català", "cs czech čeština český"),
    *("cy welsh cymraeg", "da danish dansk", "de german deutsch", "el greek ελληνικά"),
    *("en english", "eo esperanto", "es spanish español castellano", "et estonian eesti"),
    *("eu basque euskara", "fa persian farsi فارسی", "fi finnish suomi", "fr french français"),
    *("ga irish gaeilge", "gl galician galego", "gu gujarati ગુજરાતી", "he hebrew עברית"),
    *("hi hindi हिन्दी", "hr croatian hrvatski", "hu hungarian magyar", "hy armenian հայերեն"),
    *("id indonesian indonesia", "is icelandic íslenska", "it italian italiano"),
    *("ja japanese 日本語", "ka georgian ქართული", "kk kazakh қазақ", "km khmer"),
    *("kn kannada ಕನ್ನಡ", "ko korean 한국어", "la latin latina", "lt lithuanian lietuvių"),
    *("lv latvian latviešu", "mk macedonian македонски", "ml malayalam മലയാളം"),
    *("mr marathi मराठी", "ms malay melayu", "my burmese", "nb norwegian norsk bokmål"),
    *("ne nepali नेपाली", "nl dutch nederlands", "nn nynorsk", "pa punjabi ਪੰਜਾਬੀ"),
    *("pl polish polski", "ps pashto پښتو", "pt portuguese português", "ro romanian română"),
    *("ru russian русский", "si sinhala", "sk slovak slovenčina", "sl slovenian slovenščina"),
    *("sq albanian shqip", "sr serbian српски srpski", "sv swedish svenska", "sw swahili"),
    *("ta tamil தமிழ்", "te telugu తెలుగు", "th thai ไทย", "tl tagalog filipino"),
    *("tr turkish türkçe", "uk ukrainian українська", "ur urdu اردو", "uz uzbek"),
    *("vi vietnamese tiếng", "yi yiddish ייִדיש", "zh chinese mandarin 中文 汉语 漢語"),
)
_TAGS: Final = {word: entry.split()[0] for entry in _NAMES for word in entry.split()[1:]}
_VARIANTS: Final = (
    ("en-US", "american"),
    ("en-GB", "british"),
    ("pt-BR", "brazil"),
    ("pt-PT", "european portuguese"),
    ("es-MX", "mexic"),
    ("es-419", "latin"),
    ("fr-CA", "canadian french"),
    ("zh-Hant", "traditional"),
    ("zh-Hant", "cantonese"),
    ("zh-Hant", "繁"),
    ("zh-Hans", "simplified"),
    ("zh-Hans", "简"),
)
_TAG: Final = re.compile(r"([a-z]{2,3})(-[a-z]{4})?(-(?:[a-z]{2}|[0-9]{3}))?", re.IGNORECASE)
_WORD: Final = re.compile(r"[^\s(),/;]+")

_ALSO_A_QUALITY: Final = frozenset({"la", "nb"})
"""Languages whose name may stand beside that of another: Latin American Spanish."""

_RIGHT_TO_LEFT: Final = frozenset(
    {"ar", "ckb", "dv", "fa", "he", "ps", "sd", "syr", "ug", "ur", "yi"}
)
_CHINESE_BY_REGION: Final = {"tw": "hant", "hk": "hant", "mo": "hant"}
_CONTENTS: Final = {
    "ar": "المحتويات",
    "bg": "Съдържание",
    "cs": "Obsah",
    "da": "Indhold",
    "de": "Inhalt",
    "el": "Περιεχόμενα",
    "en": "Contents",
    "es": "Índice",
    "fa": "فهرست",
    "fi": "Sisällys",
    "fr": "Table des matières",
    "he": "תוכן העניינים",
    "hi": "विषय-सूची",
    "hu": "Tartalom",
    "id": "Daftar isi",
    "it": "Indice",
    "ja": "目次",
    "ko": "차례",
    "nb": "Innhold",
    "nl": "Inhoud",
    "pl": "Spis treści",
    "pt": "Índice",
    "ro": "Cuprins",
    "ru": "Содержание",
    "sv": "Innehåll",
    "th": "สารบัญ",
    "tr": "İçindekiler",
    "uk": "Зміст",
    "ur": "فہرست",
    "vi": "Mục lục",
    "zh-hans": "目录",
    "zh-hant": "目錄",
}
_INDIC_FONTS: Final = {
    "hi": "Devanagari",
    "mr": "Devanagari",
    "ne": "Devanagari",
    "bn": "Bengali",
    "gu": "Gujarati",
    "kn": "Kannada",
    "ml": "Malayalam",
    "pa": "Gurmukhi",
    "si": "Sinhala",
    "ta": "Tamil",
    "te": "Telugu",
    "th": "Thai",
    "km": "Khmer",
    "my": "Myanmar",
    "am": "Ethiopic",
    "hy": "Armenian",
    "ka": "Georgian",
}
_ARABIC_FONTS: Final = ("Noto Naskh Arabic", "Amiri", "Geeza Pro", "Traditional Arabic", "Arial")
_FONTS: Final = {
    "ar": _ARABIC_FONTS,
    "fa": _ARABIC_FONTS,
    "ckb": _ARABIC_FONTS,
    "ps": _ARABIC_FONTS,
    "sd": _ARABIC_FONTS,
    "ug": _ARABIC_FONTS,
    "ur": ("Noto Nastaliq Urdu", *_ARABIC_FONTS),
    "he": ("Noto Serif Hebrew", "Frank Ruehl CLM", "New Peninim MT", "David"),
    "yi": ("Noto Serif Hebrew", "Frank Ruehl CLM", "New Peninim MT", "David"),
    "ja": ("Noto Serif CJK JP", "Source Han Serif", "Hiragino Mincho ProN", "Yu Mincho"),
    "ko": ("Noto Serif CJK KR", "Source Han Serif K", "AppleMyungjo", "Batang"),
    "zh-hans": ("Noto Serif CJK SC", "Source Han Serif SC", "Songti SC", "SimSun"),
    "zh-hant": ("Noto Serif CJK TC", "Source Han Serif TC", "Songti TC", "PMingLiU"),
}


@dataclass(frozen=True, slots=True)
class Language:
    """What an export has to know of the language of a book.

    Attributes:
        tag: Its BCP 47 tag, such as `pt-BR`; `und` where the name says nothing.
    """

    tag: str

    @property
    def code(self) -> str:
        """The language alone, such as `pt`."""
        return self.tag.partition("-")[0].lower()

    @property
    def region(self) -> str:
        """The region, such as `BR`; "" where the tag has none."""
        last = self.tag.rpartition("-")[2]
        return last.upper() if "-" in self.tag and len(last) == 2 else ""

    @property
    def right_to_left(self) -> bool:
        """Whether lines run from right to left."""
        return self.code in _RIGHT_TO_LEFT

    @property
    def ideographic(self) -> bool:
        """Whether it is written in Chinese characters, kana or Hangul."""
        return self.code in ("zh", "ja", "ko")

    @property
    def indent(self) -> float:
        """How far the first line of a paragraph is indented, in widths of a letter."""
        return {"zh": 2, "ja": 1, "ko": 1}.get(self.code, 1.3)

    @property
    def contents(self) -> str:
        """The heading of a table of contents."""
        return _CONTENTS.get(self.script, "Contents")

    @property
    def fonts(self) -> tuple[str, ...]:
        """Families that have its letters, best first; none where Typst's own serif has them."""
        if self.code in _INDIC_FONTS:
            return (f"Noto Serif {_INDIC_FONTS[self.code]}", "Kohinoor", "Nirmala UI")
        return _FONTS.get(self.script, ())

    @property
    def script(self) -> str:
        """The code, for Chinese with the script that it is written in."""
        if self.code != "zh":
            return self.code
        tag = self.tag.lower()
        script = "hant" if "hant" in tag else _CHINESE_BY_REGION.get(self.region.lower(), "hans")
        return f"zh-{script}"


def language_of(said: str) -> Language:
    """The language that an author means by `said`: a name in English or its own, or a tag."""
    text = said.strip().lower().replace("_", "-")
    if (tag := _TAG.fullmatch(text)) and text not in _TAGS:
        return Language(_written(tag))
    named = [_TAGS[word] for word in _WORD.findall(text) if word in _TAGS]
    named.sort(key=_ALSO_A_QUALITY.__contains__)
    found = next(iter(named), _by_part(text))
    variant = next((tag for tag, part in _VARIANTS if part in text and tag[:2] == found), found)
    return Language(variant)


def is_english(said: str) -> bool:
    """Whether an author means English, of whatever country."""
    return language_of(said).code == "en"


def _by_part(text: str) -> str:
    """The tag of a name that stands inside a word, as names without spaces do."""
    foreign = (tag for name, tag in _TAGS.items() if not name.isascii() and name in text)
    return next(foreign, UNKNOWN)


def _written(tag: re.Match[str]) -> str:
    """A tag in its usual spelling: `zh-Hant-TW`."""
    code, script, region = tag[1], tag[2] or "", tag[3] or ""
    return code.lower() + script.title() + region.upper()
