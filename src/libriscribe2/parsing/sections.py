"""The seed's name for `replies.sections`."""

from libriscribe2.replies.sections import make_marker_parser, multi_section_parser, parser_template

__all__ = ["make_marker_parser", "multi_section_parser", "parser_template"]
