"""Pure checks of texts and plans: figures, repetition, edges, names. No file, no model."""
