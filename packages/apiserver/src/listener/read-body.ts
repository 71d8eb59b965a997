// The body of a request, up to the limit.

import { maxBodyBytes } from "@kubewright/machinery";
import type { Incoming } from "./exchange.js";

const nothing = Buffer.alloc(0);

/**
 * Resolves to the body. Of one that is too large it resolves to as much as shows that it is, and the rest is read into
 * nothing; rejects when the client leaves before its end.
 */
export function readBody(incoming: Incoming): Promise<Buffer> | Buffer {
  if (!hasBody(incoming)) return nothing;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (): void => {
      const [first] = chunks;
      resolve(chunks.length === 1 && first ? first : Buffer.concat(chunks));
    };
    const take = (chunk: Buffer): void => {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= maxBodyBytes) return;
      incoming.off("data", take);
      incoming.resume();
      finish();
    };
    incoming.on("data", take);
    incoming.once("end", finish);
    incoming.once("error", reject);
    incoming.once("close", () => {
      if (!incoming.complete) reject(new Error("the client left"));
    });
  });
}

function hasBody({ headers, hasBody: known }: Incoming): boolean {
  if (known !== undefined) return known;
  const length = headers["content-length"];
  return headers["transfer-encoding"] !== undefined || (length !== undefined && length !== "0");
}
