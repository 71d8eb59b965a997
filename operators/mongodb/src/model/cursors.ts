// Cursors of the model: what a query found and its client has not read yet, a batch at a time.
import { BSON } from "mongodb";
import type { Document } from "../client/mongo-member.js";
import { CommandError } from "./command-error.js";

/** As mongod has it for the first batch where the client names no other. */
const firstBatchSize = 101;
const largestBatch = 16 * 1024 * 1024;

interface Open {
  readonly namespace: string;
  /** Who opened it: nobody else may read on. */
  readonly session: string | undefined;
  readonly rest: Document[];
}

export class Cursors {
  readonly #open = new Map<string, Open>();
  #last = 0;

  /** The first batch of what was found, with a cursor for the rest. */
  first(namespace: string, found: readonly Document[], command: Document): Document {
    const rest = [...found];
    const options = (command["cursor"] ?? command) as Document;
    const firstBatch = take(rest, Number(options["batchSize"] ?? firstBatchSize));
    if (rest.length === 0 || command["singleBatch"] === true)
      return { cursor: { id: BSON.Long.ZERO, ns: namespace, firstBatch } };
    this.#last += 1;
    const id = BSON.Long.fromNumber(this.#last);
    this.#open.set(id.toString(), { namespace, session: sessionOf(command), rest });
    return { cursor: { id, ns: namespace, firstBatch } };
  }

  next(id: string, command: Document): Document {
    const open = this.#open.get(id);
    if (!open) throw new CommandError(43, "CursorNotFound", `cursor id ${id} not found`);
    if (open.session !== sessionOf(command))
      throw new CommandError(
        13,
        "Unauthorized",
        `Cannot run getMore on cursor ${id}, which was created in another session`,
      );
    const nextBatch = take(open.rest, Number(command["batchSize"] ?? 0) || Number.POSITIVE_INFINITY);
    if (open.rest.length === 0) this.#open.delete(id);
    const left = open.rest.length === 0 ? BSON.Long.ZERO : BSON.Long.fromString(id);
    return { cursor: { id: left, ns: open.namespace, nextBatch } };
  }

  kill(ids: readonly string[]): Document {
    const [killed, missing] = [ids.filter((id) => this.#open.delete(id)), [] as string[]];
    for (const id of ids) if (!killed.includes(id)) missing.push(id);
    const longs = (list: readonly string[]) => list.map((id) => BSON.Long.fromString(id));
    return {
      cursorsKilled: longs(killed),
      cursorsNotFound: longs(missing),
      cursorsAlive: [],
      cursorsUnknown: [],
    };
  }

  get size(): number {
    return this.#open.size;
  }
}

/** Takes documents off the front, as many as asked for and as fit into an answer; one always fits. */
function take(rest: Document[], most: number): readonly Document[] {
  let [count, size] = [0, 0];
  while (count < most && count < rest.length) {
    size += BSON.calculateObjectSize(rest[count] as Document);
    if (count > 0 && size > largestBatch) break;
    count += 1;
  }
  return rest.splice(0, count);
}

const sessionOf = ({ lsid }: Document): string | undefined =>
  lsid === undefined ? undefined : BSON.EJSON.stringify(lsid as object);
