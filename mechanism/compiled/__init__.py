"""Episodes as machine code, equal to `mechanism.episode` to the last bit.

`layout` says in tuples of arrays what a run reads and writes, `kernel` is the code that reads and writes them, and
`episode` fills the arrays from objects and calls the kernel. `episode` imports `kernel`, which imports `layout`. `keys`
draws what is random about each of many runs. `lane` is the same run as one of thousands on a GPU plays it, and `gpu`,
which needs an extra, has a GPU do so.
"""
