// What pages use without declaring it: the kinds and functions of the operator they talk about, and values such as a client.

const site = `
const Site = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Site",
  spec: z.object({
    host: z.string().default("www.example.com"),
    replicas: z.int().default(1),
    topic: z.string().default(""),
    secret: z.string().optional(),
    isPublic: z.boolean().default(true),
  }),
  status: z.object({ readyReplicas: z.int().optional(), conditions: conditions() }),
  versions: { v1alpha1: { spec: z.object({ hostname: z.string(), count: z.int() }) } },
  conversion: "webhook",
});
type Site = ObjectOf<typeof Site>;
import type { ObjectOf } from "@kubewright/api";
declare function deploymentFor(site: Site): Deployment;
declare function serviceFor(site: Site): Service;
declare const siteManager: ManagerDefinition;
import type { ManagerDefinition } from "@kubewright/runtime";
declare const client: Client;
`;

const modelBox = `
import { ModelBox } from "${import.meta.dirname}/../../operators/modelbox/src/api/v1/model-box.js";
import { modelBoxController } from "${import.meta.dirname}/../../operators/modelbox/src/controllers/model-box.js";
`;

/** By page; one without an entry stands for itself. */
export const preludes: Readonly<Record<string, string>> = {
  "docs/guides/caching.md": `${site}
declare const siteController: ControllerDefinition;
import type { ControllerDefinition } from "@kubewright/runtime";
declare const changes: string[];`,
  "docs/guides/client.md": `
declare const ca: string, token: string, resourceVersion: string;
declare const server: ApiServer;
import type { ApiServer } from "@kubewright/apiserver";
declare const officialKubeConfig: OfficialKubeConfig;
import type { OfficialKubeConfig } from "@kubewright/client";
declare const owner: Deployment;
declare const histogram: { observe(labels: object, value: number): void };`,
  "docs/guides/controllers.md": `${site}
const Shelf = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Shelf",
  spec: z.object({ books: z.record(z.string(), z.string()) }),
  status: z.object({ books: z.int().optional(), conditions: conditions() }),
});
const Bucket = defineResource({ group: "example.com", version: "v1", kind: "Bucket", spec: z.object({ name: z.string() }) });
declare const cloud: {
  ensureBucket(name: string, options: { signal: AbortSignal }): Promise<void>;
  emptyBucket(name: string, options: { signal: AbortSignal }): Promise<boolean>;
  deleteBucket(name: string): Promise<void>;
};`,
  "docs/guides/dashboard.md": `
declare const orders: ControllerDefinition;
import type { ControllerDefinition } from "@kubewright/runtime";`,
  "docs/guides/operating.md": `
declare const config: KubeConfig;
import type { KubeConfig } from "@kubewright/client";
declare const controllers: readonly ControllerDefinition[];
import type { ControllerDefinition } from "@kubewright/runtime";
declare const bank: { ping(): Promise<void> };
declare const definition: ManagerDefinition;
import type { ManagerDefinition } from "@kubewright/runtime";`,
  "docs/guides/testing.md": `${modelBox}
declare const spec: { image: string; ports: { port: number }[] };
declare const options: TestClusterOptions;
import type { TestClusterOptions } from "@kubewright/testing";
declare const cluster: TestCluster;`,
  "docs/guides/webhooks.md": `${site}
declare function hostProblems(site: Site): FieldError | undefined;
import type { FieldError } from "@kubewright/api";
import type { LocalWebhook } from "@kubewright/apiserver";
declare const siteConversion: ConversionDefinition;
import type { ConversionDefinition } from "@kubewright/runtime";`,
  "packages/apiserver/README.md": `
declare const myWebhooks: { handle(path: string, review: unknown): never };
declare const myMetrics: { handle(request: unknown): never };
declare function stop(error: unknown): void;`,
  "packages/cel/README.md": `
declare const schema: never, object: never, stored: never;`,
  "packages/cluster/README.md": `
declare const web: Deployment;`,
  "packages/dashboard/README.md": `
declare const client: Client;
declare const shop: ManagerDefinition;
import type { ManagerDefinition } from "@kubewright/runtime";`,
  "packages/kinds/README.md": `
declare const draft: never, context: never;`,
  "packages/machinery/README.md": `
declare const bytes: Uint8Array;
declare const live: never;`,
  "packages/runtime/README.md": `${modelBox}
declare function deploymentFor(box: unknown): Deployment;`,
  "packages/testing/README.md": modelBox,
};
