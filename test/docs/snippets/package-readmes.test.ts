// The code of the packages' READMEs that no guide repeats.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  Amount,
  APIService,
  ConfigMap,
  Deployment,
  type JSONSchemaProps,
  LabelMatcher,
  Namespace,
  Pod,
  Service,
  ServiceAccount,
  type TransportRequest,
  type TransportResponse,
  ValidatingWebhookConfiguration,
} from "@kubewright/api";
import * as servers from "@kubewright/apiserver";
import { type ApiServer, type ApiServerOptions, openDurableStorage } from "@kubewright/apiserver";
import { boolType, compileExpression, compileSchemaRules, createBudget, dynType } from "@kubewright/cel";
import { Client, hasCondition, waitFor } from "@kubewright/client";
import { startCluster } from "@kubewright/cluster";
import { builtInKinds, type StrategyContext } from "@kubewright/kinds";
import { applyMergePatch, builtInDecoder, decodeObject } from "@kubewright/machinery";
import { defineController, defineManager } from "@kubewright/runtime";
import { testCluster } from "@kubewright/testing";
import { afterEach, expect, test } from "vitest";
import { ModelBox } from "../../../operators/modelbox/src/api/v1/model-box.js";

/** The servers of one test: the page leaves it to the reader to close them. */
const created: ApiServer[] = [];
const createApiServer = (options?: ApiServerOptions): ApiServer => {
  const server = servers.createApiServer(options);
  created.push(server);
  return server;
};
afterEach(() => {
  for (const server of created.splice(0)) server.close();
});
const clientOf = (server: ApiServer) => new Client({ transport: server.transport() });
const podNamed = (name: string) => ({
  metadata: { name, namespace: "default" },
  spec: { containers: [{ name: "main", image: "x" }], hostNetwork: true },
});

test("packages/api/README.md: quantities, selectors and descriptors", () => {
  Amount.parse("1.5Gi").toString(); // "1536Mi"
  LabelMatcher.parse("app=web,tier in (front,back)").matches({ app: "web", tier: "front" }); // true
  Deployment.plural; // "deployments"; the type of the same name is the object's

  expect(Amount.parse("1.5Gi").toString()).toBe("1536Mi");
  expect(LabelMatcher.parse("app=web,tier in (front,back)").matches({ app: "web", tier: "front" })).toBe(
    true,
  );
  expect(Deployment.plural).toBe("deployments");
});

test("packages/apiserver/README.md: a client of a server in the same process", async () => {
  const server = createApiServer();
  const client = new Client({ transport: server.transport() }); // no socket, no encoding
  await client.create(ConfigMap, { metadata: { name: "a", namespace: "default" }, data: { k: "v" } });

  expect((await client.get(ConfigMap, "a", { namespace: "default" })).data).toEqual({ k: "v" });
});

test("packages/apiserver/README.md: a webhook is a function of this process", async () => {
  const myWebhooks = {
    handle: (_path: string, review: unknown) => {
      const { request } = review as { request: { uid: string } };
      const status = { message: "closed on Sundays" };
      const response = { uid: request.uid, allowed: false, status };
      return { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response };
    },
  };

  const server = createApiServer({
    resolveService: ({ name }) =>
      name === "my-operator" ? (path, review) => myWebhooks.handle(path, review) : undefined,
  });

  const client = clientOf(server);
  await client.create(ValidatingWebhookConfiguration, {
    metadata: { name: "sundays" },
    webhooks: [
      {
        name: "sundays.example.com",
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
        clientConfig: { service: { namespace: "default", name: "my-operator" } },
        rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
      },
    ],
  });
  await expect(client.create(ConfigMap, { metadata: { name: "a", namespace: "default" } })).rejects.toThrow(
    "closed on Sundays",
  );
});

test("packages/apiserver/README.md: defaults and exemptions of pod security", async () => {
  const server = createApiServer({
    podSecurity: {
      defaults: { warn: { level: "baseline", version: "latest" } },
      exemptions: { namespaces: ["kube-system"] },
    },
  });

  const warnings: string[] = [];
  const client = new Client({
    transport: server.transport(),
    onWarning: (text) => warnings.push(text),
  });
  await client.create(ServiceAccount, { metadata: { name: "default", namespace: "default" } });
  await client.create(Pod, podNamed("a"));
  expect(warnings.join()).toContain("would violate PodSecurity");
});

test("packages/apiserver/README.md: an extension server is a function of this process", async () => {
  const myMetrics = {
    handle: (_request: TransportRequest): Promise<TransportResponse> =>
      Promise.resolve({ status: 200, headers: {}, body: { kind: "object", value: { cpu: "1" } } } as never),
  };

  const server = createApiServer({
    resolveExtension: ({ group }) =>
      group === "metrics.k8s.io" ? (request) => myMetrics.handle(request) : undefined,
  });

  const client = clientOf(server);
  const spec = {
    group: "metrics.k8s.io",
    version: "v1beta1",
    groupPriorityMinimum: 100,
    versionPriority: 100,
  };
  const api = await client.create(APIService, {
    metadata: { name: "v1beta1.metrics.k8s.io" },
    spec: { ...spec, service: { namespace: "default", name: "metrics" } },
  });
  expect(api.spec?.service?.name).toBe("metrics");
});

test("packages/apiserver/README.md: writes are on disk", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kubewright-readme-"));
  const directory = process.cwd();
  const problems: unknown[] = [];
  const stop = (error: unknown) => void problems.push(error);
  try {
    process.chdir(folder);
    const { storage, torn, close } = openDurableStorage({
      directory: "./data",
      onError: (error) => stop(error),
    });
    const server = createApiServer({ storage });

    await clientOf(server).create(Namespace, { metadata: { name: "kept" } });
    server.close();
    await close();
    const reopened = openDurableStorage({ directory: "./data" });
    const again = clientOf(createApiServer({ storage: reopened.storage }));
    expect((await again.get(Namespace, "kept")).metadata?.name).toBe("kept");
    expect([torn, problems]).toEqual([undefined, []]);
    await reopened.close();
  } finally {
    process.chdir(directory);
    rmSync(folder, { recursive: true });
  }
});

test("packages/apiserver/README.md: Services have addresses of both families", async () => {
  const server = createApiServer({ serviceRanges: ["10.96.0.0/16", "fd00:10:96::/112"] });

  const { spec } = await clientOf(server).create(Service, {
    metadata: { name: "web", namespace: "default" },
    spec: { ipFamilyPolicy: "RequireDualStack", ports: [{ port: 80 }] },
  });
  expect(spec?.clusterIPs).toEqual([
    expect.stringMatching(/^10\.96\./),
    expect.stringMatching(/^fd00:10:96:/),
  ]);
});

test("packages/cel/README.md: expressions and the rules of a schema", () => {
  const schema: JSONSchemaProps = {
    type: "object",
    properties: { size: { type: "integer" } },
    "x-kubernetes-validations": [{ rule: "self.size >= oldSelf.size", message: "must not shrink" }],
  };
  const object = { size: 1 };
  const stored = { size: 2 };

  const program = compileExpression("object.spec.replicas <= 5", {
    variables: { object: dynType },
    resultType: boolType,
  });
  program.evaluate({ object: { spec: { replicas: 3 } } }, createBudget()); // true

  const rules = compileSchemaRules(schema, { path: "spec.versions[0].schema.openAPIV3Schema" });
  if (rules.errors.length === 0) rules.validate({ self: object, old: stored, budget: createBudget() });

  expect(program.evaluate({ object: { spec: { replicas: 3 } } }, createBudget())).toBe(true);
  const errors = rules.validate({ self: object, old: stored, budget: createBudget() });
  expect(errors.map(({ message }) => message)).toEqual([expect.stringContaining("must not shrink")]);
});

const web: Deployment = {
  metadata: { name: "web", namespace: "default" },
  spec: {
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "main", image: "web:1" }] },
    },
  },
};

test("packages/cluster/README.md: a Deployment becomes Available", async () => {
  await using cluster = await startCluster();
  const { kubeconfig } = await cluster.listen(); // for kubectl
  await cluster.client.create(Deployment, web); // becomes Available

  const options = { namespace: "default", timeout: 10_000 };
  await waitFor(cluster.client, Deployment, "web", hasCondition("Available"), options);
  expect(kubeconfig).toContain("https://127.0.0.1:");
});

test("packages/kinds/README.md: the rules of a kind", () => {
  const draft = structuredClone({ ...web, spec: { ...web.spec, replicas: -1 } }) as never;
  const context = {} as StrategyContext;

  const deployments = builtInKinds().find(({ resource }) => resource === "deployments.apps");
  deployments?.strategy?.applyDefaults?.(draft);
  const errors = deployments?.strategy?.validateCreate?.(draft, context);

  expect(errors?.map(({ field }) => field)).toEqual(["spec.replicas"]);
});

test("packages/machinery/README.md: decodes and patches", () => {
  const bytes = Buffer.from(
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: web }\nspec: { replica: 1 }\n",
  );
  const live = { spec: { replicas: 1, paused: true } };

  const deployments = builtInDecoder({ group: "apps", version: "v1", kind: "Deployment" });
  const { value, warnings } = decodeObject({ kind: "bytes", bytes }, "application/yaml", deployments, "Warn");

  const patched = applyMergePatch(live, { spec: { replicas: 3 } });

  expect(value["metadata"]).toMatchObject({ name: "web" });
  expect(warnings).toEqual(['unknown field "spec.replica"']);
  expect(patched).toEqual({ spec: { replicas: 3, paused: true } });
});

const deploymentFor = ({ metadata }: ModelBox): Deployment => ({
  ...web,
  metadata: { name: metadata.name, namespace: metadata.namespace },
});

const controller = defineController(ModelBox, {
  owns: [Deployment],
  async reconcile(box, ctx) {
    const deployment = await ctx.apply(Deployment, deploymentFor(box));
    ctx.status({ readyReplicas: deployment.status?.readyReplicas ?? 0 });
  },
});
export default defineManager({ name: "modelbox", controllers: [controller] });

test("packages/runtime/README.md: a controller keeps a Deployment and reports its pods", async () => {
  await using cluster = await testCluster({ resources: [ModelBox], controllers: [controller] });
  await cluster.create(ModelBox, { name: "web", spec: { image: "nginx", ports: [{ port: 80 }] } });
  await cluster.eventually(ModelBox, "web", ({ status }) => status?.readyReplicas === 1);
});
