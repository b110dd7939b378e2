"""Texts → vectors: the bundled default, and wrappers around what an application already has."""
