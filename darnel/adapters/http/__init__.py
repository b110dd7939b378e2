"""Applications behind a URL: the question goes in a JSON body or in the URL, the answer and the sources come in JSON."""

from darnel.adapters.http.open import open_http

__all__ = ["open_http"]
