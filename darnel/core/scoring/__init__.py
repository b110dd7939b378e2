"""From what came back to outcomes, rates and verdicts."""
