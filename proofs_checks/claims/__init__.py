"""The claims of the paper, and the one engine that compares them with traces.

- `model`: what a claim is (`claim`), what it compares (`relation`, `trace_check`), where (`conditions`), and on what
  (`case`: a trace or a part of one, with every quantity that claims name)
- `cases`: traces made for claims: constructed markets and instances, runs of a setting
- `statements`: the claims themselves, one module for each family
- `registry`: every claim by its label
- `labels`: which labels are variants of which, without the claims that have them
- `evaluation`: claims on a trace in parts; `verify` and `audit` both use it
- `implications`: which claims no trace can refute while it spares others
- `witness`: violations produced again from data
- `band_exit`: how probable it is that a mean leaves its confidence band, for a setting

Imports run downwards in this order: `model`, `cases`, `statements`, `registry`, the others.
"""
