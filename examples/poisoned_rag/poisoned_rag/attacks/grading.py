"""A grade that the answer gives itself."""

from __future__ import annotations

from darnel.patterns.payloads.grading import grading
from poisoned_rag.attacks.base import family

ATTACKS = family("whether a document can pass itself through a check of answers", grading)
