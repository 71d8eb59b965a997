// Models of mongod in place of processes: for tests in virtual time, and for clusters whose nodes are simulated, where no program runs. A
// process begins when the operator first looks at a running pod, and ends when its pod does; its volume keeps its data.
import { type Clock, type Pod, sleep, VirtualClock } from "@kubewright/api";
import type { AgentEnd } from "../backup/agent-task.js";
import type { AccessTarget, MongoAccess } from "../client/mongo-access.js";
import { type Document, MongoFailure, type MongoMember } from "../client/mongo-member.js";
import { operatorUser } from "../replica-set/names.js";
import { connection } from "./command.js";
import { Disk } from "./disk.js";
import { ModelledAgents } from "./modelled-agents.js";
import { ModelledMongod } from "./modelled-mongod.js";
import { readSettings } from "./mongod-settings.js";
import { userKey } from "./operations.js";
import type { PeerMessage, PeerReply } from "./peer-messages.js";

export interface ModelOptions {
  readonly clock: () => Clock;
  readonly random?: (() => number) | undefined;
  /** How long an empty member copies the data of another, in milliseconds. */
  readonly catchUp?: number | undefined;
  /** All times are divided by it. */
  readonly speed?: number | undefined;
}

interface Process {
  readonly mongod: ModelledMongod;
  readonly name: string;
  readonly cluster: string;
  readonly host: string;
}

/** How long a call on a member that does not answer takes, in milliseconds. */
const patience = 3_000;

export class ModelledMongo implements MongoAccess {
  readonly isModel = true;
  readonly #options: ModelOptions;
  /** By the pod's uid and the count of its restarts. */
  readonly #processes = new Map<string, Process>();
  readonly #volumes = new Map<string, Disk>();
  readonly #paused = new Set<string>();
  /** The agents of backups and restores, and what they have stored. */
  readonly agents: ModelledAgents;
  /** Called before each command of the operator; what it throws is the answer. */
  onCommand: ((member: string, name: string, command: Document) => void) | undefined;

  constructor(options: ModelOptions) {
    this.#options = options;
    this.agents = new ModelledAgents({
      clock: options.clock,
      run: (host, db, command) => this.#runAs(host, db, command),
    });
  }

  /** The process neither answers nor votes until `resume`, as with SIGSTOP or a broken network. */
  pause(member: string): void {
    this.#paused.add(member);
  }

  resume(member: string): void {
    this.#paused.delete(member);
  }

  isPaused(member: string): boolean {
    return this.#paused.has(member);
  }

  /** Forgets what a volume holds, as a wiped disk does; the process that uses it ends. */
  wipe(volume: string): void {
    this.#volumes.delete(volume);
  }

  /** The process of a member. */
  mongod(member: string): ModelledMongod {
    const found = [...this.#processes.values()].findLast(({ name }) => name === member);
    if (!found) throw new Error(`${member} has not started`);
    return found.mongod;
  }

  /** The members whose process runs. */
  get running(): readonly string[] {
    return [...this.#processes.values()].map(({ name }) => name);
  }

  close(): void {
    for (const { mongod } of this.#processes.values()) mongod.stop();
    this.#processes.clear();
  }

  member(target: AccessTarget): MongoMember {
    // The process begins now, whether or not it is asked anything.
    const name = target.pod.metadata?.name ?? "";
    this.#process(target);
    return {
      command: async (db, command) => {
        const resume = suspended(this.#options.clock());
        try {
          return await this.#command(target, name, db, command);
        } finally {
          resume();
        }
      },
    };
  }

  agentEnd(pod: Pod): AgentEnd | undefined {
    return this.agents.end(pod);
  }

  keepOnly(cluster: string, pods: readonly Pod[]): void {
    const alive = new Set(pods.filter(isAlive).map(keyOf));
    for (const [key, process] of this.#processes) {
      if (process.cluster !== cluster || alive.has(key)) continue;
      process.mongod.stop();
      this.#processes.delete(key);
    }
  }

  async #command(target: AccessTarget, name: string, db: string, command: Document): Promise<Document> {
    const { mongod } = this.#process(target);
    this.onCommand?.(name, Object.keys(command)[0] ?? "", command);
    await this.#reach(name);
    if (mongod.refusal !== undefined) throw new MongoFailure("unavailable", `${name}: ${mongod.refusal}`);
    const { tlsMode } = mongod.options;
    if (target.tls ? tlsMode === "disabled" : tlsMode === "requireTLS")
      throw new MongoFailure("unavailable", `${name}: connection closed, its TLS mode is ${tlsMode}`);
    const from = connection({ isLoopback: target.login === undefined, isTls: target.tls !== undefined });
    if (target.login)
      try {
        mongod.login(from, target.login);
      } catch (error) {
        throw new MongoFailure("login", `${name}: ${(error as Error).message}`, { code: 18 });
      }
    const answer = await mongod.answer(from, { ...command, $db: db });
    if (this.#paused.has(name)) await this.#reach(name);
    return checked(answer, name);
  }

  /** A command of an agent, who logs in as the operator's user. */
  async #runAs(host: string, db: string, command: Document): Promise<Document> {
    const found = [...this.#processes.values()].findLast((each) => each.host === host);
    if (!found) throw new MongoFailure("unavailable", `${host} is not there`);
    const { name, mongod } = found;
    this.onCommand?.(name, Object.keys(command)[0] ?? "", command);
    const resume = suspended(this.#options.clock());
    try {
      await this.#reach(name);
      const from = connection({ isLoopback: false, isTls: true });
      from.logins.add(userKey("admin", operatorUser));
      return checked(await mongod.answer(from, { ...command, $db: db }), name);
    } finally {
      resume();
    }
  }

  async #reach(name: string): Promise<void> {
    if (!this.#paused.has(name)) return;
    await sleep(this.#options.clock(), patience);
    throw new MongoFailure("deadline", `${name}: no answer`);
  }

  #process(target: AccessTarget): Process {
    const { pod, host, cluster, started } = target;
    const key = keyOf(pod);
    const known = this.#processes.get(key);
    if (known) return known;
    const name = pod.metadata?.name ?? "";
    if (started.config === undefined)
      throw new MongoFailure("unavailable", `${name}: it has no configuration`);
    const settings = readSettings(started.config);
    const volume = started.volume ?? pod.metadata?.uid ?? "";
    const disk = this.#volumes.get(volume) ?? new Disk();
    this.#volumes.set(volume, disk);
    // Another process on the same volume is one whose pod is gone.
    const clock = this.#options.clock();
    const mongod = new ModelledMongod({
      host: `${host}:${settings.port}`,
      setName: settings.setName,
      version: versionOf(pod),
      keyFile: settings.keyFile === undefined ? undefined : started.keyFile,
      tlsMode: settings.tlsMode,
      clock,
      random: this.#options.random ?? Math.random,
      disk,
      catchUp: this.#options.catchUp,
      speed: this.#options.speed,
      call: (to, message) => this.#deliver(name, mongod, to, message),
    });
    const process = { mongod, name, cluster, host: `${host}:${settings.port}` };
    this.#processes.set(key, process);
    mongod.start();
    return process;
  }

  async #deliver(from: string, sender: ModelledMongod, to: string, message: PeerMessage): Promise<PeerReply> {
    const found = [...this.#processes.values()].findLast(({ host }) => host === to);
    if (!found) throw new Error(`${to} is not there`);
    if (this.#paused.has(from) || this.#paused.has(found.name)) {
      await sleep(this.#options.clock(), patience);
      throw new Error(`${to} does not answer`);
    }
    const { mongod } = found;
    if (mongod.options.keyFile !== sender.options.keyFile) throw new Error(`${to}: Authentication failed`);
    const isTls = sender.options.tlsMode === "preferTLS" || sender.options.tlsMode === "requireTLS";
    if (isTls ? mongod.options.tlsMode === "disabled" : mongod.options.tlsMode === "requireTLS")
      throw new Error(`${to}: its TLS mode is ${mongod.options.tlsMode}`);
    return mongod.receive(message);
  }
}

/** Whoever runs a command marks itself as busy, and a command may wait for time to pass: a virtual clock has to know. */
function suspended(clock: Clock): () => void {
  return clock instanceof VirtualClock ? clock.suspend() : () => undefined;
}

function checked(answer: Document, name: string): Document {
  if (answer["ok"] !== 1)
    throw new MongoFailure("refused", `${name}: ${answer["errmsg"]}`, { code: Number(answer["code"]) });
  const late = answer["writeConcernError"] as Document | undefined;
  if (late) throw new MongoFailure("deadline", `${name}: ${late["errmsg"]}`, { code: Number(late["code"]) });
  return answer;
}

const restartsOf = ({ status }: Pod): number =>
  status?.containerStatuses?.find(({ name }) => name === "mongod")?.restartCount ?? 0;

const keyOf = (pod: Pod): string => `${pod.metadata?.uid} ${restartsOf(pod)}`;

const isAlive = ({ metadata, status }: Pod): boolean =>
  metadata?.deletionTimestamp === undefined && status?.phase === "Running";

function versionOf({ spec }: Pod): string {
  const image = spec?.containers.find(({ name }) => name === "mongod")?.image ?? "";
  return /:v?(\d+\.\d+\.\d+)/.exec(image)?.[1] ?? "4.2.6";
}
