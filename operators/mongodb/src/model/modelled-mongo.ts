// Models of mongod in place of processes: for tests in virtual time, and for clusters whose nodes are simulated, where no program runs. A
// process begins when the operator first looks at a running pod, and ends when its pod does; its volume keeps its data.
import { type Clock, type Pod, sleep, VirtualClock } from "@kubewright/api";
import type { AgentEnd } from "../backup/agent-task.js";
import type { AgentLogin } from "../client/login-files.js";
import type { AccessTarget, LivePod, MongoAccess } from "../client/mongo-access.js";
import { type Document, MongoFailure, type MongoMember } from "../client/mongo-member.js";
import { certificatesIn } from "../client/pem.js";
import { isTrusted } from "../client/trust.js";
import { accepts, sentBy } from "./cluster-auth.js";
import { connection } from "./command.js";
import { Disk } from "./disk.js";
import { ModelledAgents } from "./modelled-agents.js";
import { ModelledMongod } from "./modelled-mongod.js";
import { readSettings } from "./mongod-settings.js";
import type { PeerMessage, PeerReply } from "./peer-messages.js";
import type { TlsFiles } from "./tls-identity.js";

export interface ModelOptions {
  readonly clock: () => Clock;
  readonly random?: (() => number) | undefined;
  /** How long an empty member copies the data of another, in milliseconds. */
  readonly catchUp?: number | undefined;
  /** All times are divided by it. */
  readonly speed?: number | undefined;
  /** How long the contents of a changed Secret take to reach the pods that mount it, in milliseconds. */
  readonly mountLag?: number | undefined;
}

interface Process {
  readonly mongod: ModelledMongod;
  readonly name: string;
  readonly cluster: string;
  readonly host: string;
  /** What its pod mounts for TLS, since when; the last one that has arrived there counts. */
  readonly mounts: { readonly at: number; readonly files: TlsFiles }[];
}

/** How long a call on a member that does not answer takes, in milliseconds. */
const patience = 3_000;

export class ModelledMongo implements MongoAccess {
  readonly isModel = true;
  readonly #options: ModelOptions;
  /** By the pod's uid and the count of its restarts. */
  readonly #processes = new Map<string, Process>();
  readonly #ended = new Set<string>();
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
      run: (login, host, db, command) => this.#runAs(login, host, db, command),
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
    this.#started(target);
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

  /** A process ends with its pod, not with what an older view shows of it, and does not begin again where such a view still shows it. */
  async keepOnly(cluster: string, pods: readonly Pod[], live: LivePod): Promise<void> {
    const alive = new Set(pods.filter(isAlive).map(keyOf));
    for (const [key, process] of this.#processes) {
      if (process.cluster !== cluster || alive.has(key)) continue;
      const pod = await live(process.name);
      if (pod && isAlive(pod) && keyOf(pod) === key) continue;
      process.mongod.stop();
      this.#processes.delete(key);
      this.#ended.add(key);
    }
  }

  async #command(target: AccessTarget, name: string, db: string, command: Document): Promise<Document> {
    const { mongod } = this.#process(target);
    this.onCommand?.(name, Object.keys(command)[0] ?? "", command);
    await this.#reach(name);
    if (mongod.refusal !== undefined) throw new MongoFailure("unavailable", `${name}: ${mongod.refusal}`);
    const certificate = this.#handshake(target, mongod, name);
    const from = connection({
      isLoopback: target.login === undefined,
      isTls: target.tls !== undefined,
      certificate,
    });
    const { login } = target;
    if (login && "certificate" in login) loggedIn(name, () => mongod.loginByCertificate(from));
    else if (login) loggedIn(name, () => mongod.login(from, login));
    const answer = await mongod.answer(from, { ...command, $db: db });
    if (this.#paused.has(name)) await this.#reach(name);
    return checked(answer, name);
  }

  /** A command of an agent. Its password or certificate is a file of its pod, which does not run: only its user is checked. */
  async #runAs(login: AgentLogin, host: string, db: string, command: Document): Promise<Document> {
    const found = [...this.#processes.values()].findLast((each) => each.host === host);
    if (!found) throw new MongoFailure("unavailable", `${host} is not there`);
    const { name, mongod } = found;
    this.onCommand?.(name, Object.keys(command)[0] ?? "", command);
    const resume = suspended(this.#options.clock());
    try {
      await this.#reach(name);
      const from = connection({ isLoopback: false, isTls: true });
      loggedIn(name, () => mongod.loginAs(from, login));
      return checked(await mongod.answer(from, { ...command, $db: db }), name);
    } finally {
      resume();
    }
  }

  async served(target: AccessTarget): Promise<string | undefined> {
    const { mongod, name } = this.#started(target) ?? {};
    if (!mongod || this.#paused.has(name ?? "") || mongod.refusal !== undefined) return undefined;
    return mongod.identity?.chain[0]?.fingerprint256;
  }

  /** The process of a pod; undefined where it cannot be reached. */
  #started(target: AccessTarget): Process | undefined {
    try {
      return this.#process(target);
    } catch (error) {
      if (error instanceof MongoFailure) return undefined;
      throw error;
    }
  }

  /** What a handshake of TLS would refuse; returns the certificate that the client has shown. */
  #handshake({ tls, login, host }: AccessTarget, mongod: ModelledMongod, name: string) {
    const { tlsMode } = mongod.options;
    const refuse = (why: string) => new MongoFailure("unavailable", `${name}: connection closed, ${why}`);
    if (tls ? tlsMode === "disabled" : tlsMode === "requireTLS") throw refuse(`its TLS mode is ${tlsMode}`);
    const { identity } = mongod;
    if (!tls || !identity) return undefined;
    const now = this.#options.clock().now();
    const [own] = identity.chain;
    if (!isTrusted(identity.chain, certificatesIn(tls.ca), now) || !own?.checkHost(host))
      throw refuse("its certificate is not trusted");
    const shown = login && "certificate" in login ? certificatesIn(login.certificate) : [];
    if (shown.length > 0 && !identity.trusts(shown, now)) throw refuse("it does not trust the certificate");
    return shown[0];
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
    if (known) return this.#mounting(known, started.tls);
    const name = pod.metadata?.name ?? "";
    if (this.#ended.has(key)) throw new MongoFailure("unavailable", `${name}: its process has ended`);
    if (started.config === undefined)
      throw new MongoFailure("unavailable", `${name}: it has no configuration`);
    // A process has the data of its claim; while that is not known, it must not be taken for one without data.
    const hasClaim = pod.spec?.volumes?.some(({ persistentVolumeClaim }) => persistentVolumeClaim);
    if (hasClaim && started.volume === undefined)
      throw new MongoFailure("unavailable", `${name}: its claim is not known yet`);
    const settings = readSettings(started.config);
    const volume = started.volume ?? pod.metadata?.uid ?? "";
    const disk = this.#volumes.get(volume) ?? new Disk();
    this.#volumes.set(volume, disk);
    // Another process on the same volume is one whose pod is gone.
    const clock = this.#options.clock();
    const mounts = started.tls ? [{ at: Number.NEGATIVE_INFINITY, files: started.tls }] : [];
    const place = { name, cluster, host: `${host}:${settings.port}`, mounts };
    const mongod = new ModelledMongod({
      host: `${host}:${settings.port}`,
      setName: settings.setName,
      version: versionOf(pod),
      keyFile: settings.keyFile === undefined ? undefined : started.keyFile,
      tlsMode: settings.tlsMode,
      tlsFiles: () => this.#mounted(place),
      clusterAuth: settings.clusterAuth,
      mechanisms: settings.mechanisms,
      clock,
      random: this.#options.random ?? Math.random,
      disk,
      catchUp: this.#options.catchUp,
      speed: this.#options.speed,
      call: (to, message) => this.#deliver(name, mongod, to, message),
    });
    const process = { ...place, mongod };
    this.#processes.set(key, process);
    mongod.start();
    return process;
  }

  /** Another content of the Secret is on its way to the pod. */
  #mounting(process: Process, files: TlsFiles | undefined): Process {
    const last = process.mounts.at(-1)?.files;
    const isNew = files && (files.ca !== last?.ca || files.certificateKey !== last.certificateKey);
    if (isNew) process.mounts.push({ at: this.#options.clock().now(), files });
    return process;
  }

  #mounted({ mounts, name }: Pick<Process, "mounts" | "name">): TlsFiles {
    const oldest = this.#options.clock().now() - (this.#options.mountLag ?? 0);
    const found = mounts.findLast(({ at }) => at <= oldest);
    if (!found) throw new MongoFailure("unavailable", `${name}: it mounts no certificate`);
    return found.files;
  }

  async #deliver(from: string, sender: ModelledMongod, to: string, message: PeerMessage): Promise<PeerReply> {
    const found = [...this.#processes.values()].findLast(({ host }) => host === to);
    if (!found) throw new Error(`${to} is not there`);
    if (this.#paused.has(from) || this.#paused.has(found.name)) {
      await sleep(this.#options.clock(), patience);
      throw new Error(`${to} does not answer`);
    }
    const { mongod } = found;
    checkPeers(sender, mongod, to, this.#options.clock().now());
    return mongod.receive(message);
  }
}

/** What members that do not take each other for members would refuse. */
function checkPeers(
  { options, clusterAuth, identity }: ModelledMongod,
  to: ModelledMongod,
  host: string,
  now: number,
) {
  const isTls = options.tlsMode === "preferTLS" || options.tlsMode === "requireTLS";
  if (isTls ? to.options.tlsMode === "disabled" : to.options.tlsMode === "requireTLS")
    throw new Error(`${host}: its TLS mode is ${to.options.tlsMode}`);
  const [own, other] = isTls ? [identity, to.identity] : [];
  if (own && other && !(own.trusts(other.chain, now) && other.trusts(own.chain, now)))
    throw new Error(`${host}: a certificate is not trusted`);
  const proof = sentBy(clusterAuth);
  const [shown] = own?.chain ?? [];
  const isMember =
    proof === "keyFile" ? to.options.keyFile === options.keyFile : shown && other?.isMember(shown);
  if (!accepts(to.clusterAuth, proof) || !isMember) throw new Error(`${host}: Authentication failed`);
}

/** The caller of a command keeps a virtual clock from moving, and a command may wait for time to pass: meanwhile the clock may move. */
function suspended(clock: Clock): () => void {
  return clock instanceof VirtualClock ? clock.suspend() : () => undefined;
}

function loggedIn(name: string, login: () => void): void {
  try {
    login();
  } catch (error) {
    throw new MongoFailure("login", `${name}: ${(error as Error).message}`, { code: 18 });
  }
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
