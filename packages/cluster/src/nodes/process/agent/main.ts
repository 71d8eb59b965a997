// The agent of process nodes: a program in the network namespace that their pods are joined to. It is the first process of the
// process namespace, too: when it ends, as it does when its cluster goes away in whatever manner, every process of every pod ends.
// It has a name server, makes Services reachable, and connects to pods on behalf of its cluster. In any other process loading it does
// nothing.
import { spawn } from "node:child_process";
import { readlinkSync } from "node:fs";
import { connect, type Socket } from "node:net";
import {
  type FromAgent,
  gateway,
  nodeRange,
  podRange,
  type ServiceTarget,
  type ToAgent,
} from "./messages.js";
import { NameServer } from "./name-server.js";
import { ServiceProxy } from "./service-proxy.js";

/** How long an endpoint may take to answer. */
const timeout = 5000;

class Agent {
  /** Empty where there is no network of its own. */
  readonly #ip: string;
  readonly #names = new NameServer();
  readonly #proxy: ServiceProxy;
  readonly #waiting = new Map<number, { resolve(socket: Socket): void; reject(error: Error): void }>();
  /** Parts of the address space, by their first two bytes, that are listened at. */
  readonly #owned = new Map<string, Promise<void>>();
  #nextId = 0;

  constructor(ip: string) {
    this.#ip = ip;
    this.#proxy = new ServiceProxy({
      connect: (target) => this.#connect(target),
      own: (address) => this.#own(address),
      report: (message) => process.stderr.write(`${message}\n`),
    });
  }

  async start(): Promise<void> {
    process.on("message", (message: ToAgent, socket?: Socket) => this.#receive(message, socket));
    process.on("disconnect", () => process.exit(0));
    if (this.#ip !== "") await this.#makeBridge();
    // The process file system is that of the machine, so this is the number the machine knows.
    this.#send({ kind: "ready", pid: Number(readlinkSync("/proc/self")) });
  }

  async #makeBridge(): Promise<void> {
    await this.#run([
      "link set lo up",
      "link add br0 type bridge",
      "link set br0 up",
      `addr add ${gateway}/32 dev br0`,
      `route add ${podRange} dev br0`,
      `route add local ${nodeRange} dev lo`,
    ]);
    await this.#names.listen(gateway);
  }

  #receive(message: ToAgent, socket: Socket | undefined): void {
    if (message.kind === "tables") {
      const { id, names, ports } = message;
      this.#names.update(names);
      void this.#proxy.update(ports).then(() => this.#send({ kind: "applied", id }));
    } else if (message.kind === "connect") this.#answer(message);
    else {
      const waiting = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      if (socket && waiting) waiting.resolve(socket);
      else {
        socket?.destroy();
        waiting?.reject(new Error(message.error ?? "not connected"));
      }
    }
  }

  #answer({ id, host, port }: Extract<ToAgent, { kind: "connect" }>): void {
    opened(host, port).then(
      (socket) => this.#send({ kind: "connected", id }, socket),
      (error: NodeJS.ErrnoException) =>
        this.#send({ kind: "connected", id, error: error.message, code: error.code }),
    );
  }

  #connect({ address, port, isOutside }: ServiceTarget): Promise<Socket> {
    if (!isOutside) return opened(address, port);
    const id = this.#nextId++;
    const found = new Promise<Socket>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#send({ kind: "connect", id, host: address, port });
    return found;
  }

  /** Addresses of Services are nobody's; a route makes them ours, many at a time. Loopback addresses are everybody's. */
  async #own(address: string): Promise<void> {
    if (this.#ip === "") return;
    const [first, second] = address.split(".");
    const range = `${first}.${second}.0.0/16`;
    const known = this.#owned.get(range) ?? this.#run([`route add local ${range} dev lo`]);
    this.#owned.set(range, known);
    return known;
  }

  #run(commands: readonly string[]): Promise<void> {
    const child = spawn(this.#ip, ["-batch", "-"], { stdio: ["pipe", "ignore", "pipe"] });
    let problem = "";
    child.stderr.on("data", (chunk) => {
      problem += chunk;
    });
    child.stdin.on("error", () => undefined);
    child.stdin.end(commands.map((command) => `${command}\n`).join(""));
    return new Promise((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code) => (code === 0 ? resolve() : reject(new Error(`ip: ${problem.trim()}`))));
    });
  }

  #send(message: FromAgent, socket?: Socket): void {
    if (process.connected) process.send?.(message, socket, {}, () => undefined);
  }
}

function opened(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, allowHalfOpen: true });
    // The receiver of the socket reads from it: nothing may be consumed before.
    socket.pause();
    socket.setTimeout(timeout, () => socket.destroy(new Error(`connect to ${host}:${port} timed out`)));
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.setTimeout(0);
      socket.off("error", reject);
      resolve(socket);
    });
  });
}

const [network, ip, mark] = process.argv.slice(2);
if (process.send && ip !== undefined && mark === "kubewright-agent")
  await new Agent(network === "bridge" ? ip : "").start().catch((error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    process.send?.({ kind: "failed", message } satisfies FromAgent, () => process.exit(1));
  });
