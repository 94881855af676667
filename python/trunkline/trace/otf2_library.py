"""The functions of the OTF2 library that write an archive, called by ctypes: there is one when a trace is exported."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from ctypes import POINTER, c_char_p, c_int, c_uint8, c_uint32, c_uint64, c_void_p
from pathlib import Path

from trunkline.errors import BadInput, Failed

NAMES = ("libopen-trace-format2.so.10", "libotf2.so.10")
"""Debian's and the project's own; 10 is the interface of OTF2 3.0."""
UNDEFINED = 0xFFFFFFFF
"""A reference to nothing, or a root that there is none."""
_WRITE, _POSIX, _UNCOMPRESSED, _FLUSH = 0, 1, 1, 1
_EVENT_CHUNK, _DEFINITION_CHUNK = 1 << 20, 4 << 20

_PRE_FLUSH = ctypes.CFUNCTYPE(c_uint8, c_void_p, c_uint8, c_uint64, c_void_p, ctypes.c_bool)


class _FlushCallbacks(ctypes.Structure):
    _fields_ = (("pre_flush", _PRE_FLUSH), ("post_flush", c_void_p))


_CALLBACKS = _FlushCallbacks(_PRE_FLUSH(lambda *_: _FLUSH), None)

# Of functions that return an error code; the first argument is an archive, or a writer.
_FUNCTIONS: dict[str, Sequence[type]] = {
    "Archive_SetFlushCallbacks": (POINTER(_FlushCallbacks), c_void_p),
    "Archive_SetSerialCollectiveCallbacks": (),
    "Archive_SetCreator": (c_char_p,),
    "Archive_OpenEvtFiles": (),
    "Archive_CloseEvtFiles": (),
    "Archive_OpenDefFiles": (),
    "Archive_CloseDefFiles": (),
    "Archive_CloseEvtWriter": (c_void_p,),
    "Archive_CloseDefWriter": (c_void_p,),
    "Archive_CloseGlobalDefWriter": (c_void_p,),
    "Archive_Close": (),
    "EvtWriter_Enter": (c_void_p, c_uint64, c_uint32),
    "EvtWriter_Leave": (c_void_p, c_uint64, c_uint32),
    "EvtWriter_MpiCollectiveBegin": (c_void_p, c_uint64),
    "EvtWriter_MpiCollectiveEnd": (c_void_p, c_uint64, c_uint8, c_uint32, c_uint32, c_uint64, c_uint64),
    "EvtWriter_MpiSend": (c_void_p, c_uint64, c_uint32, c_uint32, c_uint32, c_uint64),
    "EvtWriter_MpiRecv": (c_void_p, c_uint64, c_uint32, c_uint32, c_uint32, c_uint64),
    "GlobalDefWriter_WriteClockProperties": (c_uint64, c_uint64, c_uint64, c_uint64),
    "GlobalDefWriter_WriteString": (c_uint32, c_char_p),
    "GlobalDefWriter_WriteRegion": (
        *(c_uint32, c_uint32, c_uint32, c_uint32, c_uint8, c_uint8),
        *(c_uint32, c_uint32, c_uint32, c_uint32),
    ),
    "GlobalDefWriter_WriteSystemTreeNode": (c_uint32, c_uint32, c_uint32, c_uint32),
    "GlobalDefWriter_WriteLocationGroup": (c_uint32, c_uint32, c_uint8, c_uint32, c_uint32),
    "GlobalDefWriter_WriteLocation": (c_uint64, c_uint32, c_uint8, c_uint64, c_uint32),
    "GlobalDefWriter_WriteGroup": (c_uint32, c_uint32, c_uint8, c_uint8, c_uint32, c_uint32, POINTER(c_uint64)),
    "GlobalDefWriter_WriteComm": (c_uint32, c_uint32, c_uint32, c_uint32, c_uint32),
}
_HANDLES: dict[str, Sequence[type]] = {
    "Archive_GetEvtWriter": (c_uint64,),
    "Archive_GetDefWriter": (c_uint64,),
    "Archive_GetGlobalDefWriter": (),
}


def _load() -> ctypes.CDLL:
    for name in NAMES:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    raise BadInput(
        f"OTF2 3.0 is not installed: found none of {', '.join(NAMES)}; Debian has it: apt-get install otf2-tools"
    )


class Archive:
    """An archive that is being written; its functions have the names of OTF2's own, less ``OTF2_``."""

    def __init__(self, folder: Path, creator: str) -> None:
        """Make the folder.

        Raises:
            BadInput: where the library is not there.
            Failed: where it cannot write, from here on in each call.
        """
        self._library = _load()
        self._library.OTF2_Error_GetDescription.restype = c_char_p
        for name, arguments in _FUNCTIONS.items():
            self._declare(name, (c_void_p, *arguments), c_int, self._check)
        for name, arguments in _HANDLES.items():
            self._declare(name, (c_void_p, *arguments), c_void_p, self._check_handle)
        opening = (c_char_p, c_char_p, c_uint8, c_uint64, c_uint64, c_uint8, c_uint8)
        self._declare("Archive_Open", opening, c_void_p, self._check_handle)
        self.handle = self.Archive_Open(
            *(str(folder).encode(), b"traces", _WRITE, _EVENT_CHUNK, _DEFINITION_CHUNK, _POSIX, _UNCOMPRESSED)
        )
        self.Archive_SetFlushCallbacks(self.handle, ctypes.byref(_CALLBACKS), None)
        self.Archive_SetSerialCollectiveCallbacks(self.handle)
        self.Archive_SetCreator(self.handle, creator.encode())

    def __getattr__(self, name: str) -> Callable[..., int]:
        raise AttributeError(name)  # all of them are set; this says of what type they are

    def _declare(self, name: str, arguments: Sequence[type], result: type, check: Callable[..., int]) -> None:
        function = self._library[f"OTF2_{name}"]
        function.argtypes, function.restype, function.errcheck = arguments, result, check  # type: ignore[assignment]
        setattr(self, name, function)

    def _check(self, code: int, *_: object) -> int:
        if code != 0:
            raise Failed(f"the OTF2 library cannot go on: {self._library.OTF2_Error_GetDescription(code).decode()}")
        return code

    def _check_handle(self, handle: int | None, *_: object) -> int:
        if handle is None:
            raise Failed("the OTF2 library cannot go on; what it said is above")
        return handle
