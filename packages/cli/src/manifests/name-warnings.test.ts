import { defineResource, z } from "@kubewright/schema";
import { expect, test } from "vitest";
import { nameWarnings } from "./name-warnings.js";

test("manifests: warns of a kind whose plural kubectl resolves to a built-in resource", () => {
  const names = { group: "shop.example.com", version: "v1", spec: z.object({}) };
  const resources = [
    defineResource({ ...names, kind: "CronJob" }),
    defineResource({ ...names, kind: "Cart" }),
  ];
  expect(nameWarnings({ controllers: [], resources })).toEqual([
    'warning: CronJob.shop.example.com: plural: "kubectl get cronjobs" means the built-in cronjobs and never this kind; choose another plural',
    'warning: CronJob.shop.example.com: singular: "kubectl get cronjob" means the built-in cronjobs and never this kind; choose another singular',
  ]);
});
