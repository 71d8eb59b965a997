// The contract between the operator and MongoDB: commands on one member. Every call has a deadline and rejects with a MongoFailure. The
// driver and the model both keep it, and one suite checks both.

/** A command or an answer, as BSON has it. */
export type Document = Readonly<Record<string, unknown>>;

export interface MongoMember {
  /** Runs a command; resolves with an answer that is ok. */
  command(db: string, command: Document): Promise<Document>;
}

/** A member whose documents are read one after the other, as they are stored. */
export interface ReadableMember extends MongoMember {
  /** Runs a command that answers with a cursor, and reads on to its end; documents are BSON. */
  documents(db: string, command: Document): AsyncIterable<Uint8Array>;
}

export type FailureKind =
  /** Nobody answers. */
  | "unavailable"
  /** No answer in time. Whether the command had an effect is unknown. */
  | "deadline"
  /** The user is unknown, or the password is another. */
  | "login"
  /** The member answered with an error. */
  | "refused";

/** A failed command. */
export class MongoFailure extends Error {
  override readonly name = "MongoFailure";
  readonly kind: FailureKind;
  /** MongoDB's number of the error. */
  readonly code: number | undefined;

  constructor(
    kind: FailureKind,
    message: string,
    options: ErrorOptions & { readonly code?: number | undefined } = {},
  ) {
    super(message, options);
    this.kind = kind;
    this.code = options.code;
  }
}

/** MongoDB's numbers of the errors that are told apart. */
export const errorCodes = {
  badValue: 2,
  userNotFound: 11,
  unauthorized: 13,
  namespaceNotFound: 26,
  authenticationFailed: 18,
  mechanismUnavailable: 334,
  alreadyInitialized: 23,
  roleNotFound: 31,
  namespaceExists: 48,
  commandNotFound: 59,
  writeConcernFailed: 64,
  invalidReplicaSetConfig: 93,
  notYetInitialized: 94,
  configurationIncompatible: 103,
  configurationInProgress: 109,
  exceededTimeLimit: 262,
  configNotCommitted: 308,
  primarySteppedDown: 189,
  snapshotTooOld: 239,
  snapshotUnavailable: 246,
  notWritablePrimary: 10107,
  duplicateKey: 11000,
  interruptedAtShutdown: 11600,
  notPrimaryNoSecondaryOk: 13435,
  roleExists: 51002,
  userExists: 51003,
} as const;

/** A password for a user of MongoDB. */
export interface Login {
  readonly user: string;
  readonly db: string;
  readonly password: string;
  /** Default: the one the member prefers. */
  readonly mechanism?: "SCRAM-SHA-1" | "SCRAM-SHA-256" | undefined;
}

/** A certificate that names a user of $external, or a member. */
export interface CertificateLogin {
  readonly mechanism: "MONGODB-X509";
  /** The subject of the certificate. */
  readonly user: string;
  readonly db: "$external";
  /** In PEM. */
  readonly certificate: string;
  readonly key: string;
}

export type Credentials = Login | CertificateLogin;

/** Certificates for connections with TLS, in PEM. */
export interface ClientTls {
  readonly ca: string;
  readonly certificate: string | undefined;
  readonly key: string | undefined;
}
