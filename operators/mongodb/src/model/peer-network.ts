// How members of the model reach each other over the network: with the driver, as the member that the key file or their certificate makes
// them.
import { MongoClient, type MongoClientOptions } from "mongodb";
import type { Proof } from "./cluster-auth.js";
import type { PeerMessage, PeerReply } from "./peer-messages.js";
import { peerName } from "./server-commands.js";
import type { TlsFiles } from "./tls-identity.js";

export interface PeerNetworkOptions {
  readonly keyFile: string | undefined;
  /** What they show each other. */
  readonly proof: Proof;
  /** Undefined where members talk without TLS. */
  readonly tls: (() => TlsFiles) | undefined;
  /** In milliseconds. */
  readonly timeout: number;
}

export class PeerNetwork {
  readonly #options: PeerNetworkOptions;
  readonly #clients = new Map<string, Promise<MongoClient>>();

  constructor(options: PeerNetworkOptions) {
    this.#options = options;
  }

  async call(host: string, message: PeerMessage): Promise<PeerReply> {
    const client = await this.#client(host);
    const answer = await client.db("admin").command({ replicate: message });
    return answer["reply"] as PeerReply;
  }

  /** Connects anew, with the certificates as they are now. */
  async reconnect(): Promise<void> {
    const before = [...this.#clients.values()];
    this.#clients.clear();
    await Promise.allSettled(before.map(async (client) => (await client).close(true)));
  }

  close(): Promise<void> {
    return this.reconnect();
  }

  #client(host: string): Promise<MongoClient> {
    const known = this.#clients.get(host);
    if (known) return known;
    const { timeout } = this.#options;
    const made = new MongoClient(`mongodb://${host}/?directConnection=true`, {
      ...this.#login(),
      ...this.#tls(),
      serverSelectionTimeoutMS: timeout,
      connectTimeoutMS: timeout,
      socketTimeoutMS: timeout,
      maxPoolSize: 2,
      appName: peerName,
      ignoreUndefined: true,
    });
    const connected = made.connect();
    this.#clients.set(host, connected);
    // A client whose first connection failed never tries again.
    connected.catch(() => {
      if (this.#clients.get(host) === connected) this.#clients.delete(host);
      void made.close(true).catch(() => undefined);
    });
    return connected;
  }

  #login(): MongoClientOptions {
    const { keyFile, proof } = this.#options;
    if (proof === "x509") return { authMechanism: "MONGODB-X509", authSource: "$external" };
    return keyFile === undefined
      ? {}
      : {
          auth: { username: "__system", password: keyFile },
          authSource: "local",
          authMechanism: "SCRAM-SHA-256",
        };
  }

  /** Members show their certificates whatever they log in with. */
  #tls(): MongoClientOptions {
    const files = this.#options.tls?.();
    if (!files) return {};
    const { ca, certificateKey } = files;
    return { tls: true, tlsAllowInvalidHostnames: true, ca: [ca], cert: certificateKey, key: certificateKey };
  }
}
