"""What several tests share: corpora, an embedder, stores that misbehave, and an independent look into Chroma."""
