// Agents of backups and restores where no program runs: their work is done in the operator's process, on the models of mongod, and what
// they store is kept in its memory. The work is the agents' own; only members and stores are models.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, type Pod, sleep, VirtualClock } from "@kubewright/api";
import { agentTask } from "@kubewright/runtime/agent";
import type { SnapshotStore, StorePlace } from "@kubewright/runtime/backup";
import { type AgentEnd, type AgentTask, endOfPod } from "../backup/agent-task.js";
import { doTask } from "../backup/agent-work.js";
import type { AgentLogin } from "../client/login-files.js";
import { type Document, MongoFailure, type ReadableMember } from "../client/mongo-member.js";
import { inProcess } from "./in-process.js";

export interface AgentModelOptions {
  readonly clock: () => Clock;
  /** Runs a command on the member of this host. */
  readonly run: (login: AgentLogin, host: string, db: string, command: Document) => Promise<Document>;
}

interface Work {
  isGone: boolean;
  end: AgentEnd | undefined;
}

export class ModelledAgents {
  readonly #options: AgentModelOptions;
  /** By the pod's uid. */
  readonly #work = new Map<string, Work>();
  /** What was stored, by place and name. */
  readonly files = new Map<string, Buffer>();

  constructor(options: AgentModelOptions) {
    this.#options = options;
  }

  /** The work begins when the operator first looks at a running pod. */
  end(pod: Pod): AgentEnd | undefined {
    const uid = pod.metadata?.uid ?? "";
    const task = agentTask(pod) as AgentTask | undefined;
    const known = this.#work.get(uid);
    if (pod.metadata?.deletionTimestamp !== undefined) {
      if (known) known.isGone = true;
      return undefined;
    }
    if (known?.end) return known.end;
    const ended = endOfPod(pod);
    if (ended || known || !task || pod.status?.phase !== "Running") return ended;
    const work: Work = { isGone: false, end: undefined };
    this.#work.set(uid, work);
    void this.#do(task, work);
    return undefined;
  }

  /** Ends agents in the middle of their work, before they can report anything, as a lost node does. */
  killAll(): void {
    for (const work of this.#work.values()) work.isGone = true;
  }

  async #do(task: AgentTask, work: Work): Promise<void> {
    const clock = this.#options.clock();
    const done = clock instanceof VirtualClock ? clock.busy("the work of an agent") : () => undefined;
    const scratch = await mkdtemp(join(tmpdir(), "kubewright-mongodb-agent-"));
    try {
      const report = await doTask(task, {
        members: task.hosts.map((host) => ({ host, member: this.#member(task, host, work) })),
        store: new MemoryStore(this.files, task.store),
        scratch,
        primary: { patience: 60_000, now: () => clock.now(), pause: () => this.#pause(clock) },
      });
      work.end = { kind: "succeeded", report };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (!work.isGone) work.end = { kind: "failed", message, isReported: true };
    } finally {
      await rm(scratch, { recursive: true, force: true });
      done();
    }
  }

  async #pause(clock: Clock): Promise<void> {
    const resume = clock instanceof VirtualClock ? clock.suspend() : () => undefined;
    await sleep(clock, 500);
    resume();
  }

  #member({ login }: AgentTask, host: string, work: Work): ReadableMember {
    return inProcess(async (db, command) => {
      if (work.isGone) throw new MongoFailure("refused", "the agent was ended");
      return this.#options.run(login, host, db, command);
    });
  }
}

/** Files in memory, which are gone with the process. */
class MemoryStore implements SnapshotStore {
  readonly #files: Map<string, Buffer>;
  readonly #prefix: string;

  constructor(files: Map<string, Buffer>, place: StorePlace) {
    this.#files = files;
    this.#prefix =
      place.kind === "claim"
        ? `claim/${place.folder}/`
        : `${place.endpoint}/${place.bucket}/${place.prefix}/`;
  }

  async put(name: string, file: string): Promise<void> {
    this.#files.set(this.#prefix + name, await readFile(file));
  }

  async get(name: string, file: string): Promise<void> {
    const found = this.#files.get(this.#prefix + name);
    if (!found) throw new Error(`there is no file ${name}`);
    await writeFile(file, found);
  }

  async list(): Promise<readonly string[]> {
    return [...this.#files.keys()]
      .filter((name) => name.startsWith(this.#prefix))
      .map((name) => name.slice(this.#prefix.length));
  }

  async delete(name: string): Promise<void> {
    this.#files.delete(this.#prefix + name);
  }
}
