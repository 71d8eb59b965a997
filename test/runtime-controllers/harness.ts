// A cluster in this process and in virtual time, with a kind of its own, and a wire that can be watched and cut.
import {
  ConfigMap,
  CustomResourceDefinition,
  isConditionTrue,
  type ObjectOf,
  type TransportRequest,
  type TransportResponse,
  VirtualClock,
} from "@kubewright/api";
import { Client, type Middleware, wrapTransport } from "@kubewright/client";
import { type Cluster, startCluster } from "@kubewright/cluster";
import {
  type ControllerDefinition,
  createLogger,
  defineManager,
  type LogFields,
  type ManagerOptions,
  type RunningManager,
  type StartOptions,
  startManager,
} from "@kubewright/runtime";
import { conditions, defineResource, kube, z } from "@kubewright/schema";

export const namespace = "default";

/** What the controllers under test are for: so many ConfigMaps with a text. */
export const Box = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Box",
  plural: "boxes",
  spec: z.object({
    text: z.string().default("hello"),
    copies: z.int().min(0).default(1),
    secret: z.string().optional(),
  }),
  status: z.object({
    observedGeneration: z.int().optional(),
    ready: z.int().optional(),
    note: z.string().optional(),
    details: kube.map(z.string()).optional(),
    conditions: conditions(),
  }),
});
export type Box = ObjectOf<typeof Box>;

export const boxNamed = (name: string, spec: Partial<Box["spec"]> = {}) => ({
  metadata: { name, namespace },
  spec,
});

/** The ConfigMaps a box wants. */
export const copiesOf = (box: Box) =>
  Array.from({ length: box.spec.copies }, (_, index) => ({
    metadata: { name: `${box.metadata.name}-${index}`, labels: { box: box.metadata.name ?? "" } },
    data: { text: box.spec.text },
  }));

/** What a request is, in the terms of a test. */
export interface Seen {
  readonly verb: "read" | "write";
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly userAgent: string;
  readonly signal: AbortSignal | undefined;
}

/** Decides the fate of a request: undefined lets it through. */
export type Interference = (
  request: Seen,
) => "drop" | "fail" | "hang" | "lose the answer" | TransportResponse | undefined;

export interface Log {
  readonly level: string;
  readonly message: string;
  readonly fields: LogFields;
}

export class Harness {
  readonly clock: VirtualClock;
  readonly cluster: Cluster;
  /** The test's own way in. */
  readonly client: Client;
  readonly requests: Seen[] = [];
  readonly errors: { readonly where: string; readonly error: unknown }[] = [];
  readonly logs: Log[] = [];
  readonly #managers: RunningManager[] = [];
  interfere: Interference = () => undefined;

  constructor(clock: VirtualClock, cluster: Cluster) {
    this.clock = clock;
    this.cluster = cluster;
    this.client = cluster.client;
  }

  static async start(clock: VirtualClock = new VirtualClock()): Promise<Harness> {
    const cluster = await startCluster({ clock, nodes: 0, controllers: "none" });
    const { metadata } = await cluster.client.create(CustomResourceDefinition, Box.crd());
    await clock.runUntil(async () => {
      const definition = await cluster.client.get(CustomResourceDefinition, metadata?.name ?? "");
      return isConditionTrue(definition.status?.conditions, "Established");
    });
    return new Harness(clock, cluster);
  }

  /** A client whose requests are seen and interfered with. */
  wire(name = "manager"): Client {
    const middleware: Middleware = (next) => (request) => this.#pass(request, next, name);
    const transport = wrapTransport(this.cluster.server.transport(), [middleware]);
    return new Client({ transport, clock: this.clock, userAgent: name });
  }

  async manage(
    controllers: readonly ControllerDefinition[],
    options: Partial<StartOptions> & { readonly manager?: Partial<ManagerOptions> } = {},
  ): Promise<RunningManager> {
    const { manager: settings, ...start } = options;
    const definition = defineManager({ name: "test", controllers, ...settings });
    const starting = startManager(definition, {
      client: this.wire(),
      clock: this.clock,
      random: () => 0,
      freeze: true,
      preflight: "off",
      log: createLogger((level, message, fields) => this.logs.push({ level, message, fields })),
      onError: (where, error) => this.errors.push({ where, error }),
      ...start,
    });
    const manager = await this.clock.runUntilSettled(starting);
    this.#managers.push(manager);
    return manager;
  }

  /** Everything that can happen without time passing has happened. */
  settle(): Promise<void> {
    return this.clock.advance(0);
  }

  get writes(): readonly Seen[] {
    return this.requests.filter(({ verb }) => verb === "write");
  }

  /** The children of all boxes, by name. */
  async texts(): Promise<Readonly<Record<string, string>>> {
    const { items } = await this.client.list(ConfigMap, { namespace, labelSelector: "box" });
    return Object.fromEntries(items.map(({ metadata, data }) => [metadata?.name, data?.["text"] ?? ""]));
  }

  box(name = "a"): Promise<Box> {
    return this.client.get(Box, name, { namespace });
  }

  async close(): Promise<void> {
    this.interfere = () => undefined;
    for (const manager of this.#managers) await this.clock.runUntilSettled(manager.close());
    await this.cluster.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #pass(
    request: TransportRequest,
    next: (request: TransportRequest) => Promise<TransportResponse>,
    userAgent: string,
  ): Promise<TransportResponse> {
    const { method, path, body, signal } = request;
    const verb = method === "GET" ? "read" : "write";
    const value = body?.kind === "object" ? body.value : undefined;
    const seen: Seen = { verb, method, path, body: value, userAgent, signal };
    const fate = this.interfere(seen);
    if (fate === undefined) this.requests.push(seen);
    switch (fate) {
      case undefined:
        return next(request);
      case "drop":
        throw new Error("connection lost");
      case "lose the answer":
        await next(request);
        throw new Error("connection lost");
      case "hang":
        return new Promise((_, reject) =>
          request.signal?.addEventListener("abort", () => reject(request.signal?.reason)),
        );
      case "fail":
        return failure(500);
      default:
        return fate;
    }
  }
}

export function failure(code: number, reason = "InternalError"): TransportResponse {
  const value = { kind: "Status", apiVersion: "v1", status: "Failure", message: "made up", reason, code };
  return { status: code, headers: {}, body: { kind: "object", value } };
}
