"""The error that reports a resource which exists although its create failed."""

import grpc
from google.protobuf.any_pb2 import Any as Packed
from google.protobuf.message import Message

_DETAILS = "grpc-status-details-bin"
_SEVEN_BITS = 0x7F


class PartialCreateDetailError(Exception):
    """A failure whose `detail` describes the resource that exists, which the engine keeps."""

    def __init__(self, message: str, detail: Message) -> None:
        self.detail = detail
        super().__init__(message)


def end_call(context: grpc.ServicerContext, detail: PartialCreateDetailError) -> None:
    """End the call with the error and its detail in the trailing metadata.

    The detail is a google.rpc.Status: code 1, message 2, details 3. It is spelled out because the
    package that has the message comes with no dependency of ours.
    """
    packed = Packed()
    packed.Pack(detail.detail)
    code: int = grpc.StatusCode.UNKNOWN.value[0]
    status = b"\x08" + _varint(code) + _field(2, str(detail).encode())
    status += _field(3, packed.SerializeToString())
    context.set_trailing_metadata(((_DETAILS, status),))
    context.abort(grpc.StatusCode.UNKNOWN, str(detail))


def _field(number: int, value: bytes) -> bytes:
    return bytes([number << 3 | 2]) + _varint(len(value)) + value


def _varint(number: int) -> bytes:
    encoded: list[int] = []
    while number > _SEVEN_BITS:
        encoded.append(number & _SEVEN_BITS | 0x80)
        number >>= 7
    return bytes([*encoded, number])
