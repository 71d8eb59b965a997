// The ports of this machine by which the API server reaches pods: one for each port of a pod that it calls, leading there and
// nowhere else.
import { createServer, type Server } from "node:net";
import type { Address } from "@kubewright/apiserver";
import { join as joinSockets } from "./agent/service-proxy.js";
import type { NodeNetwork } from "./node-network.js";

export class ServiceDoors {
  readonly #doors = new Map<string, { readonly server: Server; readonly address: Promise<Address> }>();

  /** Where a port of a pod is reached from this process. */
  to(host: string, port: number, network: NodeNetwork): Promise<Address> {
    const key = `${host}:${port}`;
    const known = this.#doors.get(key);
    if (known) return known.address;
    const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (client) => {
      client.on("error", () => undefined);
      network.connect(host, port).then(
        (pod) => {
          joinSockets(client, pod);
          client.resume();
        },
        () => client.destroy(),
      );
    });
    const address = new Promise<Address>((resolve, reject) => {
      server.once("error", reject);
      server.listen(0, "127.0.0.1", () => {
        const bound = server.address();
        resolve({ host: "127.0.0.1", port: typeof bound === "object" && bound ? bound.port : 0 });
      });
    });
    server.unref();
    this.#doors.set(key, { server, address });
    return address;
  }

  close(): void {
    for (const { server } of this.#doors.values()) server.close();
    this.#doors.clear();
  }
}
