// What a command of the model gets and gives: the process it runs in, the connection it came on, and its answer.
import type { X509Certificate } from "node:crypto";
import type { Clock } from "@kubewright/api";
import type { Document } from "../client/mongo-member.js";
import type { Mechanism, ScramCredential } from "../client/scram.js";
import type { Sort } from "./authorization.js";
import { badValue } from "./command-error.js";
import type { Cursors } from "./cursors.js";
import type { Disk } from "./disk.js";
import type { ModelData, Operation } from "./operations.js";
import type { PeerMessage, PeerReply } from "./peer-messages.js";
import type { Replication } from "./replication.js";
import type { TlsFiles, TlsIdentity } from "./tls-identity.js";

export type TlsMode = "disabled" | "allowTLS" | "preferTLS" | "requireTLS";
export type ClusterAuthMode = "keyFile" | "sendKeyFile" | "sendX509" | "x509";

export interface MongodOptions {
  /** This member, as host and port. */
  readonly host: string;
  readonly setName: string;
  readonly version: string;
  /** The contents of the key file; without one nobody has to log in. */
  readonly keyFile: string | undefined;
  readonly tlsMode: TlsMode;
  /** Reads its certificate files; at the start, and when certificates are rotated. */
  readonly tlsFiles?: (() => TlsFiles) | undefined;
  /** Default: by the key file. */
  readonly clusterAuth?: ClusterAuthMode | undefined;
  /** The mechanisms that users may log in by. Default: all. */
  readonly mechanisms?: readonly string[] | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly disk: Disk;
  /** How long an empty member copies the data of another, in milliseconds. */
  readonly catchUp?: number | undefined;
  /** All times are divided by it. */
  readonly speed?: number | undefined;
  call(host: string, message: PeerMessage): Promise<PeerReply>;
}

export interface Opcounters {
  insert: number;
  query: number;
  update: number;
  delete: number;
  getmore: number;
  command: number;
}

/** A process of the model, as commands see it. */
export interface Mongod {
  readonly options: MongodOptions;
  readonly version: string;
  readonly startedAt: number;
  /** Operations since the process started. */
  readonly opcounters: Opcounters;
  readonly data: ModelData;
  readonly replication: Replication;
  /** Cursors that clients have not read to their end. */
  readonly cursors: Cursors;
  readonly clusterAuth: ClusterAuthMode;
  /** What it has read of its certificate files; undefined without TLS. */
  readonly identity: TlsIdentity | undefined;
  /** Reads its certificate files anew. */
  rotate(): void;
  /** Replicates a write; the answer names a majority that was not reached in time. */
  write(operation: Operation, command: Document): Promise<Document>;
  /** Waits for a condition that heartbeats bring about; false when the time is over. */
  until(isReached: () => boolean, limit: number): Promise<boolean>;
  receive(message: PeerMessage): PeerReply;
}

/** A SCRAM handshake that is under way. */
export interface Conversation {
  readonly user: string;
  readonly db: string;
  readonly mechanism: Mechanism;
  readonly credential: ScramCredential;
  readonly nonce: string;
  readonly clientFirst: string;
  readonly serverFirst: string;
}

/** One connection, and who has logged in on it. */
export interface Connection {
  /** It comes from inside the pod. */
  readonly isLoopback: boolean;
  readonly isTls: boolean;
  /** The client's certificate, where it has shown one that is trusted. */
  readonly certificate?: X509Certificate | undefined;
  /** Keys of users. */
  readonly logins: Set<string>;
  isSystem: boolean;
  conversation: Conversation | undefined;
}

export const connection = (from: Pick<Connection, "isLoopback" | "isTls" | "certificate">): Connection => ({
  ...from,
  logins: new Set(),
  isSystem: false,
  conversation: undefined,
});

export interface Call {
  readonly mongod: Mongod;
  readonly connection: Connection;
  readonly db: string;
  readonly name: string;
  readonly command: Document;
}

export interface CommandHandler {
  readonly sort: Sort;
  /** Only a primary takes it. */
  readonly onPrimary?: boolean | undefined;
  /** The first version that has it. */
  readonly since?: string | undefined;
  run(call: Call): Document | Promise<Document>;
}

/** The rounds of hashing of a password; real members use more. */
export const iterations = 4096;

export function textOf(value: unknown, what: string): string {
  if (typeof value !== "string" || value === "") throw badValue(`${what} must be a non-empty string`);
  return value;
}
