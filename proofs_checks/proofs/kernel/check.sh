#!/bin/sh
# Needs coqc and coqchk, with Coquelicot: apt-get install coq libcoq-coquelicot
set -eu
cd "$(dirname "$0")"
for file in $(cat _CoqProject); do
  case $file in *.v) echo "coqc $file"; coqc -q -Q . Costproof "$file" ;; esac
done
coqc -q -Q . Costproof Theorems.v | tee printed.txt
echo "coqchk"
coqchk -silent -o -Q . Costproof Costproof.Theorems > checked.txt 2>&1 || { cat checked.txt; exit 1; }
if ! grep -q '^CONTEXT SUMMARY' checked.txt || sed -n '/^CONTEXT SUMMARY/,$p' checked.txt \
  | sed -e 's/^\* Axioms://' -e 's/^ *//' -e 's/ *$//' \
  | grep -v -x -e '' -e '=*' -e 'CONTEXT SUMMARY' -e '\* Theory: Set is predicative' -e '\* .*: <none>' -e '<none>' \
  | grep -v -x -F -f axioms.txt
then echo "these are no axioms of Coq's real numbers, or coqchk did not check them"; exit 1; fi
echo "Coq accepts the theorems. They rest on no axiom but those of axioms.txt. Read printed.txt: what they say."
