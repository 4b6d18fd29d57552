"""The screens of the desk: each a module with its routes (`SCREEN`), found by itself."""
