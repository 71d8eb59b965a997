// An API server on a port, for clients from elsewhere: nothing but the server changes objects, and it can be
// replaced by an empty one at the same address, as when a server without a disk starts again.
import { systemClock } from "@kubewright/api";
import { createCertificateAuthority } from "@kubewright/api/x509";
import { type ApiServer, admin, createApiServer, type Listener, listen } from "@kubewright/apiserver";
import { kubeconfig } from "@kubewright/cluster";

type Listening = (port: number, server: ApiServer) => Promise<Listener>;

const token = "for-tests-only";
const hour = 60 * 60 * 1000;

export class Served {
  /** For `KUBECONFIG`. */
  readonly kubeconfig: string;
  readonly #listenOn: Listening;
  #server: ApiServer;
  #listener: Listener;

  private constructor(listenOn: Listening, server: ApiServer, listener: Listener, authority: string) {
    this.#listenOn = listenOn;
    this.#server = server;
    this.#listener = listener;
    this.kubeconfig = kubeconfig({ server: listener.url, authority, token });
  }

  static async start(): Promise<Served> {
    const now = systemClock.now();
    const lifetime = { notBefore: now - hour, notAfter: now + hour };
    const authority = createCertificateAuthority({ commonName: "peers", ...lifetime });
    const serving = authority.issue({
      commonName: "kube-apiserver",
      hosts: ["127.0.0.1"],
      usage: "server",
      ...lifetime,
    });
    const listenOn: Listening = (port, server) =>
      listen((request, peer) => server.handle(request, peer), {
        host: "127.0.0.1",
        port,
        serving,
        clientAuthority: authority.certificate,
      });
    const server = newServer();
    return new Served(listenOn, server, await listenOn(0, server), authority.certificate);
  }

  /** Cuts every connection. */
  async listenAgain(): Promise<void> {
    const { port } = this.#listener;
    await this.#listener.close();
    this.#listener = await this.#listenOn(port, this.#server);
  }

  /** Cuts every connection and forgets every object. */
  async restart(): Promise<void> {
    this.#server.close();
    this.#server = newServer();
    await this.listenAgain();
  }

  async close(): Promise<void> {
    await this.#listener.close();
    this.#server.close();
  }
}

const newServer = (): ApiServer => createApiServer({ clock: systemClock, tokens: new Map([[token, admin]]) });
