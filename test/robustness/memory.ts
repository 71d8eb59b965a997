// How much memory is in use once the garbage is gone.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect: unknown = runInNewContext("gc");

/** Bytes in use, of JavaScript's own and of buffers. */
export async function memoryInUse(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (typeof collect === "function") collect();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
