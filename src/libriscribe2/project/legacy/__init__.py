"""Projects of the original LibriScribe2, read into the files and the brief of this one.

The original kept its state in `project_data.json` and its chapters in `chapter_N.md`. Nothing of it
is changed or deleted: converted files stand beside the old ones, and where both have the same
name the old content is copied to the trash first.
"""

from libriscribe2.project.legacy.conversion import convert, is_legacy
from libriscribe2.project.legacy.converted_view import ConvertedView
from libriscribe2.project.legacy.reading import LegacyProject, read_legacy

__all__ = ["ConvertedView", "LegacyProject", "convert", "is_legacy", "read_legacy"]
