import { ConfigMap, fieldError, type ObjectOf, Pod, Secret } from "@kubewright/api";
import { defineResource, z } from "@kubewright/schema";
import { describe, expect, expectTypeOf, test } from "vitest";
import { defineConversion } from "./define-conversion.js";
import { defineWebhook } from "./define-webhook.js";

const Box = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Box",
  plural: "boxes",
  conversion: "webhook",
  spec: z.object({
    size: z.int().default(1),
    tags: z.array(z.string()).optional(),
    name: z.string().optional(),
    tier: z.enum(["small", "large"]).default("small"),
  }),
  versions: { v1alpha1: { spec: z.object({ count: z.int() }) } },
});
type Box = ObjectOf<typeof Box>;

describe("the types of defineWebhook", () => {
  test("give handlers their object, a draft for defaulting, and reads of declared kinds only", () => {
    const webhook = defineWebhook(Box, {
      uses: [Secret],
      watches: [ConfigMap],
      default(box, ctx) {
        box.spec.size = 2;
        box.spec.tags?.push("a");
        box.metadata.labels = { ...box.metadata.labels, a: "b" };
        expectTypeOf(ctx.oldObject).toEqualTypeOf<Box | undefined>();
      },
      validate: {
        create(box) {
          // @ts-expect-error readonly
          box.spec.size = 2;
          return box.spec.size > 3 ? fieldError.invalid("spec.size", box.spec.size, "too large") : undefined;
        },
        async update(box, old, ctx) {
          expectTypeOf(old).toEqualTypeOf<Box>();
          expectTypeOf(box).toEqualTypeOf<Box>();
          expectTypeOf(await ctx.get(Secret, "a")).toEqualTypeOf<Secret | undefined>();
          expectTypeOf(await ctx.list(ConfigMap)).toEqualTypeOf<readonly ConfigMap[]>();
          // @ts-expect-error not declared
          await ctx.get(Pod, "a");
          return [fieldError.required("spec.name")];
        },
        delete: (_box, ctx) => ctx.deny("never"),
      },
    });
    expect([...webhook.validators.keys()]).toEqual(["CREATE", "UPDATE", "DELETE"]);
  });

  test("allow defaulting to return a new object, and one function to validate create and update", () => {
    const webhook = defineWebhook(Box, {
      default: (box) => ({
        ...box,
        spec: { ...box.spec, size: 4, tier: box.spec.size > 3 ? "large" : "small" },
      }),
      validate(box, ctx) {
        if (box.spec.size > 3 && ctx.operation === "CREATE") ctx.warn("that is large");
      },
    });
    expect([...webhook.validators.keys()]).toEqual(["CREATE", "UPDATE"]);
  });

  test("require a returned object to be of the kind", () => {
    // @ts-expect-error no such size
    defineWebhook(Box, { default: (box) => ({ ...box, spec: { ...box.spec, size: "4" } }) });
    // @ts-expect-error no such tier
    defineWebhook(Box, { default: async (box) => ({ ...box, spec: { ...box.spec, tier: "huge" } }) });
    defineWebhook(Box, { default: async (box) => ({ ...box, spec: { ...box.spec, tier: "large" } }) });
  });

  test("allow built-in kinds and subresources", () => {
    defineWebhook(Pod, {
      default(pod) {
        pod.spec?.containers.push({ name: "sidecar", image: "busybox" });
      },
    });
    defineWebhook(Pod, {
      subresource: "eviction",
      validate: {
        create: (eviction) => {
          expectTypeOf(eviction.kind).toEqualTypeOf<"Eviction" | undefined>();
        },
      },
    });
    defineWebhook(Pod, {
      subresource: "status",
      validate: (pod) => expectTypeOf(pod).toEqualTypeOf<Pod>() as unknown as undefined,
    });
  });

  test("refuse invalid definitions", () => {
    expect(() => defineWebhook(Box, {})).toThrow('webhook box for Box: it needs "default" or "validate"');
    expect(() => defineWebhook(Box, { name: "A b", default() {} })).toThrow("DNS label");
    expect(() => defineWebhook(Box, { timeoutSeconds: 31, default() {} })).toThrow("1 to 30");
    // @ts-expect-error deletions have nothing to fill in
    defineWebhook(Box, { defaultOn: ["DELETE"], default() {} });
    // @ts-expect-error no such option
    defineWebhook(Box, { failurepolicy: "Ignore", default() {} });
  });
});

describe("the types of defineConversion", () => {
  test("give handlers both versions, and require a function for each", () => {
    defineConversion(Box, {
      v1alpha1: {
        up({ spec }) {
          expectTypeOf(spec).toEqualTypeOf<{ readonly count: number }>();
          return { spec: { size: spec.count } };
        },
        down({ spec }) {
          expectTypeOf(spec.size).toEqualTypeOf<number>();
          return { spec: { count: spec.size } };
        },
      },
    });
    // @ts-expect-error the wrong fields
    defineConversion(Box, { v1alpha1: { up: () => ({ spec: { count: 1 } }), down: () => ({ spec: {} }) } });
    // @ts-expect-error a version is missing
    expect(() => defineConversion(Box, {})).toThrow("lacks version v1alpha1");
  });

  test("require a kind with conversion by webhook", () => {
    const Plain = defineResource({ group: "example.com", version: "v1", kind: "Plain" });
    expect(() => defineConversion(Plain, {})).toThrow('does not say conversion: "webhook"');
  });
});
