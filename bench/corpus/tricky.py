"""Strings that break naive readers: quotes, fences, braces, code, globs, things that look damaged."""

from typing import Final

FENCES: Final = (
    "Start with ```json {} ``` and stop there.",
    "Example:\n```python\nprint({'a': 1})\n```\nThen go on.",
    'Write a ```json {"title": "x"} ``` block',
    '````\n```json\n{"inner": true}\n```\n````',
    "The reply was ``` and nothing else.",
    "~~~\n{not: json}\n~~~",
)

BRACES: Final = (
    "A } B",
    "open brace { in text",
    'a ]}, "b": [ c',
    "{name} enters, then {name} leaves",
    "{{title}} is a Jinja hole in the manual",
    "}{",
    "[1] and [2] are footnotes",
    "He drew \\{ here",
    '{"title": "not this one", "logline": "x", "description": "y"}',
)

CODE: Final = (
    "for (let i = 0; i < n; i++) { out.push(`${i}`); }",
    "def f(x):\n    return {\"a\": [x, 'b'], }  # trailing\n",
    "SELECT * FROM t; SELECT * FROM u",
    '<script>var a = {"k": 1};</script>',
    'printf("%s\\n", "it\'s");',
    "if (a && b || !c) { /* nothing */ } // end",
    "regex: ^\\d+(\\.\\d+)?$ and C:\\Users\\new\\table",
    "\\frac{a}{b} \\alpha \\beta",
)

GLOBS: Final = (
    "src/**/*.py and docs/**/*.md",
    "path/*/glob",
    "*.txt and *.md",
    "2 * 3 * 7",
    "x**2 + y**2",
    "5 * 3",
    "SELECT * FROM t; SELECT * FROM u",
    "cron: */5 * * * *",
    "M*A*S*H",
    "rated 4* or 5* hotels",
    "footnote* and another*",
    "2**3**4",
    "a*b and c*d",
    "**/*.md",
    "* item one\n* item two",
    "__init__ and _private_",
)

LOOKALIKES: Final = (
    "<think>she is lying</think> he thought",
    "wait... what? ... no",
    "100 * 3 is not sung here",
    "// not a comment",
    "/* nor this */ http://example.org/a#b",
    "# 3 on the list",
    "None of them is True, and NaN is bread",
    "a, b, c, d,",
    "trailing comma,",
    ", leading comma",
    "key: value",
    '"quoted": "pair"',
    "&quot;kept&quot; &amp; &lt;b&gt;",
    "undefined behaviour",
    "\\u0041 stays as typed",
    "</answer>",
    "<|im_end|>",
    "[INST] no [/INST]",
    "“curly” and ‘thin’",
    "«guillemets» „low“",
    "全角：，｛｝",
    "Tom's \"it's\" and 'that's'",
    "1_000, +1, .5, 0x1F",
    'She said: "..."',
    "I'm sorry, but I can't help you",
    "As an AI, he knew",
    "line one\nline two\r\nline three\ttabbed",
    "zero\u200bwidth and \ufeffmark",
    "nul \u0000 and \u001f",
    "👩‍👩‍👧 🇮🇪 𝔘𝔫𝔦",
    "null",
    "true",
    "42",
)

DIALOGUE: Final = (
    'She said "Go home," and closed the door.',
    'He asks "Why now?" but nobody answers.',
    'The sign read "No ferry today" in three languages.',
    'They call him "the clock" behind his back.',
    'A voice whispers "not yet" and then "soon" from the stairwell.',
    'Elle murmure "reviens" et la brume se lève.',
    'Er sagte "Nein!" und ging.',
    'Она шепчет "не сегодня" и гасит лампу.',
    '她说 "回家吧" 然后关上了门。',
    'Her brother, known as "Red" to the crew, never wrote back.',
    '"Stay" was the only word on the card, and "please" on the back.',
)

DIALOGUE_EDGE: Final = (
    '"Stop!" she cried.',
    '"Wait for the tide," said Pell.',
    'The last page says "Begin again."',
    'On the door hangs "The Salt Road"',
    '"No," he said, "not here."',
    '"Реки помнят" шепчет она',
    'Am Ende steht "Vergiss mich"',
)

DIALOGUE_KEYLIKE: Final = (
    'The note said "Truth": nothing more.',
    'He wrote "Debt": three letters too many, he thought.',
    'On the map stood "North": a lie.',
    'Chapter one, called "Fog": a warning, opens at night.',
)

ARRAY_QUOTES: Final = (
    'the "Red" door',
    '"lost" hours',
    'a clock called "Anna"',
    'the so-called "ferry" plot',
    'le "phare" noir',
    'der "letzte" Zug',
    'a "slow" burn',
)

APOSTROPHES: Final = (
    "The captain's last voyage",
    "Don't look back",
    "It's the sailors' song, isn't it?",
    "O'Brien's daughter won't sail",
    "L'île n'existe pas",
    "She'd rather not say whose it's been",
    "Mara's lamp isn't lit; Tobias's is",
    "rock 'n' roll nights in Kiln Harbour",
    "the '90s were kinder",
    "L'amica dell'orologiaio",
)

MULTILINE: Final = (
    "First line of the verse\nSecond line of the verse",
    "A paragraph.\n\nAnother paragraph.",
    "- one\n- two\n- three",
    "Dear Mara,\nthe ferry is late.\nYours, Pell",
    "霧の夜\n手紙が届く",
    "He stops.\n  Indented, he goes on.",
)

ESCAPED: Final = (
    'She said "Go home," and left.\nThen: silence.',
    'tab\there, "quoted", back\\slash',
    "C:\\Books\\draft.md",
    'été "à la mer" / nuit',
    'emoji 🌊 and 𝔘 and "✓"',
    'a "b", "c": d',
    "line\r\nbreak and \u2028 separator",
)
