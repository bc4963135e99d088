"""Broken mechanisms, each with the checks that must catch it, and correct ones in other styles: see `gallery`."""
