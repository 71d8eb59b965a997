// Answers to what is no request: broken, too large, or never finished. Node would answer too, but end the connection before the client
// has read it.
import type { Server } from "node:https";
import type { Duplex } from "node:stream";

/** In the words of Go's HTTP server. */
const answers: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "413 Request Entity Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
};

/** Milliseconds for the client to read the answer. */
const lingering = 500;

/** Answers broken requests. `isAnswering` says whether a connection has an answer under way, which nothing may be added to. */
export function answerBrokenRequests(server: Server, isAnswering: (socket: Duplex) => boolean): void {
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (!socket.writable || error.code === "ECONNRESET" || isAnswering(socket)) {
      socket.destroy();
      return;
    }
    const status = answers[error.code ?? ""] ?? "400 Bad Request";
    const head = `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n`;
    const timer = setTimeout(() => socket.destroy(), lingering);
    socket.once("close", () => clearTimeout(timer));
    socket.end(head + status);
    // What is sent meanwhile is read, or the system would reset the connection and the client lose the answer.
    socket.resume();
  });
}
