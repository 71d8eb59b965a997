import type { Container, IntOrString, LabelSelector, Quantity, UntypedObject } from "@kubewright/api";
import { describe, expect, expectTypeOf, it, vi } from "vitest";
import { z } from "zod";
import { toStructuralSchema } from "../define/from-zod/index.js";
import { builtinTypes } from "./builtin-types.js";
import { conditions, kube } from "./index.js";

describe("kube: schemas of built-in types", () => {
  it.each(Object.entries(builtinTypes))(
    "%s is known to Kubernetes and has a structural schema",
    (_name, make) => {
      const { schema, problems } = toStructuralSchema(make(), "spec");
      expect(problems).toEqual([]);
      expect(schema.type).toBe("object");
    },
  );

  it("are made when first read, and once", async () => {
    vi.resetModules();
    const { kube: unread } = await import("./index.js");
    const property = Object.getOwnPropertyDescriptor(unread, "PodAffinity");
    expect(property?.value).toBeUndefined();
    expect(unread.PodAffinity).toBe(unread.PodAffinity);
  });

  it("fail with the name of a type that does not exist", () => {
    const { problems } = toStructuralSchema(kube.type("io.k8s.api.core.v1.Nothing"), "spec.it");
    expect(problems).toMatchObject([
      { field: "spec.it", message: "io.k8s.api.core.v1.Nothing is not a built-in type" },
    ]);
  });

  it("carry their static types", () => {
    expectTypeOf<z.output<typeof kube.Container>>().toEqualTypeOf<Container>();
    expectTypeOf<z.input<typeof kube.LabelSelector>>().toEqualTypeOf<LabelSelector>();
    const opaque = kube.opaque(z.object({ size: z.int().default(1) }));
    expectTypeOf<z.output<typeof opaque>>().toEqualTypeOf<{ size?: number | undefined }>();
    const embedded = kube.embeddedResource();
    expectTypeOf<z.output<typeof embedded>>().toEqualTypeOf<UntypedObject>();
    const amount = kube.quantity();
    expectTypeOf<z.output<typeof amount>>().toEqualTypeOf<Quantity>();
    const port = kube.intOrString();
    expectTypeOf<z.output<typeof port>>().toEqualTypeOf<IntOrString>();
  });
});

it("kube: keywords override those of a schema and keep its type", () => {
  const one = z.object({ a: z.int().optional() }).check(kube.keywords({ maxProperties: 1 }));
  expect(toStructuralSchema(one, "spec").schema).toMatchObject({ type: "object", maxProperties: 1 });
  expectTypeOf<z.output<typeof one>>().toEqualTypeOf<{ a?: number | undefined }>();
});

describe("kube: the size of a structural schema", () => {
  it.each([
    ["a pod template", kube.PodTemplateSpec, 70_000],
    ["an opaque pod template", kube.opaque(kube.PodTemplateSpec), 100],
    ["conditions", conditions(), 1_500],
  ])("of %s is small enough for kubectl apply", (_name, schema, limit) => {
    expect(JSON.stringify(toStructuralSchema(schema, "spec").schema).length).toBeLessThan(limit);
  });
});
