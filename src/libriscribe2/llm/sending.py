"""One request on its way: the stop flag and the budget before it, the call log on both sides."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from libriscribe2.llm.backend import BackendError, CallLog, Completion, Request
from libriscribe2.llm.budget import Hold
from libriscribe2.llm.session import CallSession
from libriscribe2.telemetry import CONTENT_FILTERING_DETECTED

logger = logging.getLogger(__name__)


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

    def keep(self, completion: Completion) -> Completion:
        """Note the reply before anyone reads it.

        Raises:
            BackendError: The provider withheld it; nothing is kept as done.
        """
        usd = self.hold.answered(completion)
        self.noted = True
        if completion.finish_reason == "content_filter":
            self.log.failed(self.key, kind="filtered", status=None, usd=usd)
            logger.warning("%s: finish_reason content_filter", CONTENT_FILTERING_DETECTED)
            raise BackendError("filtered", "finish_reason content_filter")
        self.log.done(self.key, completion.as_record())
        return completion


@asynccontextmanager
async def sending(request: Request, log: CallLog, session: CallSession) -> AsyncIterator[Sending]:
    """Let a request leave, with a note before and one after.

    The block receives the reply and hands it to `keep`; a failure in it is noted here.

    Raises:
        RunStoppedError: The run is being stopped.
        BudgetError: A cap does not allow the request.
        StorageError: The note cannot be written; the request must not leave.
        BackendError: The block's own failure.
    """
    session.check()
    async with session.budget.hold(request) as hold:
        session.check()  # the wait for the budget may have been long
        key = request.key()
        log.sent(key, step=request.step, model=request.model, est_usd=hold.usd)
        hold.leave()
        call = Sending(hold.request, key, hold, log)
        try:
            yield call
        except BackendError as error:
            if not call.noted:
                log.failed(key, kind=error.kind, status=error.status, usd=hold.failed(error))
            raise
