"""Gates: what code finds wrong with a chapter, and figures by which two versions compare."""
