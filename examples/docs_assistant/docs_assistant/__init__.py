"""An assistant over documentation with tenants, and the measurement of what its controls buy."""
