"""Words of the domain: titles, names and sentences in several languages, free of any quote marks.

Everything here is safe inside any kind of quotes: no quotes, apostrophes, backslashes, braces,
brackets or colons. Trickier text stands in `tricky.py`.
"""

from typing import Final

TITLES: Final = (
    "The Salt Road",
    "A Lantern for Marrow Street",
    "The Cartographer of Tides",
    "Winter Orchard",
    "Glass Meridian",
    "The Last Ferry North",
    "Beneath the Copper Sky",
    "Seven Doors of Ash",
    "Le phare des brumes",
    "Die Uhr ohne Zeiger",
    "El jardín de las horas",
    "La notte dei sale",
    "O farol e a maré",
    "Соль и пепел",
    "雾中的灯塔",
    "霧の灯台",
    "منارة الضباب",
    "कोहरे का दीपक",
    "Sis Feneri",
    "Ο φάρος της ομίχλης",
    "안개의 등대",
    "Zegar z popiołu",
    "Ærø om vinteren",
)

NAMES: Final = (
    "Mara Voss",
    "Tobias Reyn",
    "Ilse Karn",
    "Édouard Lefèvre",
    "Jürgen Groß",
    "Sofía Ibáñez",
    "Анна Петрова",
    "李明月",
    "さくら",
    "ليلى حداد",
    "Ngozi Okafor",
    "Søren Holm",
    "Zoë Álvarez",
    "Keeper Anselm",
    "Dr. Ruth Adeyemi",
    "김서연",
    "Żaneta Wójcik",
    "Old Pell",
)

ROLES: Final = ("protagonist", "antagonist", "mentor", "rival", "narrator", "foil", "ally")

PLACES: Final = (
    "Marrow Street",
    "the drowned chapel",
    "Kiln Harbour",
    "Bahnhof Nord",
    "la maison sans nom",
    "旧港口",
    "Старый порт",
    "the observatory on Gull Rock",
)

WORDS: Final = (
    "lighthouse",
    "grief",
    "slow burn",
    "mystery",
    "found family",
    "smuggling",
    "fog",
    "memory",
    "gothic",
    "coming of age",
    "sea",
    "betrayal",
    "clockwork",
    "magic realism",
    "phare",
    "Nebel",
    "niebla",
    "maré",
    "маяк",
    "灯塔",
    "潮",
    "ضباب",
    "deniz",
    "θάλασσα",
    "바다",
    "naïve hero",
)

SENTENCES: Final = (
    "A keeper finds a letter that she wrote as a child, dated tomorrow.",
    "Two sisters inherit a clock shop where every hour belongs to someone else.",
    "The tide brings back what the town has drowned, one thing each night.",
    "A mapmaker is paid to erase an island, and then meets the people who live there.",
    "When the ferry stops running, the harbour learns how far away the mainland really is.",
    "She counts 41 steps to the lamp room, and on the last night there are 42.",
    "Nobody in Kiln Harbour remembers the winter of 1987, except the dog.",
    "He burns the ledger, keeps the key, and walks north before dawn.",
    "Une gardienne de phare découvre que la brume garde les voix des disparus.",
    "Ein Uhrmacher baut eine Uhr, die nur die verlorenen Stunden zählt.",
    "Una cartógrafa vuelve al pueblo que ella misma borró del mapa.",
    "Una bambina vende il sale del mare in cambio di ricordi.",
    "A maré devolve, noite após noite, o que a vila quis esquecer.",
    "Смотрительница маяка находит письмо, написанное её собственной рукой.",
    "守塔人在雾中听见了死去的哥哥的声音，决定出海寻找他。",
    "灯台守の娘は、霧の夜にだけ届く手紙を待っている。",
    "حارسة المنارة تجد رسالة كتبتها بنفسها قبل أن تولد.",
    "कोहरे में खोई एक बस्ती हर रात एक नया रास्ता बनाती है।",
    "Sis her gece kasabadan bir ismi alıp götürür.",
    "등대지기의 딸은 안개 속에서 오빠의 목소리를 듣는다.",
    "Η φύλακας του φάρου γράφει κάθε νύχτα το ίδιο γράμμα.",
    "The storm ends; the silence after it is worse, and longer.",
    "A quiet, patient story about debt - who owes it, who pays it, and who forgives it 🌊",
    "Ferryman Pell trades stories for passage and never tells the same one twice 🕯️.",
)

KINDS: Final = ("continuity", "pacing", "dialogue", "tone", "style")

GOALS: Final = (
    "reach the lamp room before the tide turns",
    "hide the letter from her sister",
    "convince the council to reopen the ferry",
    "learn who paid for the missing map",
    "steal the harbour ledger",
    "keep the child awake until morning",
)
