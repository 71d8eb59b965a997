// A cluster with process nodes for tests, in each of the ways this machine allows.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  EndpointSlice,
  isNotFound,
  type KubeObject,
  Pod,
  type PodSpec,
  type ResourceDescriptor,
} from "@kubewright/api";
import { admin } from "@kubewright/apiserver";
import type { Client } from "@kubewright/client";
import { type Cluster, type ClusterOptions, type Endpoint, startCluster } from "@kubewright/cluster";
import { ProcessRuntime, type ProcessRuntimeOptions } from "@kubewright/cluster/process";
import { bundle } from "../bundle.js";

export const namespace = "default";

/** A way to keep pods apart that this machine has, or why it has not. */
export interface Mode {
  readonly name: string;
  readonly userNamespace: boolean;
  readonly missing: string | undefined;
}

const works = (flags: string): boolean =>
  spawnSync("unshare", [flags, "--fork", "ip", "link", "add", "br0", "type", "bridge"]).status === 0;

const isRoot = process.getuid?.() === 0;
export const modes: readonly Mode[] = [
  {
    name: "as root",
    userNamespace: false,
    missing: isRoot && works("-nmp") ? undefined : "needs root and iproute2",
  },
  {
    name: "in a user namespace",
    userNamespace: true,
    missing: works("-Urnmp") ? undefined : "unshare -Urnmp and iproute2 do not work here",
  },
];

/** `npm run test:process-nodes` runs everything, in every mode and many times. */
export const isLong = process.env["KUBEWRIGHT_LONG"] === "1";

/** The modes for tests that one mode is enough for: the one that anybody has. */
export const oneMode: readonly Mode[] = isLong ? modes : modes.slice(-1);

/** The agent from its sources, in a folder that other users can read. */
export async function bundledAgent(folder: string): Promise<string> {
  const outfile = join(folder, "process-agent.js");
  await bundle({ entryPoints: ["packages/cluster/src/nodes/process/agent/main.ts"], outfile });
  return outfile;
}

export class ProcessCluster {
  readonly cluster: Cluster;
  readonly client: Client;
  readonly endpoint: Endpoint;
  readonly runtime: ProcessRuntime;
  readonly problems: string[];
  readonly #folder: string;

  private constructor(
    parts: Pick<ProcessCluster, "cluster" | "endpoint" | "runtime" | "problems">,
    folder: string,
  ) {
    this.cluster = parts.cluster;
    this.client = parts.cluster.client;
    this.endpoint = parts.endpoint;
    this.runtime = parts.runtime;
    this.problems = parts.problems;
    this.#folder = folder;
  }

  static async start(
    options: ProcessRuntimeOptions,
    clusterOptions: ClusterOptions = {},
  ): Promise<ProcessCluster> {
    const folder = mkdtempSync(join(tmpdir(), "kubewright-process-test-"));
    const agent = await bundledAgent(folder);
    const runtime = new ProcessRuntime({ path: process.env["PATH"], agent, ...options });
    const problems: string[] = [];
    const onError = (where: string, error: unknown) => problems.push(`${where}: ${error}`);
    const cluster = await startCluster({ runtime, onError, nodes: 2, ...clusterOptions });
    return new ProcessCluster({ cluster, endpoint: await cluster.listen(), runtime, problems }, folder);
  }

  async run(name: string, spec: PodSpec, metadata: object = {}): Promise<Pod> {
    const body = {
      metadata: { ...metadata, name, namespace },
      spec: { terminationGracePeriodSeconds: 1, ...spec },
    };
    return this.client.create(Pod, body);
  }

  /** Polls until the object is as expected. */
  async until<T extends KubeObject>(
    kind: ResourceDescriptor<T, never> | ResourceDescriptor<T>,
    name: string,
    test: (object: T) => boolean,
    timeout = 40_000,
  ): Promise<T> {
    let last: T | undefined;
    await eventually(
      async () => {
        // One that is replaced is not there for a moment.
        last = await this.client
          .get(kind as ResourceDescriptor<T>, name, { namespace })
          .catch((error: unknown) => (isNotFound(error) ? undefined : Promise.reject(error)));
        return last !== undefined && test(last);
      },
      () => `${kind.kind} ${name}: ${JSON.stringify(last && "status" in last ? last.status : last)}`,
      timeout,
    );
    return last as T;
  }

  async finished(name: string): Promise<Pod> {
    return this.until(Pod, name, ({ status }) => status?.phase === "Succeeded" || status?.phase === "Failed");
  }

  async ready(name: string): Promise<Pod> {
    return this.until(
      Pod,
      name,
      ({ status }) =>
        status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") ?? false,
    );
  }

  /** Waits until a Service has so many ready endpoints: pods are ready a moment before. */
  async endpoints(service: string, count: number): Promise<void> {
    const labelSelector = `kubernetes.io/service-name=${service}`;
    let ready = 0;
    await eventually(
      async () => {
        const { items } = await this.client.list(EndpointSlice, { namespace, labelSelector });
        const all = items.flatMap(({ endpoints }) => endpoints ?? []);
        ready = all.filter(({ conditions }) => conditions?.ready).length;
        return ready === count;
      },
      () => `Service ${service}: ${ready} of ${count} endpoints are ready`,
    );
  }

  async log(name: string, options: object = {}): Promise<readonly string[]> {
    const lines: string[] = [];
    for await (const line of this.client.pods.log(name, { namespace, ...options })) lines.push(line);
    return lines;
  }

  /** Reads a path of the API as the administrator: the status and the text of the answer. */
  async ask(target: string): Promise<string> {
    const [path = "", search] = target.split("?");
    const request = { method: "GET", path, query: new URLSearchParams(search) } as const;
    const { status, body } = await this.cluster.server.handle(request, { user: admin });
    let text = body.kind === "object" ? JSON.stringify(body.value) : "";
    if (body.kind === "stream") for await (const chunk of body.chunks) text += Buffer.from(chunk).toString();
    return `${status} ${text}`.trim();
  }

  /** Runs a program in a pod: its output and exit code. */
  async exec(
    name: string,
    command: readonly string[],
    options: object = {},
  ): Promise<{ output: string; code: number }> {
    const session = await this.client.pods.exec(name, command, { namespace, ...options });
    const { stdout, stderr, exitCode } = await session.output();
    return { output: `${stdout}${stderr}`, code: exitCode };
  }

  async remove(name: string): Promise<void> {
    await this.client.delete(Pod, name, { namespace });
    await eventually(
      async () =>
        !(await this.client.list(Pod, { namespace })).items.some(({ metadata }) => metadata?.name === name),
      () => `pod ${name} is still there`,
    );
  }

  async close(): Promise<void> {
    await this.cluster.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

export async function eventually(
  test: () => Promise<boolean>,
  message: () => string,
  timeout = 40_000,
): Promise<void> {
  for (const end = Date.now() + timeout; !(await test()); ) {
    if (Date.now() > end) throw new Error(`timed out: ${message()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/**
 * Processes in other process namespaces than ours, by number, with their command: those of this test, and orphans. Those of somebody else's
 * cluster, which may be tested at the same time, do not count.
 */
export function foreignProcesses(): ReadonlyMap<number, string> {
  const own = readlinkSync("/proc/self/ns/pid");
  const found = new Map<number, string>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      if (readlinkSync(`/proc/${name}/ns/pid`) === own || isOfOthers(Number(name))) continue;
      found.set(Number(name), readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " "));
    } catch {
      // It has ended meanwhile.
    }
  }
  return found;
}

/** Whether the Node.js process that a process comes from is neither this one nor started by it; an orphan comes from none. */
function isOfOthers(pid: number): boolean {
  let isNode = false;
  for (let at = pid; at > 1; at = parentOf(at)) {
    if (at === process.pid) return false;
    const isHere = readlinkSync(`/proc/${at}/ns/pid`) === readlinkSync("/proc/self/ns/pid");
    isNode ||= isHere && /^node/.test(readFileSync(`/proc/${at}/comm`, "utf8"));
  }
  return isNode;
}

function parentOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
}
