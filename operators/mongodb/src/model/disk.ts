// What a member of the model keeps on its volume: its configuration, the terms it has voted in, and its log. In memory, or as a file to
// which each change is appended, so that a killed process finds what it had acknowledged.
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { BSON } from "mongodb";
import type { ReplicaSetConfig } from "../client/replica-set-documents.js";
import type { LogEntry } from "./operations.js";

export interface Vote {
  readonly term: number;
  readonly votedFor: string | undefined;
}

export class Disk {
  config: ReplicaSetConfig | undefined;
  vote: Vote = { term: 0, votedFor: undefined };
  readonly log: LogEntry[] = [];

  setConfig(config: ReplicaSetConfig): void {
    this.config = config;
    this.written({ config });
  }

  setVote(vote: Vote): void {
    this.vote = vote;
    this.written({ vote });
  }

  append(entry: LogEntry): void {
    this.log.push(entry);
    this.written({ entry });
  }

  /** Forgets what follows the first `length` entries. */
  truncate(length: number): void {
    this.log.length = length;
    this.written({ length });
  }

  protected written(_change: Change): void {}

  protected replay({ config, vote, entry, length }: Change): void {
    if (config) this.config = config;
    if (vote) this.vote = vote;
    if (entry) this.log.push(entry);
    if (length !== undefined) this.log.length = length;
  }
}

interface Change {
  readonly config?: ReplicaSetConfig;
  readonly vote?: Vote;
  readonly entry?: LogEntry;
  readonly length?: number;
}

export class FileDisk extends Disk {
  readonly #file: string;

  constructor(folder: string) {
    super();
    mkdirSync(folder, { recursive: true });
    this.#file = join(folder, "model-of-mongod.jsonl");
    if (!existsSync(this.#file)) return;
    for (const line of readFileSync(this.#file, "utf8").split("\n"))
      if (line.endsWith("}")) this.replay(BSON.EJSON.parse(line) as Change);
  }

  protected override written(change: Change): void {
    appendFileSync(this.#file, `${BSON.EJSON.stringify(change, { relaxed: false })}\n`);
  }
}
