// One member, as MongoDB's driver reaches it: a direct connection, a deadline for every command, errors as the contract has them.
import {
  MongoClient,
  type MongoClientOptions,
  MongoError,
  MongoErrorLabel,
  MongoNetworkTimeoutError,
  MongoServerError,
} from "mongodb";
import {
  type ClientTls,
  type Credentials,
  type Document,
  errorCodes,
  MongoFailure,
  type ReadableMember,
} from "./mongo-member.js";

export interface DriverMemberOptions {
  /** For error messages. */
  readonly what: string;
  /** Host and port. */
  readonly address: () => Promise<string>;
  readonly login: Credentials | undefined;
  readonly tls: (ClientTls & { readonly serverName: string }) | undefined;
  /** In milliseconds. */
  readonly timeouts: { readonly connect: number; readonly command: number };
}

export class DriverMember implements ReadableMember {
  readonly #options: DriverMemberOptions;
  #client: Promise<MongoClient> | undefined;
  #isClosed = false;

  constructor(options: DriverMemberOptions) {
    this.#options = options;
  }

  async command(db: string, command: Document): Promise<Document> {
    try {
      const client = await this.#connected();
      return checked(await client.db(db).command({ ...command }), this.#options.what);
    } catch (error) {
      throw failureOf(error, this.#options.what);
    }
  }

  async *documents(db: string, command: Document): AsyncIterable<Uint8Array> {
    try {
      const client = await this.#connected();
      // The driver gives bytes for documents where `raw` is set, and has no type for it.
      const cursor = client.db(db).runCursorCommand({ ...command }, { raw: true });
      for await (const document of cursor) yield document as unknown as Uint8Array;
    } catch (error) {
      throw failureOf(error, this.#options.what);
    }
  }

  close(): void {
    this.#isClosed = true;
    void this.#client?.then((client) => client.close(true)).catch(() => undefined);
    this.#client = undefined;
  }

  #connected(): Promise<MongoClient> {
    if (this.#isClosed)
      return Promise.reject(new MongoFailure("unavailable", `${this.#options.what}: closed`));
    this.#client ??= this.#make();
    // An address that could not be had, or did not answer, is asked for anew.
    this.#client.catch(() => {
      this.#client = undefined;
    });
    return this.#client;
  }

  async #make(): Promise<MongoClient> {
    const { address, login, tls, timeouts } = this.#options;
    const options: MongoClientOptions = {
      directConnection: true,
      serverSelectionTimeoutMS: timeouts.connect,
      connectTimeoutMS: timeouts.connect,
      socketTimeoutMS: timeouts.command,
      maxPoolSize: 2,
      retryReads: false,
      retryWrites: false,
      // Members are asked all the time anyway.
      serverMonitoringMode: "poll",
      heartbeatFrequencyMS: 10_000,
      appName: "mongodb-operator",
      ...(login ? loginOptions(login) : {}),
      ...(tls ? tlsOptions(login && "certificate" in login ? { ...tls, ...certificateOf(login) } : tls) : {}),
    };
    const client = new MongoClient(`mongodb://${await address()}/`, options);
    try {
      return await client.connect();
    } catch (error) {
      // A client whose first connection failed never tries again: the next command makes another one.
      await client.close(true).catch(() => undefined);
      throw error;
    }
  }
}

function loginOptions(login: Credentials): MongoClientOptions {
  // The certificate itself says who it is for.
  if ("certificate" in login) return { authMechanism: login.mechanism, authSource: login.db };
  const { user, db, password, mechanism } = login;
  return {
    auth: { username: user, password },
    authSource: db,
    ...(mechanism ? { authMechanism: mechanism } : {}),
  };
}

const certificateOf = ({ certificate, key }: Pick<ClientTls, "certificate" | "key">) => ({
  certificate,
  key,
});

const tlsOptions = ({
  ca,
  certificate,
  key,
  serverName,
}: ClientTls & { serverName: string }): MongoClientOptions => ({
  tls: true,
  ca: [ca],
  // The address may be a relay's or a pod's; the certificate is the member's.
  servername: serverName,
  ...(certificate && key ? { cert: certificate, key } : {}),
});

function checked(answer: Document, what: string): Document {
  const late = answer["writeConcernError"] as Document | undefined;
  if (late) throw new MongoFailure("deadline", `${what}: ${late["errmsg"]}`, { code: Number(late["code"]) });
  return answer;
}

const notLoggedIn: ReadonlySet<number> = new Set([
  errorCodes.authenticationFailed,
  errorCodes.mechanismUnavailable,
]);

/** A certificate of no user is answered as a command on an unknown user is; the driver says which of both it was. */
function isLogin(error: MongoServerError, code: number): boolean {
  const isInHandshake = error.hasErrorLabel(MongoErrorLabel.HandshakeError);
  return notLoggedIn.has(code) || (isInHandshake && code === errorCodes.userNotFound);
}

function failureOf(error: unknown, what: string): unknown {
  if (error instanceof MongoFailure || !(error instanceof MongoError)) return error;
  const { message } = error;
  if (error instanceof MongoServerError) {
    const code = Number(error.code ?? 0);
    const kind = isLogin(error, code) ? "login" : "refused";
    return new MongoFailure(kind, `${what}: ${message}`, { cause: error, code });
  }
  const kind = error instanceof MongoNetworkTimeoutError ? "deadline" : "unavailable";
  return new MongoFailure(kind, `${what}: ${message}`, { cause: error });
}
