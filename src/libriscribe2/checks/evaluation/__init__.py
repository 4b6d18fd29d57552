"""Which of two passages is the better one, as far as a model can be trusted to say so."""
