import type {
  Condition,
  InputOf,
  ObjectMeta,
  ObjectOf,
  ResourceDescriptor,
  ServicePort,
} from "@kubewright/api";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { conditions, kube } from "../kube/index.js";
import { defineResource } from "./define-resource.js";
import type { ResourceDefinition } from "./resource-definition.js";
import { rule } from "./rule.js";

const ModelBox = defineResource({
  group: "model.github.com",
  version: "v1",
  kind: "ModelBox",
  shortNames: ["mb"],
  spec: z.object({
    image: z.string().min(1).describe("Container image to run"),
    replicas: z.int().min(0).default(1),
    ports: kube.listMap(kube.ServicePort, ["port", "protocol"]).min(1),
    tier: z.enum(["small", "medium", "large", "custom"]).default("small"),
    resources: kube.ResourceRequirements.optional(),
    update: z.object({ surge: kube.intOrString(), steps: z.array(z.object({ weight: z.int() })) }).optional(),
    labels: z.record(z.string(), z.string()).optional(),
    raw: z.unknown().optional(),
  }),
  rules: [rule("self.spec.tier != 'custom' || has(self.spec.resources)", "tier custom needs resources")],
  status: z.object({ readyReplicas: z.int().optional(), conditions: conditions() }),
});

type Output = ObjectOf<typeof ModelBox>;
type Input = InputOf<typeof ModelBox>;

describe("the types of defineResource", () => {
  it("say what the server returns, with defaults applied and readonly throughout", () => {
    expectTypeOf<Output["apiVersion"]>().toEqualTypeOf<"model.github.com/v1">();
    expectTypeOf<Output["kind"]>().toEqualTypeOf<"ModelBox">();
    expectTypeOf<Output["metadata"]>().toEqualTypeOf<ObjectMeta>();
    expectTypeOf<Output["spec"]["replicas"]>().toEqualTypeOf<number>();
    expectTypeOf<Output["spec"]["tier"]>().toEqualTypeOf<"small" | "medium" | "large" | "custom">();
    expectTypeOf<Output["spec"]["ports"]>().toEqualTypeOf<readonly ServicePort[]>();
    expectTypeOf<Output["status"]>().toEqualTypeOf<
      | {
          readonly readyReplicas?: number | undefined;
          readonly conditions?: readonly Condition[] | undefined;
        }
      | undefined
    >();
    expectTypeOf<Output["spec"]["update"]>().toEqualTypeOf<
      { readonly surge: string | number; readonly steps: readonly { readonly weight: number }[] } | undefined
    >();
    expectTypeOf<Output["spec"]["labels"]>().toEqualTypeOf<{ readonly [x: string]: string } | undefined>();
    expectTypeOf<Output["spec"]["raw"]>().toEqualTypeOf<unknown>();
  });

  it("say what a user may write, with defaults and names left out", () => {
    const smallest: Input = { spec: { image: "nginx", ports: [{ port: 80 }] } };
    expectTypeOf(smallest).toEqualTypeOf<Input>();
    expectTypeOf<Input["spec"]["replicas"]>().toEqualTypeOf<number | undefined>();
    expectTypeOf<Input["kind"]>().toEqualTypeOf<"ModelBox" | undefined>();
    // @ts-expect-error image is required
    const missing: Input = { spec: { ports: [{ port: 80 }] } };
    // @ts-expect-error no such tier
    const wrong: Input = { spec: { image: "nginx", ports: [], tier: "tiny" } };
    expectTypeOf([missing, wrong]).toBeArray();
  });

  it("let what was read be written again", () => {
    expectTypeOf<Output>().toExtend<Input>();
    expectTypeOf(ModelBox).toExtend<ResourceDescriptor<Output, Input>>();
  });

  it("forbid to change what was read", () => {
    const change = (box: Output) => {
      // @ts-expect-error readonly
      box.spec.replicas = 2;
      // @ts-expect-error readonly
      box.spec.ports.push({ port: 1 });
      // @ts-expect-error readonly
      box.spec.update?.steps.push({ weight: 1 });
    };
    expectTypeOf(change).toBeFunction();
  });

  it("know the fields of list items that keys may name", () => {
    // @ts-expect-error no such field
    kube.listMap(kube.ServicePort, ["prot"]);
  });

  it("leave out what was not declared", () => {
    const Plain = defineResource({ group: "a.example.com", version: "v1", kind: "Plain" });
    expectTypeOf<ObjectOf<typeof Plain>>().toEqualTypeOf<{
      readonly apiVersion: "a.example.com/v1";
      readonly kind: "Plain";
      readonly metadata: ObjectMeta;
    }>();
  });

  it("cover fields beside spec and status, and optional or defaulted specs", () => {
    const Odd = defineResource({
      group: "a.example.com",
      version: "v1",
      kind: "Odd",
      spec: z.object({ size: z.int().default(3) }).prefault({}),
      fields: { data: z.record(z.string(), z.string()), note: z.string().optional() },
    });
    expectTypeOf<ObjectOf<typeof Odd>>().toEqualTypeOf<{
      readonly apiVersion: "a.example.com/v1";
      readonly kind: "Odd";
      readonly metadata: ObjectMeta;
      readonly spec: { readonly size: number };
      readonly data: { readonly [x: string]: string };
      readonly note?: string | undefined;
    }>();
    expectTypeOf<InputOf<typeof Odd>["spec"]>().toEqualTypeOf<
      { readonly size?: number | undefined } | undefined
    >();
  });

  it("give each further version a definition of its own", () => {
    const App = defineResource({
      group: "app.example.com",
      version: "v1",
      kind: "App",
      spec: z.object({ size: z.int() }),
      versions: {
        v1alpha1: { spec: z.object({ count: z.int().default(1) }), deprecated: "use v1" },
      },
    });
    expectTypeOf<ObjectOf<typeof App.versions.v1alpha1>>().toEqualTypeOf<{
      readonly apiVersion: "app.example.com/v1alpha1";
      readonly kind: "App";
      readonly metadata: ObjectMeta;
      readonly spec: { readonly count: number };
    }>();
    // @ts-expect-error no such version
    App.versions.v2;
  });

  it("check the options", () => {
    const names = { group: "a.example.com", version: "v1", kind: "Thing" } as const;
    // @ts-expect-error shortNames
    defineResource({ ...names, shortname: ["t"] });
    // @ts-expect-error served
    defineResource({ ...names, versions: { v1beta1: { servd: false } } });
    const wrong = () =>
      defineResource({
        ...names,
        // @ts-expect-error the type of a column
        columns: { Name: { path: ".metadata.name", type: "text" } },
      });
    expect(wrong).toThrow("columns.Name.type");
    expectTypeOf(defineResource({ ...names, versions: { v2: { served: false } } }).versions).toHaveProperty(
      "v2",
    );
  });

  it("let any definition stand for an unknown one", () => {
    expectTypeOf(ModelBox).toExtend<ResourceDefinition>();
    expectTypeOf(ModelBox).toExtend<ResourceDescriptor>();
  });
});
