import { describe, expect, test } from "vitest";
import { z } from "zod";
import { builtInCollisions } from "./built-in-names.js";
import { defineResource } from "./define-resource.js";

const names = { group: "shop.example.com", version: "v1", kind: "Thing", spec: z.object({}) };

describe("defineResource refuses names that take those of built-in resources away", () => {
  test.each([
    [
      { singular: "hpa" },
      'singular: Invalid value: "hpa": "kubectl get hpa" would no longer mean the built-in horizontalpodautoscalers',
    ],
    [
      { plural: "limits" },
      'plural: Invalid value: "limits": "kubectl get limits" would no longer mean the built-in limitranges',
    ],
    [
      { shortNames: ["th", "svc"] },
      'shortNames[1]: Invalid value: "svc": "kubectl get svc" means the built-in services (short name) and never this kind',
    ],
    [
      { shortNames: ["pods"] },
      'shortNames[0]: Invalid value: "pods": "kubectl get pods" means the built-in pods and never this kind',
    ],
    [
      { shortNames: ["all"] },
      'shortNames[0]: Invalid value: "all": "kubectl get all" means the category all',
    ],
  ])("%o", (wrong, message) => {
    expect(() => defineResource({ ...names, ...wrong })).toThrow(message);
    expect(() => defineResource({ ...names, ...wrong, allowBuiltInNames: true })).not.toThrow();
  });
});

test("defineResource gives a kind Hpa a singular of its own", () => {
  const Hpa = defineResource({ ...names, kind: "Hpa" });
  expect([Hpa.singular, Hpa.plural]).toEqual(["shophpa", "hpas"]);
  expect(Hpa.crd().spec.names).toMatchObject({ singular: "shophpa", plural: "hpas", kind: "Hpa" });
});

test("a kind that is called like a built-in one can be defined, and the collision is known", () => {
  const { plural, singular } = defineResource({ ...names, kind: "CronJob" });
  expect(builtInCollisions({ plural, singular })).toMatchObject([
    { field: "plural", name: "cronjobs", hidesBuiltIn: false },
    { field: "singular", name: "cronjob", hidesBuiltIn: false },
  ]);
});
