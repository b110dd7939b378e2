"""Mode B: what a payload does once it is in the model's context. No retriever is tested and nothing is planted."""
