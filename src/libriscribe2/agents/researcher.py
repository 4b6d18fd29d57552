"""The research: questions, a planned chain of tools, and notes whose quotes were found again."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from pydantic import BaseModel
from typing_extensions import override

from libriscribe2.agents.agent_base import BOOK_KEYS, Agent, Unit
from libriscribe2.context.notes import notes_block
from libriscribe2.errors import IncompleteError, ProjectError
from libriscribe2.llm.attempt import AttemptConsumer
from libriscribe2.models.citations import facts, ids_in, ids_known, with_known_ids
from libriscribe2.models.excerpts import book_lines, concept_block, premise_block
from libriscribe2.models.notes import (
    MOST_UNSUPPORTED,
    AnsweredQuestion,
    AnswersFile,
    BookAnswers,
    Note,
    NotesFile,
    QuestionAnswers,
    ResearchQuestions,
    UnsupportedWords,
    files_block,
    question_name,
    request_text,
)
from libriscribe2.models.story import ConceptFile, ConceptModel
from libriscribe2.project.paths import (
    CONCEPT,
    RESEARCH_ANSWERS,
    RESEARCH_LIST,
    RESEARCH_NOTES,
    RESEARCH_SOURCES,
    ProjectPaths,
)
from libriscribe2.project.research_files import ResearchFolder, as_text, cited_sources, merged
from libriscribe2.project.texts import utc_now
from libriscribe2.prose import shorten
from libriscribe2.research.quotes import find_in_source

if TYPE_CHECKING:
    from libriscribe2.research.chain_model import ChainModel
    from libriscribe2.research.research_chain import Findings
    from libriscribe2.research.tool import Ask

AnswerT = TypeVar("AnswerT", bound=BaseModel)

MOST_QUESTIONS: Final = 6
QUESTION_BUDGET: Final = 400

_BESIDE: Final = """

<concept>
{concept}
</concept>

Hold this concept of the book beside the notes, too: it was written before anybody had read the \
sources. `concept` lists its statements of fact that the notes contradict or that none of them \
bears out, each in words of the concept, with what the notes say instead. What it plans, asks, \
argues or takes for an example is no such statement."""


class ResearcherAgent(Agent):
    """Finds out what the book has to get right, before it is outlined."""

    name = "research"
    reads = (CONCEPT,)
    brief_keys = ("premise", *BOOK_KEYS)
    writes = RESEARCH_NOTES
    wanted_if = "is_researched"
    shape = NotesFile
    prompts = (
        "research",
        "extract_facts",
        "note_support",
        "planning",
        "tool_loop",
        "micro_resolution",
        "error_analysis",
        "research_answer",
    )
    made_where = f"files in {RESEARCH_SOURCES} or a search engine"
    _model: "ChainModel | None" = None

    @override
    def no_op_reason(self) -> str:
        """There is nothing to look in: no file of the author's, no engine, no address, no server."""
        return self._nothing_to_look_in(self.brief.premise)

    def _nothing_to_look_in(self, said: str) -> str:
        """Why no chain could find anything; "" where one could.

        Args:
            said: What the author said; addresses in it can be fetched.
        """
        means, paths = self.context.research, self.context.research.paths
        on_the_web = means.fetch and (means.search_url or "://" in said)
        if on_the_web or means.servers or (paths and ResearchFolder(paths).own_files()):
            return ""
        return f"no file in {RESEARCH_SOURCES} and no search engine in research.search_url"

    @override
    async def execute(self, unit: Unit) -> NotesFile:
        """Ask what has to be known, look it up, and keep what answers to other questions found.

        Raises:
            IncompleteError: Not one note was taken.
        """
        files = ResearchFolder(self._paths).own_files()
        asked = await self.ask(
            unit,
            ResearchQuestions,
            part="questions",
            limits={"questions": {"minItems": 1, "maxItems": MOST_QUESTIONS}},
            premise=premise_block(self.brief),
            book=book_lines(self.brief),
            concept=concept_block(self.book.load(CONCEPT, ConceptFile).concept),
            sources=files_block(files),
        )
        questions = [shorten(one, QUESTION_BUDGET) for one in asked.questions[:MOST_QUESTIONS]]
        found = await self._run(unit, self.name, request_text(questions, files), self.brief.premise)
        if not found.notes:
            # A plan that led to nothing is not carried out again.
            self.context.anew(unit.step)
            raise self._nothing_found(found)
        others = [one for one in self.notes().notes if not one.step.startswith(f"{self.name}/")]
        whole = merged(NotesFile(notes=list(found.notes)), NotesFile(notes=others))
        self._keep_sources(whole)
        # A story's concept states nothing that a source would say.
        is_story = self.brief.kind == "fiction"
        concept = None if is_story else self.book.load(CONCEPT, ConceptFile).concept
        await self._answers(unit, questions, whole.notes, AnswersFile(), concept)
        self.made_from.remark = told(found)
        return whole

    async def answer(self, question: str) -> "tuple[NotesFile, Findings]":
        """The notes of the project with those that a question of the author's adds.

        What was asked before and is answered is not asked again.

        Raises:
            ProjectError: There is nothing to look in.
            IncompleteError: Steps failed and not one note came of the others.
        """
        if nothing := self._nothing_to_look_in(question):
            raise ProjectError(
                "There are no sources.",
                why=nothing,
                fix=f"Put files into {RESEARCH_SOURCES} of the project, or configure a search "
                "engine.",
            )
        name = question_name(question)
        unit = Unit(f"questions/{name}", None, RESEARCH_NOTES)
        files = ResearchFolder(self._paths).own_files()
        found = await self._run(unit, name, request_text([question], files), question)
        whole = merged(self.notes(), NotesFile(notes=list(found.notes)))
        self._keep_sources(whole)
        others = [one for one in self.book.answers() if one.question != question]
        kept = AnswersFile(answers=others, concept=self.book.unsupported())
        answers = await self._answers(unit, [question], found.notes, kept)
        return whole, replace(found, answers=tuple(answers))

    async def _answers(
        self,
        unit: Unit,
        questions: Sequence[str],
        notes: Sequence[Note],
        kept: AnswersFile,
        concept: ConceptModel | None = None,
    ) -> list[AnsweredQuestion]:
        """What notes say to questions and to the concept, kept beside the answers of others."""
        usable = facts(notes)
        shape = QuestionAnswers if concept is None else BookAnswers
        told = shape(answers=[])
        if usable:
            sources = cited_sources(ResearchFolder(self._paths), NotesFile(notes=usable))
            told = await self.ask(
                unit,
                shape,
                prompt="research_answer",
                part="answers",
                limits={"answers": {"minItems": len(questions), "maxItems": len(questions)}},
                book=book_lines(self.brief),
                questions="\n".join(f"{n}. {one}" for n, one in enumerate(questions, start=1)),
                notes=notes_block(usable, sources.sources)
                + ("" if concept is None else _BESIDE.format(concept=concept_block(concept))),
            )
        answers = answered(questions, told, usable)
        doubted = kept.concept if concept is None else unsupported(told, concept)
        whole = AnswersFile(answers=[*kept.answers, *answers], concept=doubted)
        self.context.research.record(RESEARCH_ANSWERS, as_text(whole))
        return answers

    def notes(self) -> NotesFile:
        """The notes that are there."""
        return NotesFile(notes=self.book.notes())

    @property
    def _paths(self) -> ProjectPaths:
        paths = self.context.research.paths
        if paths is None:
            raise IncompleteError("There is no research folder")
        return paths

    async def _run(self, unit: Unit, name: str, text: str, said: str) -> "Findings":
        """One chain.

        Raises:
            IncompleteError: Steps failed and not one note came of the others.
        """
        # The tools load libraries for files and the web, which nobody else needs.
        from libriscribe2.research.chain_model import ChainModel  # noqa: PLC0415
        from libriscribe2.research.research_chain import ChainRequest, ResearchChain  # noqa: PLC0415

        model = ChainModel(
            self.context.client,
            unit.step,
            stage=self.name,
            anew=self.context.anew,
        )
        self._model = model
        ask_for = self._asking(unit)
        today = utc_now().date().isoformat()
        chain = ResearchChain(self.context.research, self._paths, self.book, model, ask_for, today)
        is_planned = name != self.name
        request: ChainRequest = ChainRequest(name, text, said, unit.step, is_planned)
        found = await chain.run(request)
        self._model = None
        for attempt in model.attempts:
            self.made_from.add(attempt)
        if found.failures and not found.notes:
            raise self._nothing_found(found)
        return replace(found, notes=tuple(await self._judged(unit, found.notes)))

    async def _judged(self, unit: Unit, notes: Sequence[Note]) -> list[Note]:
        """The notes with what code, and then a reader, says of their claims; one call a source."""
        sources = dict.fromkeys(note.source for note in notes if note.is_fact)
        asked = [
            self._judged_of(unit, source, [n for n in notes if n.source == source and n.is_fact])
            for source in sources
        ]
        judged = {note.id: note for some in await asyncio.gather(*asked) for note in some}
        return [judged.get(note.id, note) for note in notes]

    async def _judged_of(self, unit: Unit, source: str, notes: list[Note]) -> list[Note]:
        from libriscribe2.research import support  # noqa: PLC0415 - as the chain

        document = ResearchFolder(self._paths).load(source)
        if document is None:
            return notes
        checked = support.refused_by_code(document, notes)
        left = [note for note in checked if note.is_fact]
        for start in range(0, len(left), support.MOST_JUDGED):
            some = left[start : start + support.MOST_JUDGED]
            answer = await self.ask(
                unit,
                support.ClaimVerdicts,
                prompt="note_support",
                part=f"support/{source}" + (f"-{start}" if start else ""),
                limits={"verdicts": {"minItems": len(some), "maxItems": len(some)}},
                source=support.source_line(document.source),
                passages=support.passages_block(document, some),
                claims=support.claims_block(some),
                count=str(len(some)),
            )
            checked += support.with_verdicts(some, answer.verdicts)
        return checked

    def _nothing_found(self, found: "Findings") -> IncompleteError:
        why = next(iter(found.failures), "the sources were read, and no fact of them was saved")
        return IncompleteError(
            "Research found nothing.",
            why=why,
            fix=f"Look with `libriscribe2 research show {self._paths.called} --run` and fix "
            "what failed; or continue without research: `research = false` in book.toml.",
        )

    def _asking(self, unit: Unit) -> "Callable[[str], Ask]":
        """How the tool of a step asks the model of this stage."""

        def of_step(step: str) -> "Ask":
            async def ask(model: type[AnswerT], prompt: str, **values: str) -> AnswerT:
                part = f"{step}/{prompt}"
                return await self.ask(unit, model, prompt=prompt, part=part, limits=None, **values)

            return ask

        return of_step

    @override
    def _consumer(self) -> AttemptConsumer:
        """While a chain runs, it counts what its tools ask, in the order of all its questions."""
        return self.made_from if self._model is None else self._model

    def _keep_sources(self, notes: NotesFile) -> None:
        sources = cited_sources(ResearchFolder(self._paths), notes)
        self.context.research.record(RESEARCH_LIST, as_text(sources))


def answered(
    questions: Sequence[str], told: QuestionAnswers, notes: Sequence[Note]
) -> list[AnsweredQuestion]:
    """The questions with what a model says of them, as far as it names notes that there are."""
    known = {note.id for note in notes}
    said = {one.question: one for one in reversed(told.answers)}
    found = list[AnsweredQuestion]()
    for number, question in enumerate(questions, start=1):
        one = said.get(number)
        if one is None or one.verdict == "not":
            found.append(AnsweredQuestion(question=question))
            continue
        text = with_known_ids(one.answer.strip(), known)
        ids = [*map(partial(ids_known, ids=known), one.notes), *ids_in(text)]
        own = [note for note in dict.fromkeys(ids) if note in known]
        verdict = one.verdict if own else "not"
        found.append(AnsweredQuestion(question=question, verdict=verdict, answer=text, notes=own))
    return found


def unsupported(told: QuestionAnswers, concept: ConceptModel) -> list[UnsupportedWords]:
    """The words that stand in a concept among those of which a model doubts that notes say so."""
    found = told.concept if isinstance(told, BookAnswers) else []
    text = f"{concept.logline}\n\n{concept.description}"
    return [one for one in found[:MOST_UNSUPPORTED] if find_in_source(one.words, text)]


def told(found: "Findings") -> str:
    """What came of a chain, in one line."""
    verified = sum(note.is_fact for note in found.notes)
    parts = [f"{verified} notes verified"]
    if unverified := len(found.notes) - verified:
        parts.append(f"{unverified} not")
    if failures := len(found.failures):
        parts.append(f"{failures} step{'s' if failures > 1 else ''} failed")
    parts.extend(found.unusable)
    return ", ".join(parts)
