"""Results → what people read: terminal, Markdown."""
