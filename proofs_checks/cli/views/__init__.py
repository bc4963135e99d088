"""Views of the JSON: the terminal and HTML. They compute nothing."""
