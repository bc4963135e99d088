"""The paper's statements about runs, sums and probability, proved in Coq: the sources, and how they are checked."""
