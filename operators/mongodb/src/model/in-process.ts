// A model as a member whose documents can be read, without a network: what the driver does with cursors is done here.
import { isObject } from "@kubewright/api";
import { BSON } from "mongodb";
import type { Document, ReadableMember } from "../client/mongo-member.js";

/** A member from a function that runs a command and resolves with an answer that is ok. */
export function inProcess(run: (db: string, command: Document) => Promise<Document>): ReadableMember {
  const command = (db: string, given: Document) => run(db, overTheWire(given));
  return {
    command,
    async *documents(db, given) {
      const { cursor } = await command(db, given);
      let { id, firstBatch: batch } = cursor as { id: BSON.Long; firstBatch: readonly Document[] };
      const collection = String(given["find"] ?? "$cmd");
      for (;;) {
        for (const document of batch) yield BSON.serialize(document, { ignoreUndefined: true });
        if (id.isZero()) return;
        const more = await command(db, { getMore: id, collection });
        ({ id, nextBatch: batch } = more["cursor"] as { id: BSON.Long; nextBatch: readonly Document[] });
      }
    },
  };
}

/** A command as it arrives: documents that keep the order of their fields are maps, and arrive as objects. */
function overTheWire(command: Document): Document {
  return Object.fromEntries(Object.entries(command).map(([name, value]) => [name, withoutMaps(value)]));
}

function withoutMaps(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMaps);
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([name, each]) => [name, withoutMaps(each)]));
  const isPlain = isObject(value) && Object.getPrototypeOf(value) === Object.prototype;
  return isPlain ? overTheWire(value) : value;
}
