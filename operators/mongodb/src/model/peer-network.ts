// How members of the model reach each other over the network: with the driver, as the member that the key file makes them.
import { MongoClient } from "mongodb";
import type { PeerMessage, PeerReply } from "./peer-messages.js";
import { peerName } from "./server-commands.js";

export interface PeerNetworkOptions {
  readonly keyFile: string | undefined;
  readonly tls: boolean;
  readonly caFile: string | undefined;
  /** In milliseconds. */
  readonly timeout: number;
}

export class PeerNetwork {
  readonly #options: PeerNetworkOptions;
  readonly #clients = new Map<string, MongoClient>();

  constructor(options: PeerNetworkOptions) {
    this.#options = options;
  }

  async call(host: string, message: PeerMessage): Promise<PeerReply> {
    const answer = await this.#client(host).db("admin").command({ replicate: message });
    return answer["reply"] as PeerReply;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#clients.values()].map((client) => client.close(true)));
  }

  #client(host: string): MongoClient {
    const known = this.#clients.get(host);
    if (known) return known;
    const { keyFile, tls, caFile, timeout } = this.#options;
    const made = new MongoClient(`mongodb://${host}/?directConnection=true`, {
      ...(keyFile === undefined
        ? {}
        : {
            auth: { username: "__system", password: keyFile },
            authSource: "local",
            authMechanism: "SCRAM-SHA-256" as const,
          }),
      ...(tls
        ? {
            tls,
            tlsAllowInvalidHostnames: true,
            ...(caFile ? { tlsCAFile: caFile } : {}),
          }
        : {}),
      serverSelectionTimeoutMS: timeout,
      connectTimeoutMS: timeout,
      socketTimeoutMS: timeout,
      maxPoolSize: 2,
      appName: peerName,
      ignoreUndefined: true,
    });
    this.#clients.set(host, made);
    return made;
  }
}
