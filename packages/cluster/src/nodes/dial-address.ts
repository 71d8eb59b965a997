// Connections to ports of nodes that run in other processes, and of their pods.
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import type { PortTarget } from "@kubewright/apiserver";

/** As long as kube-apiserver waits. */
const dialTimeout = 30_000;

/** Rejects with the error of the connection. */
export function dialAddress({ address, port, signal }: PortTarget): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port, allowHalfOpen: true });
    const timeout = AbortSignal.any([AbortSignal.timeout(dialTimeout), ...(signal ? [signal] : [])]);
    const onTimeout = (): void => {
      socket.destroy(Object.assign(new Error("i/o timeout"), { code: "ETIMEDOUT" }));
    };
    timeout.addEventListener("abort", onTimeout, { once: true });
    socket.once("error", reject);
    socket.once("connect", () => {
      timeout.removeEventListener("abort", onTimeout);
      socket.off("error", reject);
      resolve(socket);
    });
  });
}
