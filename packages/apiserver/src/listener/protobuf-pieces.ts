// Long lists in protobuf. The format has the length of the whole in front, so all items are encoded before the first byte is sent. The bytes
// are kept until they are sent as long as there is room; what there is none for is encoded again when its turn comes.
import { ProtobufListEncoder } from "@kubewright/machinery";
import { MappedList } from "../request/mapped-list.js";
import { TimeSlice } from "../time-slice.js";

/** Bytes of encoded answers that are kept for clients to read, of all requests. */
export interface KeptAnswers {
  bytes: number;
  readonly limit: number;
}

/** About the bytes of a piece. */
const pieceBytes = 128 * 1024;

/** Items of a list that are sent together, and their bytes where they are kept. */
interface Piece {
  readonly from: number;
  readonly to: number;
  bytes: Uint8Array | undefined;
}

/** The pieces of an answer. */
export interface ProtobufPieces {
  readonly pieces: Iterable<Uint8Array>;
  /** Gives back the room of what is kept. */
  release(): void;
}

type Items = readonly unknown[] | MappedList;

/** Whether a value is a list that can be sent in pieces. */
export const itemsOf = (value: Readonly<Record<string, unknown>>): Items | undefined => {
  const { items } = value;
  return Array.isArray(items) || items instanceof MappedList ? items : undefined;
};

/** Encodes a list; yields to the event loop in between. */
export async function protobufPieces(
  value: Readonly<Record<string, unknown>>,
  items: Items,
  kept: KeptAnswers,
): Promise<ProtobufPieces> {
  const list = { ...value, apiVersion: String(value["apiVersion"]), kind: String(value["kind"]) };
  const encoder = new ProtobufListEncoder(list);
  const slice = new TimeSlice();
  const encoded: Piece[] = [];
  let [from, to, total, room] = [0, 0, 0, 0];
  const finish = (): void => {
    const bytes = encoder.take();
    total += bytes.length;
    const isKept = kept.bytes + bytes.length <= kept.limit;
    if (isKept) {
      kept.bytes += bytes.length;
      room += bytes.length;
    }
    encoded.push({ from, to, bytes: isKept ? bytes : undefined });
    from = to;
  };
  const release = (): void => {
    kept.bytes -= room;
    room = 0;
  };
  try {
    for (const item of items) {
      to += 1;
      if (encoder.add(item) >= pieceBytes) finish();
      if (slice.isOver) await slice.yieldIfOver();
    }
    if (to > from) finish();
  } catch (error) {
    release();
    throw error;
  }
  return { pieces: piecesOf(encoder, encoded, items, total), release };
}

function* piecesOf(
  encoder: ProtobufListEncoder,
  encoded: readonly Piece[],
  items: Items,
  total: number,
): Iterable<Uint8Array> {
  yield encoder.head(total);
  for (const piece of encoded) {
    const { bytes } = piece;
    // What was sent is nobody's to keep, even where the rest takes long.
    piece.bytes = undefined;
    if (bytes) yield bytes;
    else {
      for (const item of items.slice(piece.from, piece.to)) encoder.add(item);
      yield encoder.take();
    }
  }
  yield encoder.tail();
}
