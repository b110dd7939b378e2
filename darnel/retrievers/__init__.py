"""Other ways to ask one corpus: retrievers to compare with the store's own, and defences around any of them."""
