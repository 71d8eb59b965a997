// What a process runs: permissions, start, stop, several managers side by side.
import {
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  CustomResourceDefinition,
  EventsV1Event,
  isForbidden,
  type PolicyRule,
  Secret,
  VirtualClock,
} from "@kubewright/api";
import { Client, type Middleware, wrapTransport } from "@kubewright/client";
import { startCluster } from "@kubewright/cluster";
import {
  createLogger,
  defineController,
  defineManager,
  defineWebhook,
  type ManagerOptions,
  owned,
  permissionsOf,
  readOnly,
  startManager,
  used,
  watch,
} from "@kubewright/runtime";
import { describe, expect, test } from "vitest";
import { Box, boxNamed, copiesOf, Harness, namespace } from "./harness.js";

const boxes = defineController(Box, {
  owns: [ConfigMap],
  uses: [readOnly(Secret)],
  async reconcile(box, ctx) {
    await ctx.get(Secret, "any");
    for (const copy of copiesOf(box)) await ctx.apply(ConfigMap, copy);
    await ctx.prune();
    ctx.status({ ready: ctx.children(ConfigMap).length });
    ctx.event({ reason: "Looked", note: "had a look" });
  },
  finalize: () => undefined,
});

describe("permissions", () => {
  const manager = defineManager({ name: "test", controllers: [boxes] });
  const rules = [
    {
      apiGroups: [""],
      resources: ["configmaps"],
      verbs: ["get", "list", "watch", "create", "patch", "delete"],
    },
    { apiGroups: [""], resources: ["secrets"], verbs: ["get", "list"] },
    { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] },
    { apiGroups: ["example.com"], resources: ["boxes"], verbs: ["get", "list", "watch", "patch"] },
    { apiGroups: ["example.com"], resources: ["boxes/finalizers"], verbs: ["update"] },
    { apiGroups: ["example.com"], resources: ["boxes/status"], verbs: ["patch"] },
  ];

  test("follow from what is declared", () => {
    expect(permissionsOf(manager)).toEqual(rules);
    const scaler = defineController(Box, {
      watches: [watch(ConfigMap, { targets: () => [] })],
      uses: [Secret],
      rbac: [{ apiGroups: ["*"], resources: ["*/scale"], verbs: ["get", "update"] }],
      reconcile: () => undefined,
    });
    expect(permissionsOf(defineManager({ name: "scaler", controllers: [scaler] }))).toEqual([
      { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list", "watch"] },
      { apiGroups: [""], resources: ["secrets"], verbs: ["get", "list", "create", "patch", "delete"] },
      { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] },
      { apiGroups: ["example.com"], resources: ["boxes"], verbs: ["get", "list", "watch"] },
      { apiGroups: ["example.com"], resources: ["boxes/status"], verbs: ["patch"] },
      { apiGroups: ["*"], resources: ["*/scale"], verbs: ["get", "update"] },
    ]);
  });

  test("leave out verbs that an owned kind is declared without, which reconcile then cannot use", async () => {
    const careful = defineController(Box, {
      owns: [owned(ConfigMap, { verbs: ["create", "patch"] })],
      async reconcile(box, ctx) {
        for (const copy of copiesOf(box)) await ctx.apply(ConfigMap, copy);
        expect(await ctx.prune()).toBe(0);
        await ctx.delete(ConfigMap, "a-0");
      },
    });
    const [configMaps] = permissionsOf(defineManager({ name: "careful", controllers: [careful] }));
    expect(configMaps?.verbs).toEqual(["get", "list", "watch", "create", "patch"]);
    await using harness = await Harness.start();
    await harness.manage([careful]);
    await harness.client.create(Box, boxNamed("a"));
    await harness.settle();
    expect(harness.errors[0]?.error).toMatchObject({
      message: 'controller box: ConfigMap may not be deleted: add "delete" to the verbs of owned(ConfigMap)',
    });
  });

  const asked = { text: "new" };

  test("leave out verbs that a used kind is declared without, which reconcile then cannot use", async () => {
    const careful = defineController(Box, {
      uses: [used(ConfigMap, { verbs: ["patch"] })],
      async reconcile(box, ctx) {
        const name = box.spec.text;
        if (name === "delete") await ctx.delete(ConfigMap, "there");
        else if (name === "create") await ctx.create(ConfigMap, { metadata: { name: "new" } });
        else await ctx.apply(ConfigMap, { metadata: { name }, data: asked });
      },
    });
    const manager = defineManager({ name: "careful", controllers: [careful] });
    expect(permissionsOf(manager)[0]).toEqual({
      apiGroups: [""],
      resources: ["configmaps"],
      verbs: ["get", "list", "patch"],
    });
    await using harness = await Harness.start();
    const { client } = harness;
    await client.create(ConfigMap, { metadata: { name: "there", namespace }, data: { text: "old" } });
    const limitedClient = await limited(harness, permissionsOf(manager));
    await harness.manage([careful], { client: limitedClient, preflight: "fail" });
    for (const text of ["there", "absent", "delete", "create"])
      await client.create(Box, boxNamed(text, { text }));
    await harness.clock.advance(1_000);
    expect((await client.get(ConfigMap, "there", { namespace })).data).toEqual(asked);
    expect(new Set(harness.errors.map(({ error }) => (error as Error).message))).toEqual(
      new Set([
        'ConfigMap default/absent does not exist: create it, or add "create" to the verbs of used(ConfigMap)',
        'controller box: ConfigMap may not be deleted: add "delete" to the verbs of used(ConfigMap)',
        'controller box: ConfigMap may not be created: add "create" to the verbs of used(ConfigMap)',
      ]),
    );
  });

  test("an apply without the verb create conflicts with an object that was deleted meanwhile", async () => {
    await using harness = await Harness.start();
    const { client } = harness;
    const seen: unknown[] = [];
    const careful = defineController(Box, {
      uses: [used(ConfigMap, { verbs: ["patch"] })],
      watches: [watch(ConfigMap, { targets: () => [] })],
      async reconcile(_box, ctx) {
        if (seen.length > 0) return;
        seen.push(
          await ctx.apply(ConfigMap, { metadata: { name: "there" }, data: asked }).catch((error) => error),
        );
      },
    });
    await client.create(ConfigMap, { metadata: { name: "there", namespace } });
    const lateDeletion: Middleware = (next) => async (request) => {
      if (request.method === "PATCH")
        await client.delete(ConfigMap, "there", { namespace }).catch(() => undefined);
      return next(request);
    };
    const transport = wrapTransport(harness.cluster.server.transport(), [lateDeletion]);
    await harness.manage([careful], { client: new Client({ transport, clock: harness.clock }) });
    await client.create(Box, boxNamed("a"));
    await harness.settle();
    expect(seen).toEqual([expect.objectContaining({ code: 409 })]);
    await expect(client.get(ConfigMap, "there", { namespace })).rejects.toMatchObject({ code: 404 });
  });

  test("leave out the status of a kind whose status another controller writes", async () => {
    const observer = defineController(Box, {
      writesStatus: false,
      reconcile(box, ctx) {
        if (box.spec.text === "status") ctx.status({ ready: 1 });
        throw new Error("out of luck");
      },
    });
    const manager = defineManager({ name: "observer", controllers: [observer] });
    expect(permissionsOf(manager)).toEqual([
      { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] },
      { apiGroups: ["example.com"], resources: ["boxes"], verbs: ["get", "list", "watch"] },
    ]);
    const maps = defineController(ConfigMap, { writesStatus: false, reconcile: () => undefined });
    expect(permissionsOf(defineManager({ name: "maps", controllers: [maps] }))[0]?.verbs).not.toContain(
      "patch",
    );
    await using harness = await Harness.start();
    const client = await limited(harness, permissionsOf(manager));
    await harness.manage([observer], { client, preflight: "fail" });
    await harness.client.create(Box, boxNamed("a"));
    await harness.client.create(Box, boxNamed("b", { text: "status" }));
    await harness.clock.advance(5_000);
    expect(harness.errors.map(({ error }) => (error as Error).message)).toContain(
      "controller box: the status of Box may not be written: writesStatus is false",
    );
    const { items } = await harness.client.list(EventsV1Event, { namespace });
    expect(new Set(items.map(({ reason }) => reason))).toEqual(new Set(["ReconcileFailed"]));
    expect(harness.writes.filter(({ path }) => path.endsWith("/status"))).toEqual([]);
  });

  /** A client that may do what the rules say and nothing else. */
  async function limited(harness: Harness, allowed: readonly PolicyRule[]): Promise<Client> {
    const subject = { kind: "User", name: "robot", apiGroup: "rbac.authorization.k8s.io" };
    await harness.client.create(ClusterRole, { metadata: { name: "robot" }, rules: allowed });
    await harness.client.create(ClusterRoleBinding, {
      metadata: { name: "robot" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "robot" },
      subjects: [subject],
    });
    const transport = harness.cluster.server.transport({ name: "robot", groups: ["system:authenticated"] });
    return new Client({ transport, clock: harness.clock });
  }

  test("derived are enough for everything the controller does", async () => {
    await using harness = await Harness.start();
    await harness.manage([boxes], { client: await limited(harness, rules), preflight: "fail" });
    await harness.client.create(Box, boxNamed("a", { copies: 2 }));
    await harness.settle();
    await harness.client.patch(Box, "a", { merge: { spec: { copies: 1 } } }, { namespace });
    await harness.settle();
    expect((await harness.box()).status?.ready).toBe(1);
    await harness.client.delete(Box, "a", { namespace });
    await harness.clock.advance(1_000);
    await expect(harness.box()).rejects.toMatchObject({ code: 404 });
    expect(harness.errors).toEqual([]);
  });

  test("that are missing are one line each, before anything starts", async () => {
    await using harness = await Harness.start();
    const allowed = rules.map((rule) => ({
      ...rule,
      verbs: rule.verbs.filter((verb) => verb !== "delete" && verb !== "watch"),
    }));
    const client = await limited(harness, allowed);
    const starting = harness.manage([boxes], { client, preflight: "fail" });
    await expect(starting).rejects.toThrow(
      [
        'manager "test" may not watch boxes.example.com; add the rule {"apiGroups":["example.com"],"resources":["boxes"],"verbs":["watch"]}',
        'manager "test" may not watch, delete configmaps; add the rule {"apiGroups":[""],"resources":["configmaps"],"verbs":["watch","delete"]}',
      ].join("\n"),
    );
  });

  test("that are missing need not keep a manager from starting", async () => {
    await using harness = await Harness.start();
    const allowed = rules.filter(({ resources }) => !resources.includes("secrets"));
    await harness.manage([boxes], { client: await limited(harness, allowed), preflight: "report" });
    await harness.client.create(Box, boxNamed("a"));
    await harness.settle();
    expect(String(harness.errors[0]?.error)).toContain("may not get, list secrets");
    expect(harness.errors.slice(1).every(({ error }) => isForbidden(error))).toBe(true);
  });
});

describe("starting", () => {
  test("a kind that is not installed yet holds up only its own controller", async () => {
    const clock = new VirtualClock();
    await using cluster = await startCluster({ clock, nodes: 0, controllers: "none" });
    const { client } = cluster;
    await client.create(ConfigMap, { metadata: { name: "x", namespace } });
    await clock.settle();
    const before = clock.pending;
    const calls: string[] = [];
    const errors: string[] = [];
    const lines: string[] = [];
    const manager = defineManager({
      name: "test",
      controllers: [
        defineController(Box, {
          cacheSyncTimeout: 30_000,
          reconcile: (box) => void calls.push(`box ${box.metadata.name}`),
        }),
        defineController(ConfigMap, { reconcile: (map) => void calls.push(`map ${map.metadata?.name}`) }),
      ],
    });
    const starting = startManager(manager, {
      client,
      clock,
      random: () => 0,
      log: createLogger((level, message) => lines.push(`${level} ${message}`)),
      onError: (where, error) => errors.push(`${where}: ${error instanceof Error ? error.message : error}`),
    });
    const running = await clock.runUntilSettled(starting);
    expect(clock.monotonic()).toBe(30_000);
    expect(calls).toContain("map x");
    expect(errors.at(-1)).toMatch(
      /^box: still waiting, after 30000 ms, for the caches of Box \(is its CustomResourceDefinition installed\?: .*\)$/,
    );
    expect(lines).toContain(
      "warn waiting for boxes.example.com: the cluster does not serve version v1 of it",
    );
    await client.create(CustomResourceDefinition, Box.crd());
    await clock.advance(60_000);
    await client.create(Box, boxNamed("a"));
    await clock.advance(60_000);
    expect(calls).toContain("box a");
    await clock.runUntilSettled(running.close());
    expect(clock.pending).toBe(before);
  });

  test("goes in order: permissions, webhooks, caches, leadership, work; and back", async () => {
    await using harness = await Harness.start();
    await harness.client.create(Box, boxNamed("a"));
    const steps: string[] = [];
    const step = (name: string): void => void (steps.at(-1) === name || steps.push(name));
    const named: readonly (readonly [RegExp, string])[] = [
      [/^POST .*selfsubjectaccessreviews/, "asks for permissions"],
      [/webhookconfigurations/, "points at webhooks"],
      [/^GET .*(boxes|configmaps)/, "fills caches"],
      [/^(POST|PUT|PATCH) .*leases.*"holderIdentity":"me"/, "holds the lease"],
      [/^(PUT|PATCH) .*leases/, "gives the lease back"],
      [/boxes\/a\/status/, "writes"],
      [/^POST .*events/, "tells events"],
    ];
    harness.interfere = ({ method, path, body }) => {
      const text = `${method} ${path} ${JSON.stringify(body) ?? ""}`;
      const name = named.find(([pattern]) => pattern.test(text))?.[1];
      if (name) step(name);
      return undefined;
    };
    const controller = defineController(Box, {
      owns: [ConfigMap],
      async reconcile(_box, ctx) {
        step("works");
        await ctx.sleep(3_000);
        ctx.status({ note: "done" });
        ctx.event({ reason: "Done", note: "all of it" });
      },
    });
    const manager = await harness.manage([controller], {
      identity: "me",
      preflight: "fail",
      webhooks: { mode: "local", connect: () => () => step("serves no webhooks") },
      manager: {
        leaderElection: { namespace, leaseName: "test" },
        webhooks: [defineWebhook(Box, { validate: () => undefined })],
      },
    });
    await harness.clock.advance(1_000);
    await harness.clock.runUntilSettled(manager.close());
    expect(steps).toEqual([
      "asks for permissions",
      "points at webhooks",
      "fills caches",
      "holds the lease",
      "works",
      // Stopping: it is renewed until what is in flight is done.
      "holds the lease",
      "tells events",
      "writes",
      "gives the lease back",
      "points at webhooks",
      "serves no webhooks",
    ]);
  });

  test("two controllers of one name are refused; leader election needs a namespace", async () => {
    expect(() => defineManager({ name: "x", controllers: [boxes, boxes] })).toThrow(
      'two controllers named "box"',
    );
    await using harness = await Harness.start();
    const starting = harness.manage([boxes], { manager: { leaderElection: true } });
    await expect(starting).rejects.toThrow("leader election needs the namespace of its lease");
  });
});

describe("several managers in one process", () => {
  test("share nothing but the server", async () => {
    await using harness = await Harness.start();
    const named = (name: string, text: string): Partial<ManagerOptions> => ({
      name,
      controllers: [
        defineController(Box, {
          owns: [ConfigMap],
          reconcile: async (box, ctx) =>
            void (await ctx.apply(ConfigMap, {
              metadata: { name: `${box.metadata.name}-${name}`, labels: { box: "x" } },
              data: { text },
            })),
        }),
      ],
    });
    const first = await harness.manage([], { manager: named("first", "1") });
    await harness.manage([], { manager: named("second", "2") });
    await harness.client.create(Box, boxNamed("a"));
    await harness.settle();
    expect(await harness.texts()).toEqual({ "a-first": "1", "a-second": "2" });
    await harness.clock.runUntilSettled(first.close());
    await harness.client.create(Box, boxNamed("b"));
    await harness.settle();
    expect(Object.keys(await harness.texts())).toEqual(["a-first", "a-second", "b-second"]);
  });
});

describe("stopping", () => {
  test("manager: its stop finishes reconciles under way, begins no others, and leaves no timer behind", async () => {
    const clock = new VirtualClock();
    const harness = await Harness.start(clock);
    await clock.settle();
    const before = clock.pending;
    const log: string[] = [];
    const manager = await harness.manage([
      defineController(Box, {
        concurrency: 1,
        async reconcile(box, ctx) {
          log.push(`${box.metadata.name} begins`);
          await ctx.sleep(5_000);
          ctx.status({ note: "done" });
          log.push(`${box.metadata.name} ends`);
          return { requeueAfter: 1_000 };
        },
      }),
    ]);
    await harness.client.create(Box, boxNamed("a"));
    await harness.client.create(Box, boxNamed("b"));
    await clock.advance(1_000);
    await clock.runUntilSettled(manager.close());
    expect(log).toEqual(["a begins", "a ends"]);
    expect((await harness.box()).status?.note).toBe("done");
    expect(clock.pending).toBe(before);
    await harness.close();
  });

  test("ends what takes too long", async () => {
    await using harness = await Harness.start();
    let end: unknown;
    const manager = await harness.manage(
      [
        defineController(Box, {
          async reconcile(_, ctx) {
            await ctx.sleep(3_600_000).catch((reason: unknown) => {
              end = reason;
            });
            ctx.status({ note: "too late" });
          },
        }),
      ],
      { shutdownTimeout: 2_000 },
    );
    await harness.client.create(Box, boxNamed("a"));
    await harness.settle();
    const before = harness.clock.monotonic();
    await harness.clock.runUntilSettled(manager.close());
    expect(harness.clock.monotonic() - before).toBe(2_000);
    expect(String(end)).toContain("the manager has stopped");
    expect((await harness.box()).status?.note).toBeUndefined();
    expect(harness.errors).toEqual([]);
  });

  test("concurrency: as many objects are reconciled at once as the controller or the manager states, else 32", async () => {
    for (const [concurrency, manager, expected] of [
      [3, undefined, 3],
      [undefined, { "Box.example.com": 2 }, 2],
      [undefined, undefined, 32],
    ] as const) {
      await using harness = await Harness.start();
      let atOnce = 0;
      let most = 0;
      await harness.manage(
        [
          defineController(Box, {
            concurrency,
            async reconcile(_, ctx) {
              most = Math.max(most, ++atOnce);
              await ctx.sleep(100);
              atOnce -= 1;
            },
          }),
        ],
        { manager: { concurrency: manager } },
      );
      for (let index = 0; index < 40; index++) await harness.client.create(Box, boxNamed(`box-${index}`));
      await harness.clock.advance(2_000);
      expect(most).toBe(expected);
    }
  });
});
