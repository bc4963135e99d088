"""The commands: each module adds its options cheaply, and imports what it needs when it runs.

SUMMARY and DESCRIPTION are what the helps say, `add_options` adds what the command takes, and `run` does the work and
returns the exit code. The `dest` of every option is the parameter's name in Python, so that errors can name the option.
"""
