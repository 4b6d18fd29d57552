"""The seed's name for `replies.headed`."""

from libriscribe2.replies.headed import make_marker_parser, multi_section_parser, parser_template

__all__ = ["make_marker_parser", "multi_section_parser", "parser_template"]
