"""An OpenAI-compatible server that answers at once with bytes made beforehand."""

import asyncio
import json
import sys

PIECES = 500


def _chunk(delta: dict[str, str], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    body = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "x"}
    return b"data: " + json.dumps({**body, "choices": [choice]}).encode() + b"\n\n"


def _whole() -> bytes:
    message = {"role": "assistant", "content": "hello " * 100}
    usage = {"prompt_tokens": 10, "completion_tokens": 100, "total_tokens": 110}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    body = {"id": "c", "object": "chat.completion", "created": 1, "model": "x", "usage": usage}
    data = json.dumps({**body, "choices": [choice]}).encode()
    head = (
        f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
    )
    return head.encode() + data


def _stream() -> bytes:
    pieces = [_chunk({"role": "assistant", "content": ""})]
    pieces += [_chunk({"content": f"word{n} "}) for n in range(PIECES)]
    data = b"".join([*pieces, _chunk({}, "stop"), b"data: [DONE]\n\n"])
    head = (
        f"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: {len(data)}\r\n\r\n"
    )
    return head.encode() + data


WHOLE, STREAM = _whole(), _stream()


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            lowered = head.lower()
            start = lowered.index(b"content-length:") + 15
            body = await reader.readexactly(int(lowered[start : lowered.index(b"\r", start)]))
            writer.write(STREAM if b'"stream":true' in body.replace(b" ", b"") else WHOLE)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def main() -> None:
    server = await asyncio.start_server(_answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
