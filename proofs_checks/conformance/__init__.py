"""The conformance suite: properties that a mechanism of anybody's must have, checked from outside."""
