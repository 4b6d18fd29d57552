"""Blocks of a prompt from what its caller wants to have shown."""

from collections.abc import Mapping

from libriscribe2.prose import weigh


def shown_blocks(shown: Mapping[str, str], budget: int) -> str:
    """What is to be shown, each under its name, as `<name>` blocks.

    Args:
        shown: Text by the block's name, the most important first. A text that is a block
            already is taken as it is; an empty one is left out.
        budget: Most that all blocks take (`utils.text_budget`); one that does not fit is left out.
    """
    kept: list[str] = []
    for name, text in shown.items():
        body = text.strip()
        block = body if body.startswith(f"<{name}>") else f"<{name}>\n{body}\n</{name}>"
        weight = weigh(block) + 2
        if body and weight <= budget:
            kept.append(block)
            budget -= weight
    return "\n\n".join(kept)
