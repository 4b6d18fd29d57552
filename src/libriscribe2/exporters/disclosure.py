"""What tells readers and shops that models had a part in a book, in the language of the book."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from libriscribe2.exporters.export_book import ExportBook
from libriscribe2.exporters.export_checks import harmless
from libriscribe2.llm.providers import MANUAL_MODEL
from libriscribe2.project.journal import read_journal
from libriscribe2.project.project_view import ProjectView
from libriscribe2.project.records import Record

_DEMO: Final = frozenset({"demo", "offline"})
"""The names of the stand-in author."""

_HOLE: Final = "{}"
PAINTED: Final = "cover"
"""The stage that paints."""

_PAINTED_FILE: Final = "images/cover-"
_MOST_MODELS: Final = 4


@dataclass(frozen=True, slots=True)
class ModelShare:
    """What one model did in one stage.

    Attributes:
        stage: The stage, such as `chapters`.
        model: The model as LiteLLM spells it.
        replies: How many replies it gave.
        first: Day of the first one, such as `2026-11-22`.
        last: Day of the last one.
    """

    stage: str
    model: str
    replies: int
    first: str
    last: str


@dataclass(frozen=True, slots=True)
class _Words:
    """The sentences in one language; `{}` stands for a title or a name.

    The last three make what the imprint says.
    """

    heading: str
    made: str
    replies: str
    nothing: str
    columns: tuple[str, str, str, str]
    to: str
    stand_in: str
    painted: str
    by_hand: str
    unsourced: str
    by_a_person: str
    written_by: str
    chat: str
    cover_by: str


_WORDS: Final = {
    "en": _Words(
        heading="AI disclosure",
        made="The text of “{}” was made with LibriScribe2 by the models below.",
        replies="A reply is one answer of a model; the days are those of the first and the last one.",
        nothing="The journal of “{}” has no replies of a model.",
        columns=("stage", "model", "replies", "days"),
        to="to",
        stand_in="`{}` is a stand-in author, not a language model.",
        painted="The stage {} is a picture that was painted for the cover.",
        by_hand="`{}` stands for a chat window, into which a person pasted each request, and whose "
        "replies that person pasted back.",
        unsourced="It states facts and rests on no source: nothing in it was looked up, and what a "
        "model says from memory may be wrong.",
        by_a_person="Written or edited by a person after that:",
        written_by="Written with LibriScribe2 by",
        chat="a language model in a chat window",
        cover_by="Cover picture:",
    ),
    "de": _Words(
        heading="Hinweis auf KI",
        made="Der Text von „{}“ wurde mit LibriScribe2 von den unten genannten Modellen verfasst.",
        replies="Eine Antwort ist eine einzelne Antwort eines Modells; die Tage sind die der "
        "ersten und der letzten.",
        nothing="Das Journal von „{}“ enthält keine Antworten eines Modells.",
        columns=("Schritt", "Modell", "Antworten", "Tage"),
        to="bis",
        stand_in="`{}` ist ein Platzhalter für einen Autor, kein Sprachmodell.",
        painted="Der Schritt {} ist ein Bild, das für den Umschlag gemalt wurde.",
        by_hand="`{}` steht für ein Chatfenster, in das ein Mensch jede Anfrage eingefügt und aus "
        "dem er jede Antwort zurückkopiert hat.",
        unsourced="Das Buch nennt Tatsachen und stützt sich auf keine Quelle: Nichts darin wurde "
        "nachgeschlagen, und was ein Modell aus dem Gedächtnis sagt, kann falsch sein.",
        by_a_person="Danach von einem Menschen geschrieben oder bearbeitet:",
        written_by="Geschrieben mit LibriScribe2 von",
        chat="einem Sprachmodell in einem Chatfenster",
        cover_by="Umschlagbild:",
    ),
    "fr": _Words(
        heading="Mention de l’IA",
        made="Le texte de « {} » a été rédigé avec LibriScribe2 par les modèles ci-dessous.",
        replies="Une réponse est une seule réponse d’un modèle ; les jours sont ceux de la "
        "première et de la dernière.",
        nothing="Le journal de « {} » ne contient aucune réponse d’un modèle.",
        columns=("étape", "modèle", "réponses", "jours"),
        to="au",
        stand_in="`{}` est un auteur factice, et non un modèle de langage.",
        painted="L’étape {} est une image peinte pour la couverture.",
        by_hand="`{}` désigne une fenêtre de discussion dans laquelle une personne a collé chaque "
        "demande et dont elle a recopié chaque réponse.",
        unsourced="L’ouvrage affirme des faits et ne s’appuie sur aucune source : rien n’y a été "
        "vérifié, et ce qu’un modèle dit de mémoire peut être faux.",
        by_a_person="Écrit ou modifié ensuite par une personne :",
        written_by="Écrit avec LibriScribe2 par",
        chat="un modèle de langage dans une fenêtre de discussion",
        cover_by="Image de couverture :",
    ),
    "es": _Words(
        heading="Aviso sobre el uso de IA",
        made="El texto de «{}» se ha escrito con LibriScribe2 mediante los modelos siguientes.",
        replies="Una respuesta es una sola contestación de un modelo; los días son los de la "
        "primera y la última.",
        nothing="El diario de «{}» no contiene respuestas de ningún modelo.",
        columns=("etapa", "modelo", "respuestas", "días"),
        to="a",
        stand_in="`{}` es un autor de muestra, no un modelo de lenguaje.",
        painted="La etapa {} es una imagen pintada para la cubierta.",
        by_hand="`{}` designa una ventana de chat en la que una persona pegó cada petición y de la "
        "que copió cada respuesta.",
        unsourced="El libro afirma hechos y no se apoya en ninguna fuente: nada se ha comprobado, "
        "y lo que un modelo dice de memoria puede ser falso.",
        by_a_person="Escrito o modificado después por una persona:",
        written_by="Escrito con LibriScribe2 por",
        chat="un modelo de lenguaje en una ventana de chat",
        cover_by="Imagen de cubierta:",
    ),
    "it": _Words(
        heading="Nota sull’uso dell’IA",
        made="Il testo di «{}» è stato scritto con LibriScribe2 dai modelli elencati sotto.",
        replies="Una risposta è una singola risposta di un modello; i giorni sono quelli della "
        "prima e dell’ultima.",
        nothing="Il registro di «{}» non contiene risposte di un modello.",
        columns=("fase", "modello", "risposte", "giorni"),
        to="a",
        stand_in="`{}` è un autore fittizio, non un modello linguistico.",
        painted="La fase {} è un’immagine dipinta per la copertina.",
        by_hand="`{}` indica una finestra di chat in cui una persona ha incollato ogni richiesta e "
        "da cui ha ricopiato ogni risposta.",
        unsourced="Il libro afferma fatti e non si basa su alcuna fonte: nulla è stato verificato, "
        "e ciò che un modello dice a memoria può essere sbagliato.",
        by_a_person="Scritto o modificato in seguito da una persona:",
        written_by="Scritto con LibriScribe2 da",
        chat="un modello linguistico in una finestra di chat",
        cover_by="Immagine di copertina:",
    ),
    "pt": _Words(
        heading="Nota sobre o uso de IA",
        made="O texto de «{}» foi escrito com o LibriScribe2 pelos modelos abaixo.",
        replies="Uma resposta é uma única resposta de um modelo; os dias são os da primeira e da "
        "última.",
        nothing="O diário de «{}» não contém respostas de um modelo.",
        columns=("etapa", "modelo", "respostas", "dias"),
        to="a",
        stand_in="`{}` é um autor fictício, não um modelo de linguagem.",
        painted="A etapa {} é uma imagem pintada para a capa.",
        by_hand="`{}` designa uma janela de conversa na qual uma pessoa colou cada pedido e da "
        "qual copiou cada resposta.",
        unsourced="O livro afirma factos e não se apoia em nenhuma fonte: nada foi verificado, e o "
        "que um modelo diz de memória pode estar errado.",
        by_a_person="Escrito ou alterado depois por uma pessoa:",
        written_by="Escrito com LibriScribe2 por",
        chat="um modelo de linguagem numa janela de conversa",
        cover_by="Imagem da capa:",
    ),
    "nl": _Words(
        heading="Vermelding van AI",
        made="De tekst van „{}” is met LibriScribe2 geschreven door de onderstaande modellen.",
        replies="Een antwoord is één antwoord van een model; de dagen zijn die van het eerste en "
        "het laatste.",
        nothing="Het journaal van „{}” bevat geen antwoorden van een model.",
        columns=("stap", "model", "antwoorden", "dagen"),
        to="tot",
        stand_in="`{}` is een plaatsvervangende auteur, geen taalmodel.",
        painted="De stap {} is een beeld dat voor het omslag is geschilderd.",
        by_hand="`{}` staat voor een chatvenster waarin iemand elk verzoek heeft geplakt en "
        "waaruit die persoon elk antwoord heeft gekopieerd.",
        unsourced="Het boek noemt feiten en steunt op geen enkele bron: er is niets in opgezocht, "
        "en wat een model uit het geheugen zegt, kan onjuist zijn.",
        by_a_person="Daarna door een mens geschreven of bewerkt:",
        written_by="Geschreven met LibriScribe2 door",
        chat="een taalmodel in een chatvenster",
        cover_by="Omslagbeeld:",
    ),
    "pl": _Words(
        heading="Informacja o użyciu AI",
        made="Tekst książki „{}” powstał w programie LibriScribe2 przy użyciu poniższych modeli.",
        replies="Odpowiedź to jedna odpowiedź modelu; dni to dzień pierwszej i ostatniej z nich.",
        nothing="Dziennik książki „{}” nie zawiera odpowiedzi żadnego modelu.",
        columns=("etap", "model", "odpowiedzi", "dni"),
        to="do",
        stand_in="`{}` to autor zastępczy, a nie model językowy.",
        painted="Etap {} to obraz namalowany na okładkę.",
        by_hand="`{}` oznacza okno czatu, do którego człowiek wklejał każde zapytanie i z którego "
        "kopiował każdą odpowiedź.",
        unsourced="Książka podaje fakty i nie opiera się na żadnym źródle: niczego w niej nie "
        "sprawdzono, a to, co model mówi z pamięci, może być błędne.",
        by_a_person="Napisane lub zmienione później przez człowieka:",
        written_by="Napisane w programie LibriScribe2 przez",
        chat="model językowy w oknie czatu",
        cover_by="Obraz na okładce:",
    ),
}


def shares(records: Iterable[Record]) -> list[ModelShare]:
    """Who answered what, in the order in which the stages began."""
    steps: dict[str, str] = {}
    found: dict[tuple[str, str], ModelShare] = {}
    for record in records:
        if record.get("t") == "sent":
            steps[record["k"]] = record["step"]
        elif record.get("t") == "done" and record["k"] in steps:
            stage = steps[record["k"]].partition("/")[0]
            model, day = str(record["completion"].get("model")), str(record.get("at"))[:10]
            before = found.get((stage, model), ModelShare(stage, model, 0, day, day))
            count = before.replies + 1
            found[stage, model] = ModelShare(stage, model, count, before.first, day)
    return list(found.values())


def written_by(records: Sequence[Record], cover: str, language: str) -> str:
    """What the imprint says of the models that had a part in the book and in its cover.

    Args:
        records: The journal.
        cover: The author's picture for the cover, or "".
        language: The code of the book's language; where `_WORDS` lacks it, names stand alone.
    """
    words = _WORDS.get(language)
    told = shares(records)
    chat = (words or _WORDS["en"]).chat
    writers = (one.model for one in told if one.stage != PAINTED)
    models = [*dict.fromkeys(chat if one == MANUAL_MODEL else one for one in writers)]
    painters = {one.model for one in told if one.stage == PAINTED and _PAINTED_FILE in cover}
    named = ", ".join(models[:_MOST_MODELS]) + (" …" if len(models) > _MOST_MODELS else "")
    written = f"{words.written_by if words else 'LibriScribe2:'} {named}." if models else ""
    painted = f"{words.cover_by if words else 'Cover:'} {', '.join(sorted(painters))}."
    return harmless(" ".join(filter(None, (written, painted if painters else ""))))


def disclosure(view: ProjectView, book: ExportBook) -> str:
    """The text of `AI-DISCLOSURE.md`: stages, models and days from the journal.

    It is in the language of the book where `_WORDS` has it, else in English. Stages keep the names
    under which commands know them.

    Raises:
        StorageError: The journal or a chapter cannot be read.
    """
    words = _WORDS.get(book.language.code, _WORDS["en"])
    told = shares(read_journal(view.paths.journal).records)
    made = f"{words.made} {words.replies}" if told else words.nothing
    paragraphs = [f"# {words.heading}", made.replace(_HOLE, book.title), *_table(words, told)]
    models = {one.model for one in told}
    paragraphs += [words.stand_in.replace(_HOLE, name) for name in sorted(models & _DEMO)]
    painted = any(one.stage == PAINTED for one in told)
    paragraphs += [words.painted.replace(_HOLE, PAINTED)] if painted else []
    paragraphs += [words.by_hand.replace(_HOLE, MANUAL_MODEL)] if MANUAL_MODEL in models else []
    paragraphs += [words.unsourced] if book.unsourced else []
    own = [part.name for part in book.parts if not _is_ours(view, part.name)]
    if own:
        listed = "\n".join(f"- `{name}`" for name in own)
        paragraphs.append(f"{words.by_a_person}\n\n{listed}")
    return "\n\n".join(paragraphs) + "\n"


def _is_ours(view: ProjectView, name: str) -> bool:
    """Whether the file is just as the program wrote it."""
    sha = view.sha(name)
    return sha is not None and view.manifest.is_ours(name, sha)


def _table(words: _Words, told: Sequence[ModelShare]) -> list[str]:
    """Stages and models as a Markdown table; none without a reply."""
    rows = [
        f"| {one.stage} | {_cell(one.model)} | {one.replies} | {_days(words, one)} |"
        for one in told
    ]
    head = [f"| {' | '.join(words.columns)} |", "|---|---|---|---|"]
    return ["\n".join((*head, *rows))] if rows else []


def _cell(text: str) -> str:
    return "`" + text.replace("|", "/").replace("`", "'") + "`"


def _days(words: _Words, share: ModelShare) -> str:
    return share.first if share.first == share.last else f"{share.first} {words.to} {share.last}"
