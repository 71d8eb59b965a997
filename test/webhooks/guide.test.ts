// The examples of docs/guides/webhooks.md, compiled and run; test/docs/snippets.test.ts keeps the two the same.
import { CustomResourceDefinition, fieldError, Namespace, type ObjectOf, Pod } from "@kubewright/api";
import type { LocalWebhook } from "@kubewright/apiserver";
import { startCluster } from "@kubewright/cluster";
import {
  defineConversion,
  defineManager,
  defineWebhook,
  roundTripLosses,
  startManager,
} from "@kubewright/runtime";
import { defineResource, z } from "@kubewright/schema";
import { expect, test, vi } from "vitest";

const Site = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Site",
  conversion: "webhook",
  spec: z.object({ host: z.string().optional(), replicas: z.int().default(1) }),
  versions: { v1alpha1: { spec: z.object({ hostname: z.string().optional(), count: z.int().default(1) }) } },
});
type Site = ObjectOf<typeof Site>;

const hostProblems = (site: Site) =>
  site.spec.host === "localhost"
    ? [fieldError.invalid("spec.host", site.spec.host, "must be a public name")]
    : [];

export const siteConversion = defineConversion(Site, {
  v1alpha1: {
    up: ({ spec }) => ({ spec: { host: spec.hostname, replicas: spec.count } }),
    down: ({ spec }) => ({ spec: { hostname: spec.host, count: spec.replicas } }),
  },
});

export const siteWebhook = defineWebhook(Site, {
  uses: [Namespace],
  default(site) {
    site.spec.host ??= `${site.metadata.name}.example.com`; // a draft: change it in place, or return another object
  },
  validate: {
    async create(site, ctx) {
      if (site.spec.replicas > 10) ctx.warn("more than 10 replicas are rarely needed");
      const space = await ctx.get(Namespace, site.metadata.namespace ?? "");
      if (space?.metadata?.labels?.["sites"] === "closed") ctx.deny("no sites may be added here");
      return hostProblems(site);
    },
    update(site, old) {
      if (site.spec.host !== old.spec.host) return fieldError.forbidden("spec.host", "it cannot be changed");
      return hostProblems(site);
    },
  },
});

export default defineManager({
  name: "site-operator",
  controllers: [],
  webhooks: [siteWebhook, siteConversion],
});

export const sidecars = defineWebhook(Pod, {
  objectSelector: { matchLabels: { sidecar: "yes" } }, // never all Pods: the operator's own is one
  failurePolicy: "Ignore",
  default(pod) {
    pod.spec?.containers.push({ name: "sidecar", image: "busybox" });
  },
});

export const guard = defineWebhook(Pod, {
  subresource: "eviction",
  validate: { create: (_eviction, ctx) => ctx.deny(`${ctx.name} must stay`) },
});

const siteManager = defineManager({
  name: "site-operator",
  controllers: [],
  webhooks: [siteWebhook, siteConversion, sidecars, guard],
});

test("nothing is lost between versions", () => {
  expect(roundTripLosses(siteConversion)).toEqual([]);
});

test("the examples run", async () => {
  const services = new Map<string, LocalWebhook>();
  const cluster = await startCluster({ resolveService: ({ name }) => services.get(name) });
  await using _cluster = cluster;
  const { client } = cluster;
  await client.create(CustomResourceDefinition, Site.crd());
  await vi.waitFor(() => client.list(Site));
  const manager = await startManager(siteManager, {
    client: cluster.client,
    webhooks: {
      mode: "local",
      connect({ name }, call) {
        services.set(name, call);
        return () => services.delete(name);
      },
    },
  });
  await using _manager = manager;
  const metadata = { name: "blog", namespace: "default" };
  const site = await client.create(Site.versions.v1alpha1, { metadata, spec: {} });
  expect(site.spec).toEqual({ hostname: "blog.example.com", count: 1 });
  await expect(
    client.patch(Site, "blog", { merge: { spec: { host: "x.example.com" } } }, { namespace: "default" }),
  ).rejects.toThrow("spec.host: Forbidden: it cannot be changed");
  await client.create(Namespace, { metadata: { name: "full", labels: { sites: "closed" } } });
  await expect(
    client.create(Site, { metadata: { name: "blog", namespace: "full" }, spec: {} }),
  ).rejects.toThrow("no sites may be added here");
  await expect(
    client.create(Site, { metadata: { ...metadata, name: "wrong" }, spec: { host: "localhost" } }),
  ).rejects.toThrow("must be a public name");
});
