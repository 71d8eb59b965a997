// A model as a member whose documents can be read, without a network: what the driver does with cursors is done here.
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
  if (!("documents" in command)) return command;
  const documents = (command["documents"] as readonly object[]).map((document) =>
    document instanceof Map ? Object.fromEntries(document) : document,
  );
  return { ...command, documents };
}
