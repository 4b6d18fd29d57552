"""What two chapters state, as what the one states that they become."""

from pydantic import ValidationError

from libriscribe2.models.canon import CanonFile
from libriscribe2.project.json_text import readable_json
from libriscribe2.toolchain.quoted_lines import line_of_quote


def joined_canon(first: str, second: str, text: str) -> str | None:
    """The canon of a merged chapter; None where one of the two cannot be read.

    Args:
        first: The canon of the first chapter as its file has it.
        second: That of the second.
        text: The merged chapter, which says on which lines the facts stand now.
    """
    try:
        one, other = (CanonFile.model_validate_json(said) for said in (first, second))
    except ValidationError:
        return None
    facts = [
        fact.model_copy(update={"line": line_of_quote(fact.quote, text) or fact.line})
        for fact in (*one.facts, *other.facts)
    ]
    whole = CanonFile(
        facts=facts,
        events=[*one.events, *other.events],
        threads=[*one.threads, *other.threads],
        exit=other.exit,
        dropped=one.dropped + other.dropped,
    )
    return readable_json(whole.model_dump(mode="json"))
