// The same webhooks, asked as functions of this process and over TLS.
import {
  type ApiError,
  ConfigMap,
  fieldError,
  MutatingWebhookConfiguration,
  Pod,
  ResourceQuota,
  ValidatingWebhookConfiguration,
  VirtualClock,
} from "@kubewright/api";
import { Client, type Middleware, wrapTransport } from "@kubewright/client";
import { defineWebhook } from "@kubewright/runtime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Box, boxConversion, boxNamed, boxWebhook, namespace, OldBox, Yard } from "./boxes.js";

const refused = (work: Promise<unknown>): Promise<ApiError> =>
  work.then(
    () => Promise.reject(new Error("it was not refused")),
    (error: ApiError) => error,
  );

describe.each(["local", "url"] as const)("webhooks (%s)", (mode) => {
  let yard: Yard;
  beforeAll(async () => {
    yard = await Yard.open();
    await yard.manage(mode === "local" ? { webhooks: yard.local } : {});
  });
  afterAll(() => yard.close());

  test("fill in what is left out", async () => {
    const { spec } = await yard.client.create(Box, boxNamed("defaults", { size: 6 }));
    expect(spec).toEqual({ size: 6, title: "defaults", tier: "large" });
  });

  test("refuse with the fields that are wrong, as the server does", async () => {
    const error = await refused(yard.client.create(Box, boxNamed("wrong", { size: 13, title: "" })));
    expect(error).toMatchObject({ code: 422, reason: "Invalid" });
    expect(error.message).toContain(
      'admission webhook "validate.box.v1.example.com" denied the request: Box.example.com "wrong" is invalid: [spec.size: Invalid value: 13: must not be unlucky, spec.title: Required value]',
    );
    expect(error.details?.causes).toEqual([
      { reason: "FieldValueInvalid", message: "Invalid value: 13: must not be unlucky", field: "spec.size" },
      { reason: "FieldValueRequired", message: "Required value", field: "spec.title" },
    ]);
  });

  test("compare with the object as it is stored", async () => {
    const box = await yard.client.create(Box, boxNamed("shrinks", { size: 3 }));
    const error = await refused(yard.client.update(Box, { ...box, spec: { ...box.spec, size: 2 } }));
    expect(error.details?.causes?.[0]?.field).toBe("spec.size");
    await yard.client.update(Box, { ...box, spec: { ...box.spec, size: 4 } });
  });

  test("refuse deletions, with 403", async () => {
    await yard.client.create(Box, {
      metadata: { name: "kept", namespace, labels: { keep: "yes" } },
      spec: {},
    });
    expect(await refused(yard.client.delete(Box, "kept", { namespace }))).toMatchObject({
      code: 403,
      reason: "Forbidden",
      message: expect.stringContaining("it is to be kept"),
    });
  });

  test("warn", async () => {
    yard.warnings.length = 0;
    await yard.client.create(Box, boxNamed("heavy", { size: 12 }));
    expect(yard.warnings).toEqual(["a box of 12 is heavy"]);
  });

  test("read what they declared", async () => {
    await yard.client.create(ResourceQuota, { metadata: { name: "no-boxes", namespace }, spec: {} });
    const error = await refused(yard.client.create(Box, boxNamed("late")));
    await yard.client.delete(ResourceQuota, "no-boxes", { namespace });
    expect(error.message).toContain("there is no room for boxes here");
  });

  test("are asked in dry runs", async () => {
    const { spec } = await yard.client.create(Box, boxNamed("dry"), { dryRun: true });
    expect(spec.title).toBe("dry");
    await expect(yard.client.get(Box, "dry", { namespace })).rejects.toMatchObject({ code: 404 });
  });

  test("convert between versions that are served", async () => {
    await yard.client.create(OldBox, { metadata: { name: "old", namespace }, spec: { count: 7 } });
    const box = await yard.client.get(Box, "old", { namespace });
    expect(box.spec).toEqual({ size: 7, title: "old", tier: "large" });
    const old = await yard.client.get(OldBox, "old", { namespace });
    expect(old).toMatchObject({
      apiVersion: "example.com/v1alpha1",
      metadata: { annotations: { title: "old" } },
      spec: { count: 7, big: true },
    });
    const { items } = await yard.client.list(OldBox, { namespace });
    expect(items.length).toBeGreaterThan(3);
    expect(items.every(({ spec }) => typeof spec.count === "number")).toBe(true);
  });

  test("leave what the schema forbids to the server", async () => {
    const bad = { metadata: { name: "bad", namespace }, spec: "none" };
    const error = await refused(yard.client.create(Box, bad as never));
    expect(error.message).toContain('spec in body must be of type object: "string"');
  });

  test("had no trouble", () => {
    expect(yard.errors.map(({ where, error }) => `${where}: ${error}`)).toEqual([]);
  });
});

test("configurations come with the manager on a laptop, and go with it", async () => {
  await using yard = await Yard.open();
  const manager = await yard.manage();
  const { webhooks } = await yard.client.get(
    MutatingWebhookConfiguration,
    "yard-mutating-webhook-configuration",
  );
  expect(webhooks?.[0]?.clientConfig.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/mutate-example-com-v1-box$/);
  await manager.close();
  expect((await yard.client.list(MutatingWebhookConfiguration)).items).toEqual([]);
  expect((await yard.client.list(ValidatingWebhookConfiguration)).items).toEqual([]);
});

test("switched off, nothing is served and nothing configured", async () => {
  await using yard = await Yard.open();
  await yard.manage({ webhooks: false });
  expect((await yard.client.list(MutatingWebhookConfiguration)).items).toEqual([]);
  expect((await yard.client.create(Box, boxNamed("a"))).spec.title).toBeUndefined();
});

test("built-in kinds and subresources have webhooks too", async () => {
  await using yard = await Yard.open();
  const sidecar = defineWebhook(Pod, {
    objectSelector: { matchLabels: { inject: "yes" } },
    default(pod) {
      pod.spec?.containers.push({ name: "sidecar", image: "busybox" });
    },
  });
  const eviction = defineWebhook(Pod, {
    subresource: "eviction",
    validate: { create: (_eviction, ctx) => ctx.deny(`${ctx.name} stays where it is`) },
  });
  await yard.manage({ webhooks: yard.local }, [sidecar, eviction]);
  const pod = (name: string, labels: Record<string, string>) => ({
    metadata: { name, namespace, labels },
    spec: { containers: [{ name: "main", image: "nginx" }] },
  });
  const injected = await yard.client.create(Pod, pod("a", { inject: "yes" }));
  expect(injected.spec?.containers.map(({ name }) => name)).toEqual(["main", "sidecar"]);
  const plain = await yard.client.create(Pod, pod("b", {}));
  expect(plain.spec?.containers.length).toBe(1);
  const error = await refused(yard.client.pods.evict("a", { namespace }));
  expect(error.message).toContain("a stays where it is");
});

test("kinds that are watched are read from a cache", async () => {
  await using yard = await Yard.open();
  const reads: string[] = [];
  const spy: Middleware = (next) => (request) => {
    if (request.path.includes("/configmaps")) reads.push(request.path);
    return next(request);
  };
  const client = new Client({ transport: wrapTransport(yard.cluster.server.transport(), [spy]) });
  const reader = defineWebhook(Box, {
    watches: [ConfigMap],
    async validate(box, ctx) {
      const limits = await ctx.get(ConfigMap, "limits");
      const max = Number(limits?.data?.["size"] ?? 1);
      return box.spec.size > max
        ? fieldError.invalid("spec.size", box.spec.size, `at most ${max}`)
        : undefined;
    },
  });
  await yard.client.create(ConfigMap, { metadata: { name: "limits", namespace }, data: { size: "5" } });
  await yard.manage({ client, webhooks: yard.local }, [reader]);
  const liveReads = () => reads.filter((path) => path.endsWith("/limits")).length;
  await yard.until(async () => {
    const before = liveReads();
    await yard.client.create(Box, boxNamed("a", { size: 5 }), { dryRun: true });
    return liveReads() === before;
  });
  const before = liveReads();
  const error = await refused(yard.client.create(Box, boxNamed("b", { size: 6 })));
  expect(error.message).toContain("at most 5");
  expect(liveReads()).toBe(before);
});

test("conditions decide whether a webhook is asked", async () => {
  await using yard = await Yard.open();
  const strict = defineWebhook(Box, {
    name: "strict",
    matchConditions: [{ name: "heavy", expression: "object.spec.size > 100" }],
    validate: (_box, ctx) => ctx.deny("too heavy"),
  });
  await yard.manage({ webhooks: yard.local }, [boxWebhook, strict, boxConversion]);
  await yard.client.create(Box, boxNamed("light", { size: 100 }));
  const error = await refused(yard.client.create(Box, boxNamed("heavy", { size: 101 })));
  expect(error.message).toContain('"validate.strict.v1.example.com" denied the request: too heavy');
});

test("in virtual time, a webhook that hangs is given up after its time, to the millisecond", async () => {
  const clock = new VirtualClock();
  await using yard = await Yard.open({ clock });
  const slow = defineWebhook(Box, {
    timeoutSeconds: 3,
    validate: (_box, { signal }) =>
      new Promise<undefined>((_resolve, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason)),
      ),
  });
  await yard.manage({ webhooks: yard.local }, [slow]);
  const started = clock.monotonic();
  const error = await clock.runUntilSettled(refused(yard.client.create(Box, boxNamed("a"))));
  expect(error).toMatchObject({ code: 504, message: expect.stringContaining("took longer than 2700 ms") });
  expect(clock.monotonic() - started).toBe(2_700);
});
