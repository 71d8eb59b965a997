// A document as the driver takes it, from the bytes that MongoDB stored. JavaScript puts fields whose names are numbers before all others,
// and MongoDB tells documents apart by the order of their fields; so a document that would come out otherwise than it went in is given as
// a Map, which keeps the order.
import { BSON } from "mongodb";
import type { Document } from "../client/mongo-member.js";

const exactly = {
  promoteValues: false,
  promoteLongs: false,
  promoteBuffers: false,
  bsonRegExp: true,
} as const;

const isSame = (document: object, bytes: Uint8Array): boolean =>
  Buffer.compare(BSON.serialize(document, { ignoreUndefined: false }), bytes) === 0;

/** Throws for a document that the driver cannot write as it was: one with a type that MongoDB has long given up, or a field twice. */
export function storedDocument(bytes: Uint8Array): object {
  const plain = BSON.deserialize(bytes, exactly);
  if (isSame(plain, bytes)) return plain;
  const ordered = orderedDocument(bytes);
  if (isSame(ordered, bytes)) return ordered;
  throw new Error(
    `the document with _id ${BSON.EJSON.stringify(plain["_id"])} cannot be written as it was: it has a field twice, or a type that is no longer in use`,
  );
}

const [objectType, arrayType] = [3, 4];

/** The elements of a document: their types, names and bytes. */
function* elementsOf(bytes: Uint8Array) {
  for (const [type, nameAt, nameLength, at, length] of BSON.onDemand.parseToElements(bytes)) {
    const name = Buffer.from(bytes.subarray(nameAt, nameAt + nameLength)).toString("utf8");
    yield { type, name, bytes: bytes.subarray(at, at + length) };
  }
}

/** An object with the fields in their order; a Map at each depth where an object would have another. */
function orderedDocument(bytes: Uint8Array): Document | Map<string, unknown> {
  const fields = new Map<string, unknown>();
  for (const { type, name, bytes: value } of elementsOf(bytes)) fields.set(name, storedValue(type, value));
  const plain = Object.fromEntries(fields);
  const names = [...fields.keys()];
  return Object.keys(plain).every((name, at) => name === names[at]) ? plain : fields;
}

/** A description by MongoDB, such as that of an index, whose own fields are never numbers; the fields of its parts may be. */
export const storedFields = (bytes: Uint8Array): Document => orderedDocument(bytes) as Document;

function storedValue(type: number, bytes: Uint8Array): unknown {
  if (type === objectType) return orderedDocument(bytes);
  if (type === arrayType) return [...elementsOf(bytes)].map((each) => storedValue(each.type, each.bytes));
  // A document of this one field, which the library reads: length, type, name, value, end.
  const alone = Buffer.concat([Buffer.alloc(4), Buffer.of(type, 0x76, 0), bytes, Buffer.of(0)]);
  alone.writeInt32LE(alone.length, 0);
  return BSON.deserialize(alone, exactly)["v"];
}
