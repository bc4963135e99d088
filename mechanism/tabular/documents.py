"""JSON documents that hold records: an array of objects, or an object with such an array, read record by record."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from io import BufferedIOBase
from typing import Any

from bounds.errors import MISSING, InputError, printable
from mechanism.files import reason
from mechanism.tabular.files import TableFile, located, unpacking_errors

#: Keys of an object, beside its records, that are too many.
MOST_FIELDS = 10_000
_CHUNK = 1 << 16
_SPACE = re.compile(r"[ \t\n\r]*")
_FIRST = re.compile(r"\[[ \t\n\r]*([^ \t\n\r])")
_REMEDY = "was the file truncated?"


class JsonDocument:
    """A JSON document whose records are read one by one, so that its size does not matter.

    Parameters
    ----------
    file : binary file
    source : TableFile
        What errors call it.
    longest : int
        Characters of one record, or of another value, that are too many.
    keys : tuple of str or None, optional
        Where the records may stand if the document is an object; None takes the first list of objects.
    decoder : json.JSONDecoder, optional

    Attributes
    ----------
    fields : dict
        What the object holds beside its records, as far as it has been read; empty of an array.
    key : str
        Where the records that were read stand in the object.

    Raises
    ------
    InputError
        While the records are read: all that is wrong, with the file and the number of the record, from 1.

    Examples
    --------
    >>> from io import BytesIO
    >>> source = TableFile(location="a.json", name="a.json")
    >>> document = JsonDocument(BytesIO(b'{"model": "m", "records": [{"score": 1}, {"score": 0}]}'), source, 1000)
    >>> list(document.records()), document.fields
    ([(1, {'score': 1}), (2, {'score': 0})], {'model': 'm'})
    """

    def __init__(
        self,
        file: BufferedIOBase,
        source: TableFile,
        longest: int,
        keys: tuple[str, ...] | None = ("records",),
        decoder: json.JSONDecoder | None = None,
    ) -> None:
        self._file, self._source, self._longest, self._keys = file, source, longest, keys
        self._decoder = decoder or json.JSONDecoder()
        self._decode = codecs.getincrementaldecoder("utf-8-sig")().decode
        self._text, self._at, self._ended, self._number = "", 0, False, 0
        self.fields: dict[str, Any] = {}
        self.key = ""

    def records(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Return the records one by one, each with its number."""
        opening = self._next()
        if opening == "[":
            yield from self._array()
        elif opening == "{":
            yield from self._object()
        else:
            raise self._error(opening, "must be an array of records, or an object", "is it JSON?")
        if self._next():
            raise self._error(self._text[self._at : self._at + 40], "follows the end of the document", _REMEDY)

    def _object(self) -> Iterator[tuple[int, dict[str, Any]]]:
        for _ in self._members("}"):
            name = self._value()
            if not isinstance(name, str) or self._next() != ":":
                raise self._error(name, "must be a key and a colon", _REMEDY)
            self._at += 1
            if name in self.fields:
                raise self._error(MISSING, f"has the key {printable(name, 60)!r} twice", "keep one of the two")
            if self._next() == "[" and (self._begins_objects() if self._keys is None else name in self._keys):
                self.key = name
                yield from self._array()
            else:
                self.fields[name] = self._value()
            if len(self.fields) > MOST_FIELDS:
                raise self._error(MISSING, f"has more than {MOST_FIELDS:,} keys", "is it a table of records?")

    def _array(self) -> Iterator[tuple[int, dict[str, Any]]]:
        for _ in self._members("]"):
            self._number += 1
            value = self._value()
            if not isinstance(value, dict):
                raise self._error(value, "must be an object", 'write a record as {"score": 1, ...}')
            yield self._number, value

    def _members(self, closing: str) -> Iterator[None]:
        """Step from one member of an object or an array to the next, and over its end."""
        self._at += 1
        at_end = self._next() == closing
        while not at_end:
            yield
            found = self._next()
            at_end = found == closing
            if found == ",":
                self._at += 1
            if not at_end and (found != "," or self._next() == closing):
                shown = self._text[self._at : self._at + 40]
                raise self._error(shown, f"stands where , or {closing} must", _REMEDY)
        self._at += 1

    def _begins_objects(self) -> bool:
        """Return whether the array that begins here has an object first."""
        while (found := _FIRST.match(self._text, self._at)) is None and self._more():
            pass
        return found is not None and found[1] == "{"

    def _next(self) -> str:
        """Step over white space, and return the next character; an empty string at the end of the file."""
        skipped = 0
        while True:
            match = _SPACE.match(self._text, self._at)
            end = match.end() if match else self._at
            skipped, self._at = skipped + end - self._at, end
            if end < len(self._text):
                return self._text[end]
            if skipped > self._longest:
                raise self._error(MISSING, f"is followed by more than {skipped:,} blanks", "remove them")
            if not self._more():
                return ""

    def _value(self) -> Any:
        """Return the value that begins here, and step over it."""
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except InputError as error:  # of the decoder
                raise located(error, self._source.place(max(self._number, 1))) from None
            except RecursionError:
                raise self._error(MISSING, "is nested too deep", _REMEDY) from None
            except json.JSONDecodeError as error:
                if self._too_long() or not self._more():
                    shown = self._text[self._at : self._at + 40]
                    raise self._error(shown, f"is not valid JSON ({error.msg})", _REMEDY) from None
            except ValueError:  # Python refuses to read an integer of over 4300 digits
                raise self._error(MISSING, "holds a number of too many digits", "write it as 1e300") from None
            else:
                # What ends where the text does may go on, as a number.
                if end < len(self._text) or not self._more():
                    self._at = end
                    return value

    def _too_long(self) -> bool:
        if len(self._text) - self._at <= self._longest:
            return False
        rule = f"is longer than {self._longest:,} characters"
        raise self._error(self._text[self._at : self._at + 40], rule, f"is it a {self._source.kind}?")

    def _more(self) -> bool:
        """Read on, twice as much as waits to be understood; return whether there was anything."""
        if self._ended:
            return False
        waiting = self._text[self._at :]
        try:
            read = self._file.read(max(_CHUNK, len(waiting)))
            text = self._decode(read, final=not read)
        except UnicodeDecodeError:
            raise self._error(MISSING, "is not UTF-8", "save the file as UTF-8") from None
        except unpacking_errors() as error:
            rule = f"cannot be read beyond record {self._number} ({reason(error)})"
            raise self._source.fault(rule, "a compressed file may be truncated or damaged") from None
        self._text, self._at, self._ended = waiting + text, 0, not read
        return bool(read)

    def _error(self, value: object, rule: str, remedy: str) -> InputError:
        return located(InputError("", value, rule, remedy), self._source.place(max(self._number, 1)))
