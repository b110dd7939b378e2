"""RAGTrust: does weighing documents by their source's trust keep planted ones away from a model?"""
