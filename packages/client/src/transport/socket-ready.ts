// Waiting for sockets within a limit. These are real sockets, so the limit is real time.
import type { Socket } from "node:net";
import { ConnectionError } from "../connection-error.js";

/** The address to connect to. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Resolves when the socket is usable; destroys it when that takes too long. */
export function ready<S extends Socket>(
  socket: S,
  event: "connect" | "secureConnect",
  cluster: string,
  limit: number,
): Promise<S> {
  return within(socket, cluster, limit, (resolve) => {
    const done = (): void => resolve(socket);
    socket.once(event, done);
    return () => socket.off(event, done);
  });
}

/**
 * Reads until `parse` finds what it looks for; it returns undefined while more is needed. The other side must say no
 * more than that until it is spoken to.
 */
export function readFrom<T>(
  socket: Socket,
  cluster: string,
  limit: number,
  parse: (received: Buffer) => T | undefined,
): Promise<T> {
  return within(socket, cluster, limit, (resolve, reject) => {
    let received: Buffer = Buffer.alloc(0);
    const onData = (chunk: Buffer): void => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const result = parse(received);
      if (result !== undefined) resolve(result);
      else if (received.length > 65_536) reject(new Error("the proxy says too much"));
    };
    socket.on("data", onData);
    socket.resume();
    return () => {
      socket.off("data", onData);
      socket.pause();
    };
  });
}

function within<T>(
  socket: Socket,
  cluster: string,
  limit: number,
  start: (resolve: (value: T) => void, reject: (error: Error) => void) => () => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      const message = `${cluster}: no connection in ${limit} ms; check the address and the network`;
      fail(new ConnectionError(message, "unreachable"));
    }, limit);
    const onClose = (): void => fail(new Error("closed while connecting"));
    const fail = (error: Error): void => {
      release();
      // Whatever a dying socket still says has been answered already.
      socket.on("error", () => undefined);
      socket.destroy();
      reject(error);
    };
    const succeed = (value: T): void => {
      release();
      resolve(value);
    };
    socket.once("error", fail);
    socket.once("close", onClose);
    const stop = start(succeed, fail);
    const release = (): void => {
      clearTimeout(timer);
      socket.off("error", fail);
      socket.off("close", onClose);
      stop();
    };
  });
}
