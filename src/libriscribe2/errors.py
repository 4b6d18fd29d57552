"""The error tree: every branch says who can mend the fault and owns an exit code.

    LibriScribeError            1  our bug, when raised bare
    ├── UsageError              2  the command line as typed
    ├── ConfigError             3  a configuration file or variable
    ├── ProjectError            3  a file of the project
    │   └── NewerVersionError         written by a newer version
    ├── ModelError              4  model name
    │   └── KeyMissingError           no key, or a wrong one
    ├── IncompleteError         5  the book could not be finished this time
    │   ├── MaxRetriesExceededError   every attempt's reply was refused
    │   └── ContentFilteredError      the provider filtered the reply
    ├── StorageError            6  files or disk
    ├── ProviderError           7  network or provider
    ├── BudgetError             8  a cap was reached
    └── ProjectInUseError       9  another process holds the project

An interrupt (130) is not an error of this tree: the command line maps it itself.
"""

from typing import ClassVar, Final

from typing_extensions import override

EXIT_INTERRUPTED: Final = 130
"""Exit code of a run that was interrupted and can be resumed."""


class LibriScribeError(Exception):
    """A failure that is told to the user in three lines.

    Attributes:
        what: What happened, one sentence.
        why: Why it happened, or "".
        fix: The next command or edit that mends it, or "".
        exit_code: The process exit code of this branch.
        slug: A stable machine-readable name, used by `--json` output.
    """

    exit_code: ClassVar[int] = 1
    slug: ClassVar[str] = "bug"

    def __init__(self, what: str, why: str = "", fix: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.why = why
        self.fix = fix

    def as_record(self) -> dict[str, str]:
        """The error as a flat JSON object."""
        return {"error": self.slug, "message": self.what, "why": self.why, "fix": self.fix}


class UsageError(LibriScribeError):
    """A command line that cannot be carried out as typed."""

    exit_code = 2
    slug = "usage"


class ConfigError(LibriScribeError):
    """A configuration file or environment variable that is wrong."""

    exit_code = 3
    slug = "config"


class ProjectError(LibriScribeError):
    """A project folder, or a file of it or made from it, that cannot be used as it is."""

    exit_code = 3
    slug = "project"


class NewerVersionError(ProjectError):
    """Something that a newer version of this program wrote; this one cannot read it."""

    slug = "version"


class ModelError(LibriScribeError):
    """A missing key, or a model that nobody serves."""

    exit_code = 4
    slug = "model"


class KeyMissingError(ModelError):
    """No key of a provider, or one that it refuses."""

    @override
    def as_record(self) -> dict[str, str]:
        """The error as a flat JSON object, which says that it is about a key."""
        return {**super().as_record(), "lacks": "key"}


class IncompleteError(LibriScribeError):
    """The book is not finished; what was done is kept and `resume` goes on."""

    exit_code = 5
    slug = "incomplete"


class MaxRetriesExceededError(IncompleteError):
    """No attempt of a think-with-retry conversation produced a usable reply.

    Attributes:
        attempts: How many requests were made.
        last_feedback: The parser's last feedback to the model.
        last_reply: The model's last reply, unchanged.
    """

    slug = "max_retries"

    def __init__(self, attempts: int, last_feedback: str, last_reply: str) -> None:
        super().__init__(f"Max retries ({attempts}) exceeded", why=last_feedback)
        self.attempts = attempts
        self.last_feedback = last_feedback
        self.last_reply = last_reply


class ContentFilteredError(IncompleteError):
    """The provider filtered a reply for reasons of content."""

    slug = "content_filtered"


class StorageError(LibriScribeError):
    """A file or disk operation that failed."""

    exit_code = 6
    slug = "storage"


class ProviderError(LibriScribeError):
    """The network or the provider failed after every allowed retry."""

    exit_code = 7
    slug = "provider"


class BudgetError(LibriScribeError):
    """A cap that the user set was reached; raising it resumes."""

    exit_code = 8
    slug = "budget"


class ProjectInUseError(LibriScribeError):
    """Another process is working on the project."""

    exit_code = 9
    slug = "in_use"
