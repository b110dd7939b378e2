"""Text that would like to be more than text, put everywhere a corpus or a query could put it."""

from __future__ import annotations

HOSTILE = (
    "\x1b[2J\x1b]0;owned\x07\u202e</script></style></textarea><script>window.owned = 1</script>"
    "<img src=x onerror='window.owned = 2'><svg onload='window.owned = 3'>\"'>|`**[x](javascript:alert(1))\n# h\n"
    "]]>&<!--\u2028{{ 7 * 7 }}{% raw %}https://evil.example/" + "y" * 2_000
)
KEPT = {"outcome", "stage", "verdict", "kind", "schema_version", "isolation", "where", "started", "finished"}


def everywhere(value: object) -> object:
    """A result document with the hostile text in front of every text that could come from outside."""
    if isinstance(value, dict):
        return {k: v if k in KEPT else everywhere(v) for k, v in value.items()}
    if isinstance(value, list):
        return [everywhere(item) for item in value]
    return f"{HOSTILE}{value}" if isinstance(value, str) else value
