"""Words that say nothing of what a passage is about, by language.

From the most frequent words of `wordfreq` 3.1.1 for each language, without nouns and full verbs.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

_ENGLISH: Final = (
    "a about above after again all am an and any are as at away back be been before being below "
    "but by can could did do does down each even every few for from had has have he her here "
    "hers him his how i if in into is it its just like me more most my no nor not now of off on "
    "once one only or other our out over own said same she should so some such than that the "
    "their them then there these they this those through to too two under until up upon us very "
    "was we were what when where which while who whom why will with would you your"
)

_OTHERS: Final = (
    # German
    "die der und in das ich ist nicht zu den von mit es ein auf für im sie eine sich auch "
    "dem des als er an dass so bei wie aber aus hat sind nach noch wir du war nur wenn "
    "oder wird was werden einen am man um haben einer zum kann über da dann einem schon "
    "habe ja mehr mir sein vor zur durch hier mich bis doch ihr immer diese wurde wieder "
    "keine alle sehr können uns bin unter vom hatte",
    # French
    "de la le et l à les est en des d un que a pas une du il pour dans je qui c au ce sur "
    "qu par on ne plus avec j n mais se vous s ça tu elle son y ai ou si sont tout nous "
    "comme être ils cette sa aux même me ont t m était été mon ses lui aussi peut deux "
    "leur moi ces quand après suis très tous sans avoir non où va encore alors avait",
    # Spanish
    "de la que el en y a los no un se por es del las con una para lo su al como me más si "
    "pero te o mi le este sus esta todo ya ha cuando yo ser son sin hay está fue tu muy "
    "sobre también todos eso tiene nos porque qué así dos entre puede desde hasta ahora "
    "era esto hace nada ni solo algo uno mucho tan e ese han mismo siempre tengo cada "
    "después están esa estoy va les",
    # Italian
    "di e che il la a in non un per è del l i una le si con della da sono ma al ha come "
    "più dei se nel mi alla anche lo gli delle o questo ho ci su ad dal solo essere io "
    "nella ti cui d era stato quando tutti ed questa c tutto hanno tra prima suo loro "
    "perché due sia sua ai così dalla degli dopo sul alle uno ne poi quello sempre fa me "
    "chi ancora molto senza",
    # Portuguese
    "de a o que e do em da é para não um uma com no se na por os eu como as mais dos mas "
    "foi ao me você ser seu sua tem são das ou à ele muito isso já nos também quando está "
    "meu pelo ela vai só pela sobre bem até mesmo pode te ter tudo ainda aqui minha todos "
    "quem sem agora entre era seus nas assim depois este onde vou estão esse essa eles há "
    "porque tenho nada foram",
    # Dutch
    "de van het een en in is op ik dat voor je te met niet zijn die als er maar om aan "
    "hij ook ze door naar uit bij dan was we wat heeft of over nog deze hebben kan meer "
    "zo al geen mijn wel tot u wordt heb worden nu haar ben kunnen veel me moet hoe na "
    "ons waar werd wil zich zou andere hier dus tegen alleen mij onder had hun weer jij "
    "wij echt eens daar heel toch mee",
    # Polish
    "w i nie na się to z do jest że o jak a ale co tak za od po dla tym czy przez tego są "
    "ma tylko już mi mnie ze może bo ja ten oraz bardzo będzie być jego by sobie ich mam "
    "jeśli też jeszcze był które jako jestem było jej kiedy który nawet teraz go no pod "
    "coś ci tam te więc gdy tej bez żeby jednak lub przy przed więcej chyba nas także tu "
    "on była u tych również ta",
    # Russian
    "в и на не с что я по а как из это за для о к но то у его он от все так же мы до ты "
    "только был если когда было мне меня уже еще бы или их они при будет кто чтобы есть "
    "она во вы может после нет очень были со была также вот ее чем быть где под этом вас "
    "да даже можно того этого том более г ну без нас ни об там которые себя этот который "
    "ли",
)

STOPWORDS: Final = frozenset(_ENGLISH.split())
"""English function words."""

_BY_LANGUAGE: Final = (STOPWORDS, *(frozenset(words.split()) for words in _OTHERS))


def function_words(words: Iterable[str]) -> frozenset[str]:
    """The function words of the language of a text: of the list that covers most of it.

    Args:
        words: Its words in lower case; a text that no list covers gets the English ones.
    """
    count: Mapping[str, int] = Counter(words)
    return max(_BY_LANGUAGE, key=lambda own: sum(count.get(word, 0) for word in own))
