// The socket to `pliant live`: opened again by itself when it is lost, and quick to notice that it is.
// Of the frames only the latest is kept, so that a slow or hidden page gathers nothing.

import { readMessage, type Incoming, type Outgoing } from "./protocol";

const FIRST_DELAY = 250;
const LONGEST_DELAY = 2000;
/** The server says something five times a second; after this long (ms) without a word it is gone. */
const SILENCE = 10_000;

/** An address of this server, with the token this page was opened with. */
export function address(path: string): string {
  const token = new URLSearchParams(location.search).get("token");
  const url = new URL(path, location.href);
  if (token) url.searchParams.set("token", token);
  return url.href;
}

export interface Listener {
  message(message: Incoming): void;
  /** A frame has come; `take` gives the latest. */
  frame(): void;
  connected(on: boolean): void;
}

export class Connection {
  /** Messages from the server that made no sense. */
  dropped = 0;
  private socket: WebSocket | null = null;
  private latest: ArrayBuffer | null = null;
  private delay = FIRST_DELAY;
  private heard = 0;

  constructor(private readonly listener: Listener) {
    this.open();
    setInterval(() => {
      if (this.socket && performance.now() - this.heard > SILENCE) this.lose(this.socket);
    }, 1000);
  }

  /** The frame that came last, once. */
  take(): ArrayBuffer | null {
    const frame = this.latest;
    this.latest = null;
    return frame;
  }

  /** False if there is nobody to tell: what the user did while the connection was lost is not kept for later. */
  send(message: Outgoing): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  /** Looks for the server again. */
  private open(): void {
    const socket = new WebSocket(address("socket").replace(/^http/, "ws"));
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    this.heard = performance.now();
    socket.addEventListener("open", () => {
      if (socket !== this.socket) return;
      this.delay = FIRST_DELAY;
      this.listener.connected(true);
    });
    socket.addEventListener("message", ({ data }) => {
      if (socket === this.socket) this.hear(data);
    });
    socket.addEventListener("close", () => this.lose(socket));
  }

  private lose(socket: WebSocket): void {
    if (socket !== this.socket) return;
    this.socket = null;
    this.latest = null;
    socket.close();
    this.listener.connected(false);
    setTimeout(() => this.open(), this.delay);
    this.delay = Math.min(LONGEST_DELAY, this.delay * 1.6);
  }

  private hear(data: unknown): void {
    this.heard = performance.now();
    if (data instanceof ArrayBuffer) {
      this.latest = data;
      this.listener.frame();
      return;
    }
    try {
      const message = readMessage(String(data));
      if (message) this.listener.message(message);
      else this.dropped++;
    } catch {
      this.dropped++;
    }
  }
}
