"""An agent that is asked questions and is no stage."""

from typing_extensions import override

from libriscribe2.agents.agent_base import Agent
from libriscribe2.agents.agent_context import Unit
from libriscribe2.errors import LibriScribeError


class ConsultedAgent(Agent):
    """Answers what a command asks it (`engine.Engine.consult`); no file of the book is made."""

    writes = ""

    @override
    async def execute(self, unit: Unit) -> str:
        """Refuse: there is no artifact to make.

        Raises:
            LibriScribeError: Always.
        """
        raise LibriScribeError(f"{type(self).__name__} makes no file of the book.")
