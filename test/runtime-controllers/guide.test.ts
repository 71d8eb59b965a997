// The examples of docs/guides/controllers.md, compiled and run; test/docs/snippets.test.ts keeps the two the same.
import {
  ConfigMap,
  CustomResourceDefinition,
  Deployment,
  Namespace,
  type ObjectOf,
  Secret,
  Service,
  systemClock,
  TerminalError,
} from "@kubewright/api";
import { startCluster } from "@kubewright/cluster";
import {
  annotationsChanged,
  anyOf,
  channel,
  child,
  defineComposition,
  defineController,
  defineManager,
  generationChanged,
  interval,
  jsonLogger,
  permissionsOf,
  readOnly,
  startManager,
  watch,
} from "@kubewright/runtime";
import { conditions, defineResource, z } from "@kubewright/schema";
import { expect, test, vi } from "vitest";

const Site = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Site",
  spec: z.object({
    image: z.string(),
    replicas: z.int().default(1),
    isPublic: z.boolean().default(true),
    secret: z.string().optional(),
  }),
  status: z.object({ readyReplicas: z.int().optional(), conditions: conditions() }),
});

const Shelf = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Shelf",
  plural: "shelves",
  spec: z.object({ books: z.record(z.string(), z.string()) }),
  status: z.object({ books: z.int().optional(), conditions: conditions() }),
});

const Bucket = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Bucket",
  spec: z.object({ name: z.string() }),
});

type Site = ObjectOf<typeof Site>;

const labelsOf = (site: Site) => ({ app: site.metadata.name ?? "" });

const deploymentFor = (site: Site) => ({
  metadata: { name: site.metadata.name ?? "", labels: labelsOf(site) },
  spec: {
    replicas: site.spec.replicas,
    selector: { matchLabels: labelsOf(site) },
    template: {
      metadata: { labels: labelsOf(site) },
      spec: { containers: [{ name: "web", image: site.spec.image }] },
    },
  },
});

const serviceFor = (site: Site) => ({
  metadata: { name: site.metadata.name ?? "" },
  spec: { selector: labelsOf(site), ports: [{ port: 80 }] },
});

/** Somewhere outside the cluster. */
const buckets = new Map<string, number>();
const cloud = {
  async ensureBucket(name: string, _options: { signal: AbortSignal }) {
    if (!buckets.has(name)) buckets.set(name, 1);
  },
  async emptyBucket(name: string, _options: { signal: AbortSignal }) {
    buckets.set(name, 0);
    return true;
  },
  async deleteBucket(name: string) {
    buckets.delete(name);
  },
};

export const siteController = defineController(Site, {
  owns: [Deployment, Service], // the only kinds ctx lets us touch; permissions follow from it
  async reconcile(site, ctx) {
    const deployment = await ctx.apply(Deployment, deploymentFor(site));
    await ctx.apply(Service, serviceFor(site));
    ctx.status({ readyReplicas: deployment.status?.readyReplicas ?? 0 });
  },
});

export default defineManager({ name: "site-operator", controllers: [siteController] });
const siteManager = defineManager({ name: "site-operator", controllers: [siteController] });

export const shelfController = defineController(Shelf, {
  owns: [ConfigMap],
  async reconcile(shelf, ctx) {
    for (const [name, text] of Object.entries(shelf.spec.books)) {
      await ctx.apply(ConfigMap, { metadata: { name: `${shelf.metadata.name}-${name}` }, data: { text } });
    }
    const pruned = await ctx.prune(); // deletes children this reconcile did not declare
    if (pruned > 0) ctx.event({ reason: "Pruned", note: `removed ${pruned} books` });
    ctx.status({
      books: ctx.children(ConfigMap).length,
      conditions: [{ type: "Ready", status: "True", reason: "AllShelved" }],
    });
  },
});

export const careful = defineController(Site, {
  name: "careful",
  reconcile(site) {
    if (site.spec.replicas > 100) throw new TerminalError("more than 100 replicas are not supported");
  },
  onError: (error) => ({
    conditions: [{ type: "Ready", status: "False", reason: "Failed", message: String(error) }],
  }),
});

const pokes = channel("pokes");

export const awake = defineController(Site, {
  name: "awake",
  namespaces: ["shop", "blog"],
  labelSelector: "tier=gold",
  when: anyOf(generationChanged, annotationsChanged),
  indexes: { secret: (site) => (site.spec.secret ? [`${site.metadata.namespace}/${site.spec.secret}`] : []) },
  watches: [
    watch(Secret, {
      // Called with the object before and after a change, so that what is no longer referred to heals too.
      targets: (secret, sites) =>
        sites.byIndex("secret", `${secret.metadata?.namespace}/${secret.metadata?.name}`),
    }),
  ],
  sources: [interval(10 * 60_000), pokes],
  uses: [readOnly(ConfigMap)],
  async reconcile(site, ctx) {
    const secret = site.spec.secret ? await ctx.get(Secret, site.spec.secret) : undefined;
    const defaults = await ctx.get(ConfigMap, "site-defaults"); // from the server: ConfigMaps are not watched
    ctx.log.info("looked", { hasSecret: secret !== undefined, hasDefaults: defaults !== undefined });
  },
});

export const bucketController = defineController(Bucket, {
  async reconcile(bucket, ctx) {
    await cloud.ensureBucket(bucket.spec.name, { signal: ctx.signal });
  },
  async finalize(bucket, ctx) {
    const isEmpty = await cloud.emptyBucket(bucket.spec.name, { signal: ctx.signal });
    if (!isEmpty) return { requeueAfter: 5_000 }; // not done yet
    await cloud.deleteBucket(bucket.spec.name);
    return undefined;
  },
});

export const siteComposition = defineComposition(Site, {
  name: "site-composition",
  owns: [Deployment, Service, ConfigMap],
  children: (site) => ({
    config: child(ConfigMap, { metadata: { name: `${site.metadata.name}-config` }, data: { theme: "dark" } }),
    web: child(Deployment, deploymentFor(site), { after: ["config"] }), // when config is ready
    front: site.spec.isPublic ? child(Service, serviceFor(site)) : undefined, // gone when it is not
  }),
  status: (_site, { web }) => ({ readyReplicas: web?.status?.readyReplicas ?? 0 }),
});

const namespace = "default";

async function withKinds() {
  const cluster = await startCluster({ nodes: 0, controllers: "none" });
  const { client } = cluster;
  for (const kind of [Site, Shelf, Bucket]) await client.create(CustomResourceDefinition, kind.crd());
  await vi.waitFor(() => client.list(Bucket));
  return { cluster, client };
}

test("the examples run", async () => {
  const { cluster, client } = await withKinds();
  await using _closing = cluster;
  {
    const manager = await startManager(siteManager, { client });
    await manager.close(); // finishes what is in flight, then stops
  }
  const errors: unknown[] = [];
  const controllers = [shelfController, careful, awake, bucketController, siteComposition];
  const everything = defineManager({ name: "everything", controllers });
  await using _manager = await startManager(everything, {
    client,
    onError: (_, error) => errors.push(error),
  });
  await client.create(Shelf, { metadata: { name: "s", namespace }, spec: { books: { a: "A", b: "B" } } });
  await client.create(Bucket, { metadata: { name: "b", namespace }, spec: { name: "pail" } });
  await client.create(Site, {
    metadata: { name: "big", namespace },
    spec: { image: "nginx", replicas: 101 },
  });
  await vi.waitFor(async () => expect((await client.get(Shelf, "s", { namespace })).status?.books).toBe(2));
  await vi.waitFor(() => expect([...buckets]).toEqual([["pail", 1]]));
  await client.delete(Bucket, "b", { namespace });
  await vi.waitFor(() => expect([...buckets]).toEqual([]));
  await vi.waitFor(async () => {
    const types = (await client.get(Site, "big", { namespace })).status?.conditions?.map(({ type }) => type);
    expect(types?.toSorted()).toEqual(["Available", "Degraded", "Progressing", "Ready"]);
  });
  expect(errors.map(String)).toContain("TerminalError: more than 100 replicas are not supported");
});

test("a manager with a leader leads", async () => {
  const { cluster, client } = await withKinds();
  await using _closing = cluster;
  const twoReplicas = defineManager({
    name: "site-operator",
    controllers: [siteController],
    leaderElection: { namespace: "site-system" },
    concurrency: { "Site.example.com": 4 },
  });
  expect(permissionsOf(twoReplicas).length).toBeGreaterThan(3);
  await client.create(Namespace, { metadata: { name: "site-system" } });
  const lines: string[] = [];
  const process = { stderr: { write: (line: string) => lines.push(line) } };
  const log = jsonLogger({ clock: systemClock, write: (line) => process.stderr.write(`${line}\n`) });
  const replica = await startManager(twoReplicas, { client, log, namespace: "site-system" });
  await vi.waitFor(() => expect(replica.isLeader).toBe(true));
  expect(lines.join("")).toContain('"msg":"leading"');
  await replica.close();
});
