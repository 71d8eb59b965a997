// Forwards a client's connection to a port of a pod, on the pod's own loopback, as container runtimes do: what listens to itself only is
// reached, and programs that trust connections from inside their pod see one.
import { spawn } from "node:child_process";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { PortCall } from "../rules/rule.js";
import type { Isolation } from "./machine.js";
import type { NodeNetwork } from "./node-network.js";

export interface ForwardMeans {
  readonly network: NodeNetwork;
  readonly isolation: Isolation;
  /** Of the place of the pod. */
  readonly pid: number;
}

/** Connects to a port of the loopback it finds itself with, and hands the connection over. */
const dial = `const s = require("net").connect({ port: +process.argv[1], host: "127.0.0.1" });
s.pause(); const end = () => process.exit(0);
s.on("connect", () => process.send("connected", s, { keepOpen: false }, end)); s.on("error", (e) => process.send(e.message, end));`;

export async function forwardPort(
  { pod, port, received, signal, send }: PortCall,
  means: ForwardMeans,
): Promise<void> {
  const stream = await toLoopback(pod.status?.podIP ?? "", port, means);
  const onAbort = (): void => void stream.destroy();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    const sending = (async () => {
      for await (const chunk of received)
        if (!stream.write(chunk)) await new Promise((resolve) => stream.once("drain", resolve));
      stream.end();
    })();
    sending.catch(onAbort);
    for await (const chunk of stream) await send(chunk);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener("abort", onAbort);
    stream.destroy();
  }
}

/** Pods without a network of their own have an address of this machine's loopback, and some listen to the usual one. */
async function toLoopback(address: string, port: number, means: ForwardMeans): Promise<Duplex> {
  const { network, isolation } = means;
  if (isolation.network !== "loopback") return insidePod(port, means);
  return network.connect(address, port).catch(() => network.connect("127.0.0.1", port));
}

/** A connection that a short-lived process in the pod's network has opened. */
function insidePod(port: number, { network, isolation, pid }: ForwardMeans): Promise<Duplex> {
  const args = [...network.enter(["--net"], pid), "--", process.execPath, "-e", dial, String(port)];
  const child = spawn(isolation.tools.nsenter, args, {
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    env: {},
  });
  return new Promise((resolve, reject) => {
    const fail = (problem: string): void =>
      reject(new Error(`failed to connect to localhost:${port}: ${problem}`));
    child.once("error", (error) => fail(error.message));
    child.once("exit", (code) => fail(`the process that connects ended with ${code}`));
    child.once("message", (problem, handle) => {
      if (handle instanceof Socket) resolve(handle);
      else fail(String(problem));
    });
  });
}
