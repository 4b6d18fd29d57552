"""Hostile text: what steers a terminal, what a browser would run, names that lead elsewhere."""

import random
from typing import Final

MARKED: Final = "evil"
"""Stands in every hostile text for a terminal, so that a test can see that it was shown."""

_OPENINGS: Final = (
    *("\x1b]52;c;cm0gLXJm\x07", "\x1b]8;;http://evil.example\x1b\\", "\x1b]0;owned\x07", "\x1b[2J"),
    *("\x1b[8m", "\x1b[31;5m", "\x1bP+q544e\x1b\\", "\x1b[6n", "\x1bc", "\x1b(0", "\x1b[?1049h"),
    *("\x9b2J", "\x9d52;c;aGk=\x9c", "\x90q", "\x85", "\x80", "\x9f", "\x00", "\x07", "\x08\x08"),
    *("\x0b", "\x0c", "\r\x1b[K", "\x7f", "\u202e", "\u202a", "\u2066", "\u2069", "\u200f"),
    *("\u061c", "\ud83d", "[red]", "[/x]", "[link=http://evil.example]", ":warning:", "[bold"),
)


def evil_strings(count: int, rng: random.Random) -> list[str]:
    """Different one-line texts that steer a terminal wherever they get to one uncleaned."""
    found: dict[str, None] = {}
    while len(found) < count:
        parts = rng.choices(_OPENINGS, k=rng.randint(1, 3))
        found[f"{parts[0]}{MARKED}{len(found)}{''.join(parts[1:])} x"] = None
    return list(found)


STEERING: Final = frozenset(
    chr(code)
    for code in (
        *(one for one in range(0x20) if chr(one) not in "\t\n"),
        *range(0x7F, 0xA0),
        *(0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)),
    )
)
"""The characters that may reach no terminal: C0 but `\\t` and `\\n`, DEL, C1, bidi controls."""


def steering_in(text: str) -> str:
    """The characters of a text that steer a terminal, with what stands around the first."""
    at = next((at for at, one in enumerate(text) if one in STEERING), None)
    return "" if at is None else repr(text[max(0, at - 60) : at + 60])


SCRIPTS: Final = (
    "<script>alert(1)</script>",
    "<ScRiPt src=//evil.example/x.js></sCrIpT>",
    "<script\n>alert(1)</script\n>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<img src=x onerror=alert(1)>",
    "<img src=x onerror\n=\nalert(1)//",
    '<img src="http://evil.example/a.png">',
    "<img src='//evil.example/a.png' srcset='http://evil.example/b.png 2x'>",
    "<svg onload=alert(1)>",
    "<svg/onload=alert(1)//",
    "<svg><script>alert(1)</script></svg>",
    "<svg><animate onbegin=alert(1) attributeName=x dur=1s>",
    "<svg><a xlink:href='javascript:alert(1)'><text y=20>x</text></a></svg>",
    "<svg><foreignObject><iframe src=javascript:alert(1)>",
    "<svg><use href='http://evil.example/a.svg#x'/></svg>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "<math href='javascript:alert(1)'>x</math>",
    "<iframe src='javascript:alert(1)'></iframe>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<object data='http://evil.example/a.swf'></object>",
    "<embed src='javascript:alert(1)'>",
    "<video src='http://evil.example/a.mp4' onloadstart=alert(1)></video>",
    "<video><source onerror=alert(1)></video>",
    "<audio src=x onerror=alert(1)>",
    "<body onload=alert(1)>",
    "<body background='http://evil.example/a.png'>",
    "<input autofocus onfocus=alert(1)>",
    "<select autofocus onfocus=alert(1)>",
    "<textarea autofocus onfocus=alert(1)>",
    "<details open ontoggle=alert(1)>x</details>",
    "<marquee onstart=alert(1)>x</marquee>",
    "<a href='javascript:alert(1)'>x</a>",
    "<a href='jAvAsCrIpT&colon;alert(1)'>x</a>",
    "<a href='java\tscript:alert(1)'>x</a>",
    "<a href='&#106;&#97;vascript:alert(1)'>x</a>",
    "<a href=x onclick=alert(1)>x</a>",
    "<a href='data:text/html;base64,PHNjcmlwdD4='>x</a>",
    "<form action='http://evil.example'><button formaction='javascript:alert(1)'>x</button></form>",
    "<style>@import 'http://evil.example/a.css'</style>",
    "<style>*{background:url(http://evil.example)}</style>",
    "<link rel=stylesheet href='http://evil.example/a.css'>",
    "<meta http-equiv=refresh content='0;url=http://evil.example'>",
    "<base href='http://evil.example/'>",
    "<p style='background:url(http://evil.example)'>x</p>",
    "<div id=x tabindex=1 onfocus=alert(1)>x</div>",
    "<template><script>alert(1)</script></template>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<!--<img src=x onerror=alert(1)>-->",
    "<!--><script>alert(1)</script>-->",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<?xml-stylesheet href='http://evil.example/a.xsl'?>",
    '"><script>alert(1)</script>',
    "' onmouseover='alert(1)' x='",
    "</title><script>alert(1)</script>",
    "</textarea></style></script><script>alert(1)</script>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt&#58;alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    "[x](vbscript:msgbox(1))",
    "<javascript:alert(1)>",
    "![x](http://evil.example/a.png)",
    "![x](javascript:alert(1))",
    '![x"onerror="alert(1)](x.png)',
    "[x][evil]\n\n[evil]: javascript:alert(1) 't'",
    "`<script>alert(1)</script>`{=html}",
    "```{=html}\n<script>alert(1)</script>\n```",
    "::: {onclick=alert(1)}\nx\n:::",
    "[x]{onclick=alert(1)}",
    "\x00<scr\x00ipt>alert(1)</script>",
    "+ADw-script+AD4-alert(1)+ADw-/script+AD4-",
)
"""What a browser would run or fetch, as HTML and as Markdown."""

TITLES: Final = (
    *("../../etc/passwd", "/etc/passwd", "..", ".", "~", "~root", "a/../../b", "C:\\Windows\\x"),
    *("CON", "nul.txt", "com1", "LPT9", "aux", "PRN.", "-rf", "--help", "-", "$(id)", "`id`"),
    *("", " ", "...", "a" * 300, "\u202egpj.exe", "\u2215etc", "\uff0e\uff0e\uff0fetc", "x\x00y"),
    *("file:///etc/passwd", "\\\\server\\share", "a:b", "a\nb", "\U0001f30a", "\u706f\u53f0"),
    *("e\u0301", "\u00e9", "Stra\u00dfe", "STRASSE", "book", "Book", ".libriscribe", ".git/config"),
    *("%2e%2e%2f", "a|b", "a*b?", '"', "<x>", "trailing. ", "\ud800", "{0.__class__}", "${HOME}"),
)
"""Titles that would lead a file astray if they ever became a path."""

ADDRESSES: Final = (
    *("127.0.0.1", "0.0.0.0", "10.1.2.3", "172.16.0.1"),
    *("192.168.1.1", "100.64.0.1", "169.254.169.254", "198.18.0.1"),
    *("224.0.0.1", "240.0.0.1", "255.255.255.255", "::1"),
    *("::", "::ffff:127.0.0.1", "::ffff:a9fe:a9fe", "64:ff9b::7f00:1"),
    *("64:ff9b:1::1", "2002:7f00:1::", "2002:a9fe:a9fe::", "fe80::1"),
    *("fe80::1%eth0", "fc00::1", "fec0::1", "2001:db8::1"),
    *("ff02::1", "2001:0:4136:e378:8000:63bf:80ff:fffe"),
)
"""Addresses that are not public."""

PUBLIC: Final = ("8.8.8.8", "1.1.1.1", "2606:4700:4700::1111", "2a00:1450:4001::1")

LOOPBACKS: Final = (
    *("127.0.0.1", "2130706433", "0x7f.1", "127.1", "0", "0177.0.0.1", "localhost", "127.0.0.1."),
    *("[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]"),
    "\u2460\u2461\u2466.\u24ea.\u24ea.\u2460",
)
"""Spellings of this very machine."""
