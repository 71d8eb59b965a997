// JSON that is needed as a whole and may take long to encode.
import { jsonSlices } from "../codec/index.js";
import { TimeSlice } from "../time-slice.js";

/** Encodes a value as `JSON.stringify` does, with a line feed; yields to the event loop in between. */
export async function encodeLargeJson(value: unknown): Promise<Buffer> {
  const pieces: Buffer[] = [];
  const timeSlice = new TimeSlice();
  for (const slice of jsonSlices(value)) {
    pieces.push(Buffer.from(slice));
    await timeSlice.yieldIfOver();
  }
  return Buffer.concat(pieces);
}
