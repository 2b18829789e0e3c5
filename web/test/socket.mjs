// The little of RFC 6455 that a test server needs: the handshake, text and binary out, masked text in,
// ping, close. Only what Node brings.

import { createHash } from "node:crypto";

const MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** Takes over an upgraded connection; `onText` gets each message, `onClose` is called once. */
export function acceptSocket(request, socket, onText, onClose) {
  const accept = createHash("sha1").update(request.headers["sec-websocket-key"] + MAGIC).digest("base64");
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
  socket.setNoDelay(true);
  let waiting = Buffer.alloc(0);
  let open = true;

  const end = () => {
    if (!open) return;
    open = false;
    socket.destroy();
    onClose();
  };
  const send = (opcode, payload) => {
    if (!open) return;
    const head = Buffer.alloc(payload.length < 126 ? 2 : payload.length < 65536 ? 4 : 10);
    head[0] = 0x80 | opcode;
    head[1] = payload.length < 126 ? payload.length : payload.length < 65536 ? 126 : 127;
    if (head[1] === 126) head.writeUInt16BE(payload.length, 2);
    if (head[1] === 127) head.writeBigUInt64BE(BigInt(payload.length), 2);
    socket.write(head);
    socket.write(payload);
  };
  socket.on("data", (chunk) => {
    waiting = Buffer.concat([waiting, chunk]);
    for (;;) {
      if (waiting.length < 2) return;
      let length = waiting[1] & 127;
      let at = 2;
      if (length === 126) [length, at] = waiting.length < 4 ? [Infinity, 4] : [waiting.readUInt16BE(2), 4];
      if (waiting.length < at + 4 + length) return;
      const mask = waiting.subarray(at, at + 4);
      const payload = Buffer.from(waiting.subarray(at + 4, at + 4 + length).map((byte, i) => byte ^ mask[i & 3]));
      const opcode = waiting[0] & 15;
      waiting = waiting.subarray(at + 4 + length);
      if (opcode === 1) onText(payload.toString("utf8"));
      if (opcode === 8) end();
      if (opcode === 9) send(10, payload);
    }
  });
  socket.on("close", end);
  socket.on("error", end);
  return {
    text: (message) => send(1, Buffer.from(typeof message === "string" ? message : JSON.stringify(message))),
    binary: (buffer) => send(2, buffer),
    /** A slow client gets fewer frames. */
    get full() {
      return socket.writableLength > 1 << 20;
    },
    close: end,
  };
}
