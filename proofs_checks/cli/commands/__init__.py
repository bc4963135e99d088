"""The commands: each adds its parser cheaply and imports what it needs when it runs."""
