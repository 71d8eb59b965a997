// The examples of docs/guides/resources.md and of the package's README, compiled and run; test/docs/snippets.test.ts keeps the two the same.
import type { InputOf, ObjectOf } from "@kubewright/api";
import { describe, expect, expectTypeOf, it } from "vitest";
import { conditions, defineResource, exactlyOneOf, immutable, kube, rule, z } from "../index.js";

export const CronTab = defineResource({
  group: "stable.example.com",
  version: "v1",
  kind: "CronTab",
  shortNames: ["ct"],
  spec: z.object({
    cronSpec: z.string().min(1).describe("When to run, in cron's notation"),
    image: z.string(),
    replicas: z.int().min(0).default(1),
  }),
  status: z.object({
    readyReplicas: z.int().optional(),
    conditions: conditions(),
  }),
  scale: { spec: ".spec.replicas", status: ".status.readyReplicas" },
  columns: { Schedule: ".spec.cronSpec", Replicas: ".spec.replicas" },
});

export type CronTab = ObjectOf<typeof CronTab>; // what the server returns: replicas is a number
export type CronTabInput = InputOf<typeof CronTab>; // what you may write: replicas may be left out

const web = kube.listMap(kube.ServicePort, ["port", "protocol"]).min(1);

const volumes = z.object({
  ports: web,
  env: kube.listMap(kube.EnvVar, ["name"]).optional(),
  resources: kube.ResourceRequirements.optional(),
  template: kube.opaque(kube.PodTemplateSpec).optional(),
  hosts: kube.listSet(z.hostname()).optional(),
  size: kube.quantity().default("1Gi"),
  maxUnavailable: kube.intOrString().default("25%"),
  timeout: kube.duration().default("30s"),
  labels: kube.map(z.string(), { maxProperties: 64 }).optional(),
  extra: z.unknown().optional(),
});

const range = z
  .object({
    min: z.int().default(1),
    max: z.int(),
    storageClass: z.string().max(63).optional().check(immutable()),
  })
  .check(rule("self.min <= self.max", { message: "min must not exceed max", fieldPath: ".min" }));

const source = z
  .object({
    secret: kube.SecretKeySelector.optional(),
    configMap: kube.ConfigMapKeySelector.optional(),
  })
  .check(exactlyOneOf("secret", "configMap"));

const backup = z.discriminatedUnion("type", [
  z.object({ type: z.literal("s3"), bucket: z.string() }),
  z.object({ type: z.literal("volume"), claimName: z.string() }),
]);

export const AppService = defineResource({
  group: "app.example.com",
  version: "v1",
  kind: "AppService",
  spec: z.object({ size: z.int(), range, source, backup: backup.optional(), volumes: volumes.optional() }),
  versions: {
    v1alpha1: {
      spec: z.object({ size: z.int() }),
      deprecated: "app.example.com/v1alpha1 AppService is deprecated; use app.example.com/v1",
    },
  },
  conversion: "webhook",
});

export const ModelBox = defineResource({
  group: "model.github.com",
  version: "v1",
  kind: "ModelBox",
  spec: z.object({
    image: z.string().min(1),
    replicas: z.int().min(0).default(1),
    ports: kube.listMap(kube.ServicePort, ["port", "protocol"]).min(1),
  }),
  columns: { Image: ".spec.image" },
});

ModelBox.crd(); // the CustomResourceDefinition
ModelBox.validate({ spec: { image: "" } }); // what the API server would answer

describe("the guide to resources", () => {
  it("types what is read and what is written", () => {
    expectTypeOf<CronTab["spec"]["replicas"]>().toEqualTypeOf<number>();
    expectTypeOf<CronTabInput["spec"]["replicas"]>().toEqualTypeOf<number | undefined>();
  });

  it("makes CustomResourceDefinitions", () => {
    expect(CronTab.crd().metadata?.name).toBe("crontabs.stable.example.com");
    expect(AppService.crd().spec.versions.map(({ name }) => name)).toEqual(["v1", "v1alpha1"]);
  });
});
