"""A solver in a process: reads scripts as JSON strings, one a line, and writes their outputs the same way."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable

#: The key under which a process says why its solver cannot be started.
CANNOT_START = "cannot start"


def _z3() -> Callable[[str], str]:
    import z3

    def answer(text: str) -> str:
        # The text itself is evaluated, as the command-line program does; every error is in the output.
        context = z3.Context()
        return str(z3.Z3_eval_smtlib2_string(context.ref(), text))

    return answer


def _cvc5() -> Callable[[str], str]:
    import cvc5

    def answer(text: str) -> str:
        solver = cvc5.Solver(cvc5.TermManager())
        if "(forall" in text or "(exists" in text:
            # Without it linear goals with quantifiers stay unknown.
            solver.setOption("enum-inst", "true")
        parser = cvc5.InputParser(solver)
        parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "lemma")
        output = []
        try:
            while not (command := parser.nextCommand()).isNull():
                output.append(str(command.invoke(solver, parser.getSymbolManager())))
        except RuntimeError as error:
            output.append(f'(error "{error}")')
        return "".join(output)

    return answer


def main(solver: str) -> None:
    """Answer until the input ends; a solver that cannot be started says why, in a table instead of a text."""
    try:
        answer = {"z3": _z3, "cvc5": _cvc5}[solver]()
    except Exception as error:  # noqa: BLE001 - a broken installation may raise anything
        sys.stdout.write(json.dumps({CANNOT_START: f"{type(error).__name__}: {error}"}) + "\n")
        return
    for line in sys.stdin:
        try:
            output = answer(json.loads(line))
        except Exception as error:  # noqa: BLE001 - whatever a solver raises is its answer
            output = f'(error "{error}")'
        sys.stdout.write(json.dumps(output) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
