"""Isolation of tenants: what one tenant is served of another's, and whether the store's search or something behind it decides."""
