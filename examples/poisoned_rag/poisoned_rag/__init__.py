"""The poisoned-RAG lab: does a model do what a retrieved document asks, and what does hardening the context buy?"""
