"""Which bank of phrases a field of a structured reply is filled from."""

BANK_OF = {
    "logline": "logline",
    "promises": "promise",
    "ending": "book_ending",
    "tagline": "logline",
    "overview": "overview",
    "history": "overview",
    "rules": "rule",
    "laws": "rule",
    "themes": "theme",
    "theme": "theme",
    "keywords": "keyword",
    "primary_keywords": "keyword",
    "secondary_keywords": "keyword",
    "tags": "keyword",
    "genre_keywords": "keyword_genre",
    "mood": "keyword_genre",
    "title": "book_title",
    "titles": "book_title",
    "alternatives": "book_title",
    "weaknesses": "critique",
    "suggestions": "critique",
    "issues": "critique",
    "critique": "critique",
    "feedback": "critique",
    "strengths": "strength",
}
"""Banks of the book itself and of lists of plain texts, by property."""

PERSON_BANK_OF = {
    "age": "age",
    "appearance": "appearance",
    "physical_description": "appearance",
    "description": "personality",
    "personality": "personality",
    "personality_traits": "personality",
    "traits": "personality",
    "voice": "personality",
    "background": "background",
    "backstory": "background",
    "motivation": "motivation",
    "motivations": "motivation",
    "goal": "motivation",
    "goals": "motivation",
    "want": "motivation",
    "conflict": "conflict",
    "flaw": "conflict",
    "fear": "conflict",
    "internal_conflicts": "conflict",
    "external_conflicts": "conflict",
    "relationships": "relationships",
    "arc": "arc",
    "character_arc": "arc",
}
"""Banks of a character, by property."""

THING_BANK_OF = {
    ("place", "name"): "place",
    ("place", "description"): "place_description",
    ("term", "name"): "term",
    ("term", "term"): "term",
    ("term", "description"): "term_description",
    ("term", "definition"): "term_description",
}
"""Banks of places and terms, by what they are and by property."""


PHRASES = frozenset({"theme", "keyword", "keyword_genre", "role", "role_more"})
"""Banks whose entries are no sentences and begin small."""
