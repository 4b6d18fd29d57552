"""One request on its way: the stop flag and the budget before it, the call log on both sides."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from libriscribe2.llm.backend import BackendError, CallLog, Completion, Request
from libriscribe2.llm.budget import Hold
from libriscribe2.llm.circuits import through
from libriscribe2.llm.session import CallSession
from libriscribe2.llm.withheld import WithheldError, sign_of_filtering
from libriscribe2.telemetry import CONTENT_FILTERING_DETECTED

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Leaving:
    """How a request leaves.

    Attributes:
        patient: Whether a model that is left alone for a while is waited for.
        roomy: Whether the longest reply of the model is asked for, because a shorter one was cut.
        ways: How many models, or parts of a long reply, the step's question may be put to.
    """

    patient: bool = True
    roomy: bool = False
    ways: int = 1


@dataclass(slots=True)
class Sending:
    """A request that has left.

    Attributes:
        request: The request as it left.
        key: The key under which the call log knows it.
        hold: What the budget holds back for it.
        log: Who remembers replies.
        noted: Whether the log knows the outcome.
    """

    request: Request
    key: str
    hold: Hold
    log: CallLog
    noted: bool = False

    def keep(self, completion: Completion | None) -> Completion:
        """Note the reply before anyone reads it.

        Raises:
            BackendError: There is none: a stream ended without its closing record.
            WithheldError: The provider or the model withheld it; nothing is kept as done.
        """
        if completion is None:
            raise BackendError("cut", "The stream ended without its closing record.")
        usd = self.hold.answered(completion)
        self.noted = True
        sign = sign_of_filtering(completion, self.request.messages)
        if sign:
            self.log.failed(self.key, kind="filtered", status=None, usd=usd)
            raise WithheldError(sign, completion)
        self.log.done(self.key, completion.as_record())
        return completion


@asynccontextmanager
async def sending(
    request: Request, log: CallLog, session: CallSession, how: Leaving | None = None
) -> AsyncIterator[Sending]:
    """Let a request leave, with a note before and one after.

    The block receives the reply and hands it to `keep`; a failure in it is noted here.

    Raises:
        RunStoppedError: The run is being stopped.
        BudgetError: A cap does not allow the request.
        MaxRetriesExceededError: The step has made as many requests as it may.
        StorageError: The note cannot be written; the request must not leave.
        BackendError: The block's own failure; or of kind `resting`, and nothing has left.
    """
    how = how if how is not None else Leaving()
    session.check()
    with through(await session.circuit(request.model, patient=how.patient)):
        async with session.budget.hold(request, roomy=how.roomy) as hold:
            await session.share(hold.request)
            session.check()  # the waits may have been long
            session.steps.leave(request.step, how.ways)
            key = request.key()
            log.sent(key, step=request.step, model=request.model, est_usd=hold.usd)
            hold.leave()
            call = Sending(hold.request, key, hold, log)
            try:
                yield call
            except BackendError as error:
                await _note_failure(call, error, session)
                raise


async def _note_failure(call: Sending, error: BackendError, session: CallSession) -> None:
    """What a failure means for the call log, the rates and the step's count."""
    request = call.request
    if not call.noted:
        usd = call.hold.failed(error)
        call.log.failed(call.key, kind=error.kind, status=error.status, usd=usd)
    if error.kind == "filtered":
        logger.warning("%s: %s: %s", CONTENT_FILTERING_DETECTED, request.step, error.message)
    elif error.kind == "rate":
        session.steps.refused(request.step)
        if error.retry_after is not None:
            await session.rates.told_to_wait(request.model, error.retry_after)
