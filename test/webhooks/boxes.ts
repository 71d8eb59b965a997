// A kind with webhooks of every sort, and an embedded cluster that asks a manager about it.
import {
  CustomResourceDefinition,
  fieldError,
  isConditionTrue,
  type ObjectOf,
  ResourceQuota,
  type VirtualClock,
} from "@kubewright/api";
import type { Address, LocalWebhook } from "@kubewright/apiserver";
import { Client } from "@kubewright/client";
import { type Cluster, startCluster } from "@kubewright/cluster";
import {
  type AnyWebhook,
  createLogger,
  defineConversion,
  defineManager,
  defineWebhook,
  type ManagerDefinition,
  type RunningManager,
  type StartOptions,
  startManager,
} from "@kubewright/runtime";
import { defineResource, z } from "@kubewright/schema";

export const namespace = "default";

export const Box = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Box",
  plural: "boxes",
  conversion: "webhook",
  spec: z.object({
    size: z.int().default(1),
    title: z.string().optional(),
    tier: z.enum(["small", "large"]).optional(),
  }),
  versions: { v1alpha1: { spec: z.object({ count: z.int(), big: z.boolean().optional() }) } },
});
export type Box = ObjectOf<typeof Box>;
export const OldBox = Box.versions.v1alpha1;

export const boxConversion = defineConversion(Box, {
  v1alpha1: {
    up: ({ spec, metadata }) => ({
      metadata: { annotations: without(metadata.annotations, "title") },
      spec: {
        size: spec.count,
        title: metadata.annotations?.["title"],
        tier: spec.big === undefined ? undefined : spec.big ? "large" : "small",
      },
    }),
    down: ({ spec, metadata }) => ({
      // What the old version cannot say is kept where it is not lost.
      metadata: {
        annotations: { ...metadata.annotations, ...(spec.title === undefined ? {} : { title: spec.title }) },
      },
      spec: { count: spec.size, big: spec.tier === undefined ? undefined : spec.tier === "large" },
    }),
  },
});

function without(
  annotations: Readonly<Record<string, string>> | undefined,
  key: string,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(annotations ?? {}).filter(([name]) => name !== key));
}

export const boxWebhook = defineWebhook(Box, {
  uses: [ResourceQuota],
  default(box) {
    box.spec.title ??= box.metadata.name ?? "";
    box.spec.tier ??= box.spec.size > 5 ? "large" : "small";
  },
  validate: {
    async create(box, ctx) {
      if (box.spec.size > 10) ctx.warn(`a box of ${box.spec.size} is heavy`);
      if (await ctx.get(ResourceQuota, "no-boxes")) ctx.deny("there is no room for boxes here");
      return problemsOf(box);
    },
    update(box, old) {
      if (box.spec.size < old.spec.size)
        return [...problemsOf(box), fieldError.forbidden("spec.size", "boxes do not shrink")];
      return problemsOf(box);
    },
    delete(box, ctx) {
      if (box.metadata.labels?.["keep"]) ctx.deny("it is to be kept");
    },
  },
});

function problemsOf(box: Box) {
  return [
    ...(box.spec.size === 13 ? [fieldError.invalid("spec.size", 13, "must not be unlucky")] : []),
    ...(box.spec.title === "" ? [fieldError.required("spec.title")] : []),
  ];
}

export const boxNamed = (name: string, spec: Partial<Box["spec"]> = {}) => ({
  metadata: { name, namespace },
  spec,
});

export interface SetUpOptions {
  readonly clock?: VirtualClock;
}

/** A cluster with the kind, and managers to be started in it. */
export class Yard {
  readonly cluster: Cluster;
  readonly client: Client;
  readonly warnings: string[] = [];
  readonly errors: { readonly where: string; readonly error: unknown }[] = [];
  readonly logs: string[] = [];
  /** What is behind the Services of the cluster. */
  readonly services: Map<string, () => Address | LocalWebhook | undefined>;
  readonly #managers: RunningManager[] = [];
  readonly #clock: VirtualClock | undefined;

  private constructor(
    cluster: Cluster,
    services: Map<string, () => Address | LocalWebhook | undefined>,
    clock: VirtualClock | undefined,
  ) {
    this.cluster = cluster;
    this.services = services;
    this.#clock = clock;
    const transport = cluster.server.transport();
    this.client = new Client({ transport, clock, onWarning: (text) => this.warnings.push(text) });
  }

  static async open({ clock }: SetUpOptions = {}): Promise<Yard> {
    const services = new Map<string, () => Address | LocalWebhook | undefined>();
    const cluster = await startCluster({
      nodes: 0,
      controllers: "none",
      disableAdmission: ["ServiceAccount"],
      ...(clock ? { clock } : {}),
      resolveService: ({ namespace, name }) => services.get(`${namespace}/${name}`)?.(),
    });
    const yard = new Yard(cluster, services, clock);
    await yard.client.create(CustomResourceDefinition, Box.crd());
    await yard.until(async () => {
      const { status } = await yard.client.get(CustomResourceDefinition, "boxes.example.com");
      return isConditionTrue(status?.conditions, "Established");
    });
    return yard;
  }

  /** In this process, without sockets. */
  get local(): StartOptions["webhooks"] {
    return {
      mode: "local",
      connect: ({ namespace, name }, call) => {
        this.services.set(`${namespace}/${name}`, () => call);
        return () => this.services.delete(`${namespace}/${name}`);
      },
    };
  }

  async manage(
    options: Partial<StartOptions> = {},
    webhooks: readonly AnyWebhook[] = [boxWebhook, boxConversion],
    name = "yard",
    definition: Partial<Pick<ManagerDefinition, "leaderElection">> = {},
  ): Promise<RunningManager> {
    const starting = startManager(defineManager({ ...definition, name, controllers: [], webhooks }), {
      client: this.cluster.client,
      clock: this.#clock,
      random: () => 0,
      webhooks: { mode: "url", port: 0 },
      log: createLogger((level, message, fields) =>
        this.logs.push(`${level} ${message} ${JSON.stringify(fields)}`),
      ),
      onError: (where, error) => this.errors.push({ where, error }),
      ...options,
    });
    const manager = await this.finish(starting);
    this.#managers.push(manager);
    return manager;
  }

  get clock(): VirtualClock {
    if (!this.#clock) throw new Error("this cluster runs in real time");
    return this.#clock;
  }

  /** Lets time pass. */
  async advance(milliseconds: number): Promise<void> {
    await this.clock.advance(milliseconds);
  }

  /** Waits, and lets time pass meanwhile. */
  finish<T>(work: Promise<T>): Promise<T> {
    return this.#clock ? this.#clock.runUntilSettled(work) : work;
  }

  /** The ports on which managers have begun to serve, in order. */
  get ports(): readonly number[] {
    return this.logs.flatMap((line) => {
      const port = /serving webhooks .*"port":(\d+)/.exec(line)?.[1];
      return port === undefined ? [] : [Number(port)];
    });
  }

  async until(condition: () => boolean | Promise<boolean>): Promise<void> {
    if (this.#clock) return this.#clock.runUntil(condition);
    for (let attempt = 0; attempt < 500; attempt++) {
      if (await condition()) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error("it did not come about");
  }

  async close(): Promise<void> {
    for (const manager of this.#managers) await this.finish(manager.close());
    await this.cluster.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
