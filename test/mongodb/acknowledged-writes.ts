// A user that writes while the set changes, and counts what a majority acknowledged: none of it may be lost.
import type { MongoMember } from "../../operators/mongodb/src/client/mongo-member.js";

const writeConcern = { w: "majority", wtimeout: 5_000 };

export class AcknowledgedWrites {
  readonly #acknowledged = new Set<number>();
  readonly #members: () => readonly MongoMember[];
  readonly #done: Promise<void>;
  #next = 0;
  #isOver = false;

  /** Writes to any of the members that takes it: the primary. */
  constructor(members: () => readonly MongoMember[]) {
    this.#members = members;
    this.#done = this.#write();
  }

  /** Ends the writing; resolves with what was acknowledged. */
  async stop(): Promise<readonly number[]> {
    this.#isOver = true;
    await this.#done;
    return [...this.#acknowledged];
  }

  async #write(): Promise<void> {
    while (!this.#isOver) {
      this.#next += 1;
      const _id = this.#next;
      const insert = { insert: "written", documents: [{ _id }], writeConcern };
      const tries = this.#members().map((member) => member.command("shop", insert));
      // What is refused, or not answered, was not promised.
      await Promise.any(tries).then(
        () => this.#acknowledged.add(_id),
        () => undefined,
      );
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** The numbers that are there. */
export async function written(primary: MongoMember): Promise<ReadonlySet<number>> {
  const command = { find: "written", projection: { _id: 1 }, batchSize: 1_000_000 };
  const { cursor } = await primary.command("shop", command);
  const { firstBatch } = cursor as { firstBatch: readonly { _id: number }[] };
  return new Set(firstBatch.map(({ _id }) => _id));
}
