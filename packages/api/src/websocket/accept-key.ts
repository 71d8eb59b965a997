import { createHash } from "node:crypto";

/** The server's answer to the key of a client (RFC 6455, section 4.2.2), which proves that it speaks WebSocket. */
export function acceptKey(key: string): string {
  return createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
}
