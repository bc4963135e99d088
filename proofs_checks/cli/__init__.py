"""The command line `costproof`.

program        the process: from its first import to its end a signal is one line and an exit code
signals        what a signal does at which moment
main           parses, runs a command, and turns every failure into one line and an exit code
commands/      one module per command: its options, and what it calls
views/         one module per command: what it prints where `--json` is not given, from the result that Python gets
arguments      options that several commands share, and how their values are read
schema         the JSON Schema of what each command prints with `--json`, derived from its type
output         what is said on stdout and stderr, and files written beside that, whole or not at all
text_console   the console of everything that rich prints: hidden characters as escapes
progress       the bar on a terminal
compilation    the simulator, compiled before work is shared out, with a note if that takes a while

Imports run from program to main, from there to commands, from these to views, and from all of them to the modules
below. A command imports what it needs when it runs, so that `costproof --help` loads nothing heavy.
"""
