// JSON that is needed as a whole and takes long to make.
import { jsonSlices } from "../codec/index.js";
import { nextTurn } from "./sink.js";

/** What `JSON.stringify` makes of a value, and a line feed; others have their turn meanwhile. */
export async function jsonInTurns(value: unknown): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (const slice of jsonSlices(value)) {
    pieces.push(Buffer.from(slice));
    await nextTurn();
  }
  return Buffer.concat(pieces);
}
