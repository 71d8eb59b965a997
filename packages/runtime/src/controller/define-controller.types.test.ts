// The types of a controller: its object, its status, and the kinds it may touch. A line marked as an error
// that compiles fails the type check.
import {
  ConfigMap,
  Deployment,
  type DeploymentStatus,
  type ObjectOf,
  Secret,
  Service,
} from "@kubewright/api";
import { conditions, defineResource, z } from "@kubewright/schema";
import { describe, expect, expectTypeOf, test } from "vitest";
import { defineController } from "./define-controller.js";
import { owned, readOnly } from "./kinds.js";
import { generationChanged } from "./predicates.js";
import { watch } from "./watches.js";

const Thing = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Thing",
  spec: z.object({ size: z.int().default(1), secret: z.string().optional() }),
  status: z.object({ ready: z.int().optional(), note: z.string(), conditions: conditions() }),
});

describe("the types of defineController", () => {
  test("give reconcile its object with defaults applied", () => {
    defineController(Thing, {
      when: ({ current }) => current?.spec.size !== 0,
      indexes: { secret: (thing) => (thing.spec.secret ? [thing.spec.secret] : []) },
      reconcile(thing) {
        expectTypeOf(thing.spec.size).toEqualTypeOf<number>();
        // @ts-expect-error there is no such field
        thing.spec.colour;
        // @ts-expect-error objects from the cache are not to be changed
        thing.spec.size = 2;
      },
    });
  });

  test("allow requests only for declared kinds", () => {
    const controller = defineController(Thing, {
      owns: [Deployment, owned(Service, { when: generationChanged })],
      watches: [watch(Secret, { targets: (secret) => [secret] })],
      uses: [readOnly(ConfigMap)],
      async reconcile(_, ctx) {
        const deployment = await ctx.apply(Deployment, { metadata: { name: "a" }, spec: { replicas: 2 } });
        expectTypeOf(deployment.status).toEqualTypeOf<DeploymentStatus | undefined>();
        await ctx.apply(Service, { metadata: { name: "a" } });
        expectTypeOf(await ctx.get(Secret, "a")).toEqualTypeOf<Secret | undefined>();
        expectTypeOf(await ctx.list(ConfigMap)).toEqualTypeOf<readonly ConfigMap[]>();
        await ctx.get(Thing, "other");
        // @ts-expect-error a child has a name
        await ctx.apply(Deployment, { spec: {} });
        // @ts-expect-error a field of the wrong type
        await ctx.apply(Deployment, { metadata: { name: "a" }, spec: { replicas: "2" } });
        // @ts-expect-error watched, not owned
        await ctx.apply(Secret, { metadata: { name: "a" } });
        // @ts-expect-error declared for reading only
        await ctx.delete(ConfigMap, "a");
        // @ts-expect-error its own kind is not its child
        await ctx.apply(Thing, { metadata: { name: "a" } });
      },
    });
    expect(controller.owns.map(({ resource }) => resource.kind)).toEqual(["Deployment", "Service"]);
  });

  test("check that a child function returns an object of its kind", () => {
    const Part = defineResource({
      group: "example.com",
      version: "v1",
      kind: "Part",
      spec: z.object({ size: z.int().default(1) }),
    });
    defineController(Thing, {
      owns: [Deployment, ConfigMap, Part],
      async reconcile(thing, ctx) {
        const deploymentFor = (): Deployment => ({
          metadata: { name: "a" },
          spec: { selector: {}, template: {} },
        });
        const partFor = (): ObjectOf<typeof Part> => ({
          apiVersion: "example.com/v1",
          kind: "Part",
          metadata: { name: "a" },
          spec: { size: 2 },
        });
        const name: string | undefined = thing.spec.secret;
        expectTypeOf(await ctx.apply(Deployment, deploymentFor())).toEqualTypeOf<Deployment>();
        ctx.keep(Deployment, deploymentFor());
        await ctx.apply(Part, partFor());
        // @ts-expect-error a function that returns another kind
        await ctx.apply(ConfigMap, deploymentFor());
        // @ts-expect-error a literal shows whether it has a name
        await ctx.apply(ConfigMap, { data: { a: "b" } });
        // @ts-expect-error a literal shows whether its name may be missing
        await ctx.apply(ConfigMap, { metadata: { name }, data: { a: "b" } });
        // @ts-expect-error a misspelt field of a literal
        await ctx.apply(ConfigMap, { metadata: { name: "a" }, dataa: { a: "b" } });
        // @ts-expect-error a misspelt field of a literal
        await ctx.apply(Deployment, { metadata: { name: "a" }, spec: { replicsa: 1 } });
      },
    });
  });

  test("allow requests for no other kind when none is declared", () => {
    defineController(Thing, {
      async reconcile(_, ctx) {
        // @ts-expect-error not declared
        await ctx.apply(ConfigMap, { metadata: { name: "a" } });
        // @ts-expect-error not declared
        await ctx.get(ConfigMap, "a");
      },
    });
  });

  test("allow status and conditions only where the kind has fields for them", () => {
    defineController(Thing, {
      reconcile(_, ctx) {
        ctx.status({ note: "fine" });
        ctx.status({ ready: 1, conditions: [{ type: "Ready", status: "True", reason: "Because" }] });
        ctx.status({ ready: undefined });
        // @ts-expect-error there is no such field
        ctx.status({ colour: "red" });
        // @ts-expect-error a condition has a reason
        ctx.status({ conditions: [{ type: "Ready", status: "True" }] });
      },
      onError: (error) => ({ note: String(error) }),
    });
    defineController(ConfigMap, {
      reconcile(_, ctx) {
        // @ts-expect-error a ConfigMap has no status
        ctx.status({ note: "fine" });
      },
    });
  });

  test("let reconcile return when to requeue, or nothing", () => {
    defineController(Thing, { reconcile: () => ({ requeueAfter: 1000 }) });
    defineController(Thing, { reconcile: async () => undefined });
    // @ts-expect-error a result of another kind
    defineController(Thing, { reconcile: () => 5 });
  });

  test("give it a name by default, and a finalizer only when it cleans up", () => {
    const plain = defineController(Thing, { reconcile: () => undefined });
    expect([plain.name, plain.finalizer]).toEqual(["thing", undefined]);
    const careful = defineController(Thing, {
      name: "careful",
      reconcile: () => undefined,
      finalize: () => undefined,
    });
    expect(careful.finalizer).toBe("example.com/careful");
  });
});
