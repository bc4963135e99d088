"""Views: what each command prints of its result, one module per command, and the HTML report. They compute nothing."""
