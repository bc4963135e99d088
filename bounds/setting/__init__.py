"""A setting: `model` validates and freezes it, `file` reads and writes it as TOML, `formula_inputs` feeds formulas."""
