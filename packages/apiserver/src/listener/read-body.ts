// The body of a request, up to the limit.

import { maxBodyBytes } from "@kubewright/machinery";
import type { Incoming } from "./exchange.js";

const nothing = Buffer.alloc(0);

/** The bytes of bodies that are being read, of all requests. */
export interface BodiesInFlight {
  bytes: number;
  readonly limit: number;
}

/** Other clients are sending so much that there is no room for this body. */
export class NoRoomForBody extends Error {
  override readonly name = "NoRoomForBody";
}

/**
 * Resolves to the body. Of one that is too large it resolves to as much as shows that it is, and the rest is read into
 * nothing; rejects when the client leaves before its end, or with NoRoomForBody.
 */
export function readBody(incoming: Incoming, inFlight: BodiesInFlight): Promise<Buffer> | Buffer {
  if (!hasBody(incoming)) return nothing;
  let size = 0;
  const read = new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = [];
    const finish = (): void => {
      const [first] = chunks;
      resolve(chunks.length === 1 && first ? first : Buffer.concat(chunks));
    };
    const take = (chunk: Buffer): void => {
      chunks.push(chunk);
      size += chunk.length;
      inFlight.bytes += chunk.length;
      if (size <= maxBodyBytes && inFlight.bytes <= inFlight.limit) return;
      incoming.off("data", take);
      incoming.resume();
      if (size > maxBodyBytes) finish();
      else reject(new NoRoomForBody());
    };
    incoming.on("data", take);
    incoming.once("end", finish);
    incoming.once("error", reject);
    incoming.once("close", () => {
      if (!incoming.complete) reject(new Error("the client left"));
    });
  });
  return read.finally(() => {
    inFlight.bytes -= size;
  });
}

export function hasBody({ headers, hasBody: known }: Incoming): boolean {
  if (known !== undefined) return known;
  const length = headers["content-length"];
  return headers["transfer-encoding"] !== undefined || (length !== undefined && length !== "0");
}
