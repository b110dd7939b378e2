from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from darnel.core.text import content_terms, content_words, sentences, stop_words, storable, unstorable, words


def test_words_and_content() -> None:
    assert words("The KEY's by_the door, 2x!") == ["the", "key", "s", "by_the", "door", "2x"]
    assert content_words("where is the key and the key") == ["key", "key"]
    assert content_terms("where is the key and the key") == ["key"]
    assert content_terms("who is it") == ["who", "is", "it"]
    assert content_terms("?!") == ["?!"]
    assert {"the", "who"} <= stop_words()


def test_sentences() -> None:
    assert sentences("One. Two!  Three?\n\nFour 4.5 five") == ["One.", "Two!", "Three?", "Four 4.5 five"]
    assert sentences("いち。に！さん") == ["いち。", "に！", "さん"]
    assert sentences(" \n ") == []


@given(st.text())
def test_what_is_made_storable_is_storable_and_else_untouched(text: str) -> None:
    made = storable(text)
    assert unstorable(made) is None
    assert len(made) == len(text)
    assert made == text or unstorable(text) is not None


def test_what_is_unstorable_is_named() -> None:
    assert unstorable("a\0b") == "a NUL character"
    assert unstorable("a\udc80b") == "a lone surrogate"
    assert storable("a\0b\ud800") == "a b?"
