// The YAML and JSON of every page. Objects are applied to an API server that has the kinds of every operator here, as a strict dry run;
// everything else is read by the code that it is for.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isObject, type KubeObject, Namespace } from "@kubewright/api";
import { type Cluster, parseRules, startCluster } from "@kubewright/cluster";
import { parseImageMap } from "@kubewright/cluster/process";
import { customKindsOf } from "@kubewright/runtime";
import { defineResource, z } from "@kubewright/schema";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { managerSettings } from "../../packages/cli/src/manifests/manager-settings.js";
import { installKinds } from "../../packages/cli/src/run/install-kinds.js";
import { membersOf } from "../../packages/dashboard/src/objects/members.js";
import { operators } from "./operators.js";
import { blocksOf, repository } from "./page-runner.js";

const read = (path: string): string => readFileSync(join(repository, path), "utf8");
const pages = [
  "README.md",
  ...["docs", "examples", "operators", "packages"].flatMap((folder) =>
    readdirSync(join(repository, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".md") && !/node_modules|templates/.test(path))
      .map((path) => join(folder, path)),
  ),
];
const blocks = pages.flatMap((page) =>
  blocksOf(read(page))
    .filter(({ info }) => info === "yaml" || info === "json")
    .map(({ text }, index) => ({ page, text, index })),
);

/** The kind of cert-manager, as far as pages use it. */
const certificate = defineResource({
  group: "cert-manager.io",
  version: "v1",
  kind: "Certificate",
  spec: z.object({
    secretName: z.string(),
    subject: z.object({ organizations: z.array(z.string()) }).optional(),
    commonName: z.string().optional(),
    dnsNames: z.array(z.string()).optional(),
    usages: z.array(z.string()).optional(),
    issuerRef: z.object({ name: z.string() }),
  }),
});

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ nodes: 0 });
  for (const name of ["shop", "shop-system"]) await cluster.client.create(Namespace, { metadata: { name } });
  for (const definition of Object.values(operators))
    await installKinds(cluster.client, customKindsOf(definition));
  await installKinds(cluster.client, [certificate]);
});
afterAll(() => cluster.close());

async function dryRun(object: KubeObject): Promise<void> {
  const { client } = cluster;
  const { apiVersion = "", kind = "" } = object;
  const resource = await client.resource({ apiVersion, kind });
  const namespace = object.metadata?.namespace ?? "default";
  await client.apply(resource, object as never, {
    namespace,
    dryRun: true,
    force: true,
    fieldValidation: "Strict",
  });
}

const isWhole = (value: unknown): value is KubeObject =>
  isObject(value) && "apiVersion" in value && "kind" in value;

/** An object with the fields of a fragment in place of its own. */
const merged = (object: unknown, fragment: unknown): unknown =>
  isObject(object) && isObject(fragment)
    ? {
        ...object,
        ...Object.fromEntries(
          Object.entries(fragment).map(([key, value]) => [key, merged(object[key], value)]),
        ),
      }
    : fragment;

/** Blocks that are no objects, by page, and what reads them. Blocks of commands.md are settings of the project in shell-blocks.test.ts. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  "docs/conformance.md": (text) => parseImageMap(text, "images.yaml"),
  "docs/guides/process-nodes.md": (text) => parseImageMap(text, "images.yaml"),
  "docs/guides/simulation.md": (text) => parseRules(text, "rules.yaml"),
  "docs/guides/commands.md": () => "shell-blocks.test.ts",
  "docs/guides/operating.md": (text) =>
    dryRun({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "scraper" },
      ...parse(text),
    }),
  "docs/guides/dashboard.md": (text) => {
    const { status, kubewright } = parse(text);
    if (kubewright) return managerSettings(kubewright.manager);
    expect(membersOf(status)?.map(({ name }) => name)).toEqual(["db-0", "db-1"]);
    return status;
  },
};

/** A fragment of a spec is one of the object that the page is about, which is its first. */
const objectOf = (page: string): unknown =>
  blocks
    .filter((block) => block.page === page)
    .map(({ text }) => parseAllDocuments(text)[0]?.toJS())
    .find(isWhole);

test.each(blocks)("$page: its data block $index is accepted", async ({ page, text }) => {
  const documents = parseAllDocuments(text).map((document) => document.toJS() as unknown);
  const reader = readers[page];
  if (documents.every(isWhole) && page !== "docs/guides/commands.md")
    for (const object of documents) await dryRun(object);
  else if (reader) expect(await reader(text)).not.toBe("");
  else if (isObject(documents[0]) && "spec" in documents[0])
    await dryRun(merged(objectOf(page), documents[0]) as KubeObject);
  else expect.unreachable("it is no object, no part of one, and nothing reads it: add a reader");
});
