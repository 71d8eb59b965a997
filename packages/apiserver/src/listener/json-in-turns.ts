// JSON that is needed as a whole and takes long to make.
import { jsonSlices } from "../codec/index.js";
import { nextTurn } from "./sink.js";

/** Milliseconds of work at a stretch. */
const stretch = 5;

/** What `JSON.stringify` makes of a value, and a line feed; others have their turn meanwhile. */
export async function jsonInTurns(value: unknown): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let since = performance.now();
  for (const slice of jsonSlices(value)) {
    pieces.push(Buffer.from(slice));
    if (performance.now() - since < stretch) continue;
    await nextTurn();
    since = performance.now();
  }
  return Buffer.concat(pieces);
}
