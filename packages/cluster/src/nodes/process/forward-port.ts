// Forwards a client's connection to a port of a pod: to its address, or, for what listens to itself only, to its loopback.
import { spawn } from "node:child_process";
import type { Duplex } from "node:stream";
import { Duplex as DuplexStream } from "node:stream";
import type { PortCall } from "../rules/rule.js";
import type { Isolation } from "./machine.js";
import type { NodeNetwork } from "./node-network.js";

export interface ForwardMeans {
  readonly network: NodeNetwork;
  readonly isolation: Isolation;
  /** Of the place of the pod. */
  readonly pid: number;
}

/** Passes bytes between its input and output and a port of the loopback it finds itself with. */
const relay = `const s = require("net").connect({ port: +process.argv[1], host: "127.0.0.1", allowHalfOpen: true });
s.on("error", (e) => { process.stderr.write(e.message); process.exit(1); }); process.stdin.pipe(s); s.pipe(process.stdout);`;

export async function forwardPort(
  { pod, port, received, signal, send }: PortCall,
  means: ForwardMeans,
): Promise<void> {
  const { network } = means;
  const stream: Duplex = await network
    .connect(pod.status?.podIP ?? "", port)
    .catch<Duplex>(() => toLoopback(port, means));
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

/** The loopback of the pod is that of this machine where pods have no network of their own. */
async function toLoopback(port: number, means: ForwardMeans): Promise<Duplex> {
  if (means.isolation.network === "loopback") return means.network.connect("127.0.0.1", port);
  return throughLoopback(port, means);
}

function throughLoopback(port: number, { network, isolation, pid }: ForwardMeans): Duplex {
  const args = [...network.enter(["--net"], pid), "--", process.execPath, "-e", relay, String(port)];
  const child = spawn(isolation.tools.nsenter, args, { stdio: ["pipe", "pipe", "pipe"], env: {} });
  let problem = "";
  child.stderr.on("data", (chunk) => {
    problem += chunk;
  });
  const stream = DuplexStream.from({ writable: child.stdin, readable: child.stdout });
  child.once("close", (code) => {
    if (code !== 0) stream.destroy(new Error(`failed to connect to localhost:${port}: ${problem.trim()}`));
  });
  stream.once("close", () => child.kill("SIGKILL"));
  return stream;
}
