// A model of one mongod process: it takes commands on connections, checks who may run them, and replicates with other such models. It
// stands for mongod where there is none: in tests, and in pods of simulated nodes. It is not mongod, stores little, and says so in its
// buildInfo. What it promises is what test/mongodb/contract.test.ts asks of it and of real mongod alike.
import type { AgentLogin } from "../client/login-files.js";
import type { Document } from "../client/mongo-member.js";
import { scramCredential } from "../client/scram.js";
import { compareVersions, seriesBefore, seriesOf } from "../release/series.js";
import { isExcepted, mayRun, type Sort, system } from "./authorization.js";
import { accepts, modeRefusal } from "./cluster-auth.js";
import type { ClusterAuthMode, CommandHandler, Connection, Mongod, MongodOptions } from "./command.js";
import { CommandError, notPrimary, unauthorized } from "./command-error.js";
import { Cursors } from "./cursors.js";
import { dataCommands } from "./data-commands.js";
import { ModelData, type Operation, type StoredUser, userKey } from "./operations.js";
import type { PeerMessage, PeerReply } from "./peer-messages.js";
import { readCommands } from "./read-commands.js";
import { replicaSetCommands } from "./replica-set-commands.js";
import { Replication } from "./replication.js";
import { checkEnabled, loggedIn, saslCommands } from "./sasl-commands.js";
import { serverCommands } from "./server-commands.js";
import { TlsIdentity } from "./tls-identity.js";
import { userCommands } from "./user-commands.js";

const handlers: Readonly<Record<string, CommandHandler>> = {
  ...serverCommands,
  ...replicaSetCommands,
  ...userCommands,
  ...saslCommands,
  ...dataCommands,
  ...readCommands,
};
const byLowerCase = new Map(Object.entries(handlers).map(([name, handler]) => [name.toLowerCase(), handler]));

const counterNames = { insert: "insert", find: "query", delete: "delete", getMore: "getmore" } as const;
const counterOf = (name: string) => counterNames[name as keyof typeof counterNames] ?? "command";

export class ModelledMongod implements Mongod {
  readonly options: MongodOptions;
  readonly data = new ModelData();
  readonly cursors = new Cursors();
  readonly opcounters = { insert: 0, query: 0, update: 0, delete: 0, getmore: 0, command: 0 };
  readonly replication: Replication;
  readonly startedAt: number;
  /** Why the process ended by itself, if it did. */
  readonly refusal: string | undefined;
  /** Called when its certificates were read again. */
  onRotate: (() => void) | undefined;
  identity: TlsIdentity | undefined;

  constructor(options: MongodOptions) {
    this.options = options;
    this.startedAt = options.clock.monotonic();
    this.replication = new Replication({
      clock: options.clock,
      random: options.random,
      disk: options.disk,
      data: this.data,
      self: options.host,
      setName: options.setName,
      hasTerms: compareVersions(options.version, "4.4.0") >= 0,
      catchUp: options.catchUp ?? 0,
      speed: options.speed ?? 1,
      call: options.call,
    });
    this.refusal = modeRefusal(this.clusterAuth, options.tlsMode) ?? this.#refusal();
    this.rotate();
  }

  get clusterAuth(): ClusterAuthMode {
    return this.options.clusterAuth ?? "keyFile";
  }

  rotate(): void {
    const { tlsFiles, tlsMode } = this.options;
    if (!tlsFiles || tlsMode === "disabled") return;
    this.identity = new TlsIdentity(tlsFiles());
    this.onRotate?.();
  }

  start(): void {
    if (this.refusal === undefined) this.replication.start();
  }

  stop(): void {
    this.replication.stop();
  }

  get version(): string {
    return this.options.version;
  }

  /** A member starts only on data of its own feature compatibility version, or of the one before. */
  #refusal(): string | undefined {
    const { compatibility } = this.data;
    const own = seriesOf(this.version);
    if (compatibility === "" || compatibility === own || compatibility === seriesBefore(own))
      return undefined;
    return `UPGRADE PROBLEM: Found an invalid featureCompatibilityVersion document (ERROR: BadValue: Invalid value for version, found ${compatibility}, expected '${own}' or '${seriesBefore(own)}')`;
  }

  /** Answers a command; errors are answers, too. */
  async answer(from: Connection, command: Document): Promise<Document> {
    try {
      return { ok: 1, ...(await this.#run(from, command)) };
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      return { ok: 0, errmsg: error.message, code: error.code, codeName: error.codeName };
    }
  }

  async #run(from: Connection, command: Document): Promise<Document> {
    if (this.refusal !== undefined) throw new Error(this.refusal);
    const [name = ""] = Object.keys(command);
    const db = String(command["$db"] ?? "admin");
    const handler = byLowerCase.get(name.toLowerCase());
    if (!handler || (handler.since && compareVersions(this.version, handler.since) < 0))
      throw new CommandError(59, "CommandNotFound", `no such command: '${name}'`);
    this.#authorize(from, handler.sort, db, name);
    this.opcounters[counterOf(name)] += 1;
    if (handler.onPrimary && !this.replication.isPrimary) throw notPrimary();
    return handler.run({ mongod: this, connection: from, db, name, command });
  }

  #authorize(from: Connection, sort: Sort, db: string, name: string): void {
    const isOpen = this.options.keyFile === undefined && this.clusterAuth === "keyFile";
    if (sort === "open" || isOpen || from.isSystem) return;
    const users = [...from.logins].flatMap((key) => this.data.users.get(key) ?? []);
    if (sort !== "internal" && mayRun(this.data, users, sort, db)) return;
    if (isExcepted(this.data, sort, from) && (sort !== "first-user" || db === "admin" || db === "$external"))
      return;
    throw unauthorized(
      users.length === 0
        ? `command ${name} requires authentication`
        : `not authorized on ${db} to execute command ${name}`,
    );
  }

  /** Replicates a write; the answer names a majority that was not reached in time. */
  async write(operation: Operation, command: Document): Promise<Document> {
    const concern = (command["writeConcern"] ?? {}) as Document;
    const isMajority = concern["w"] === "majority" || Number(concern["w"] ?? 1) > 1;
    const work = this.replication.write(operation, { isMajority });
    const limit = Number(concern["wtimeout"] ?? concern["wtimeoutMS"] ?? 0);
    if (!isMajority || limit <= 0) {
      await work;
      return {};
    }
    return (await this.#inTime(work, limit / (this.options.speed ?? 1)))
      ? {}
      : {
          writeConcernError: {
            code: 64,
            codeName: "WriteConcernFailed",
            errmsg: "waiting for replication timed out",
            errInfo: { wtimeout: true },
          },
        };
  }

  /** Whether work ends before a time limit. */
  async #inTime(work: Promise<unknown>, limit: number): Promise<boolean> {
    let timer: { cancel(): void } | undefined;
    const timeout = new Promise<false>((resolve) => {
      timer = this.options.clock.setTimer(limit, () => resolve(false));
    });
    try {
      return await Promise.race([work.then(() => true), timeout]);
    } finally {
      timer?.cancel();
      work.catch(() => undefined);
    }
  }

  /** Waits for a condition that heartbeats bring about. */
  async until(isReached: () => boolean, limit: number): Promise<boolean> {
    const { clock, speed = 1 } = this.options;
    const end = clock.monotonic() + limit / speed;
    while (!isReached()) {
      if (clock.monotonic() >= end) return false;
      await new Promise<void>((resolve) => {
        clock.setTimer(20, resolve);
      });
    }
    return true;
  }

  /** Logs a connection in without a handshake, as a handshake over the wire would. */
  login(from: Connection, { user, db, password }: { user: string; db: string; password: string }): void {
    const failed = new CommandError(18, "AuthenticationFailed", "Authentication failed.");
    if (user === system.user && db === "local") {
      if (password !== this.options.keyFile || !accepts(this.clusterAuth, "keyFile")) throw failed;
      from.isSystem = true;
      return;
    }
    checkEnabled({ mongod: this }, "SCRAM-SHA-256");
    const stored = this.data.users.get(userKey(db, user));
    if (!stored || !this.#isPassword(stored, password)) throw failed;
    from.logins.add(userKey(db, user));
  }

  /** Logs in a client by the certificate of its connection. */
  loginByCertificate(from: Connection): void {
    if (!from.certificate) throw new CommandError(18, "AuthenticationFailed", "Authentication failed.");
    loggedIn({ mongod: this, connection: from }, from.certificate);
  }

  /** Logs a user in that would have the right password or certificate. */
  loginAs(from: Connection, { user, db }: AgentLogin): void {
    checkEnabled({ mongod: this }, db === "$external" ? "MONGODB-X509" : "SCRAM-SHA-256");
    if (!this.data.users.has(userKey(db, user)))
      throw new CommandError(18, "AuthenticationFailed", "Authentication failed.");
    from.logins.add(userKey(db, user));
  }

  readonly #checked = new Map<string, string>();

  #isPassword({ user, db, credentials }: StoredUser, password: string): boolean {
    const mechanism = credentials["SCRAM-SHA-256"] ? "SCRAM-SHA-256" : "SCRAM-SHA-1";
    const stored = credentials[mechanism];
    if (!stored) return false;
    const key = `${userKey(db, user)} ${stored.salt} ${password}`;
    const known = this.#checked.get(key);
    if (known !== undefined) return known === stored.storedKey;
    const salt = Buffer.from(stored.salt, "base64");
    const { storedKey } = scramCredential(mechanism, user, password, salt, stored.iterationCount);
    this.#checked.set(key, storedKey);
    return storedKey === stored.storedKey;
  }

  /** What another member sends; only one that has the key file may. */
  receive(message: PeerMessage): PeerReply {
    if (this.refusal !== undefined) throw new Error(this.refusal);
    return this.replication.receive(message);
  }
}
