"""The seed's name for `replies.sections`."""

from libriscribe2.replies.sections import multi_section_parser

__all__ = ["multi_section_parser"]
