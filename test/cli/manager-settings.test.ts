// What package.json says about the manager's Deployment is what every output has.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCluster } from "@kubewright/cluster";
import { afterAll, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import guestbook from "../../operators/guestbook/src/main.js";
import { applyObject } from "../../packages/cli/src/cluster-commands/apply-objects.js";
import { planManifests } from "../../packages/cli/src/manifests/generate.js";
import { servingInPod } from "../../packages/runtime/src/main/open-manager.js";
import { renderTemplate } from "./chart-rendering.js";

const root = mkdtempSync(join(tmpdir(), "kubewright-settings-"));
afterAll(() => rmSync(root, { recursive: true }));

const manager = {
  resources: { limits: { memory: "1Gi" }, requests: { cpu: "1", memory: "1Gi" } },
  env: [{ name: "HTTPS_PROXY", value: "http://proxy:3128" }],
  args: ["--log-level=debug"],
  imagePullPolicy: "Always",
  imagePullSecrets: [{ name: "registry" }],
  nodeSelector: { "kubernetes.io/os": "linux" },
  tolerations: [{ key: "dedicated", operator: "Exists" }],
  affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
  topologySpreadConstraints: [
    { maxSkew: 1, topologyKey: "kubernetes.io/hostname", whenUnsatisfiable: "ScheduleAnyway" },
  ],
  priorityClassName: "system-cluster-critical",
  podAnnotations: { "example.com/team": "shop" },
  podLabels: { tier: "operators" },
  volumes: [{ name: "tmp", emptyDir: {} }],
  volumeMounts: [{ name: "tmp", mountPath: "/tmp" }],
  serviceAccountAnnotations: { "eks.amazonaws.com/role-arn": "arn:aws:iam::1:role/shop" },
  podDisruptionBudget: { minAvailable: 1 },
};

function filesFor(kubewright: object): ReadonlyMap<string, string> {
  writeFileSync(join(root, "package.json"), JSON.stringify({ name: "guestbook", kubewright }));
  return planManifests(root, guestbook, { helm: true, olm: true }).write;
}

const documents = (text = "") => parseAllDocuments(text).map((document) => document.toJS());

interface Template {
  readonly metadata: object;
  readonly spec: Readonly<Record<string, unknown>> & {
    readonly containers: readonly { readonly env: readonly unknown[]; readonly args: readonly string[] }[];
  };
}
interface Output {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: object };
  readonly spec: {
    readonly replicas?: number;
    readonly strategy?: { readonly rollingUpdate: object };
    readonly template: Template;
  };
}

/** The objects of each output that installs the operator. */
function outputsOf(files: ReadonlyMap<string, string>): readonly [string, readonly Output[]][] {
  const under = (folder: string) =>
    [...files].filter(([path]) => path.startsWith(folder) && !path.endsWith("kustomization.yaml"));
  const values = parse(files.get("dist/chart/values.yaml") ?? "");
  const rendered = under("dist/chart/templates/").flatMap(([, text]) =>
    documents(renderTemplate(text, { values, namespace: "guestbook-system" })),
  );
  return [
    ["kustomize", under("config/").flatMap(([, text]) => documents(text))],
    ["install.yaml", documents(files.get("dist/install.yaml"))],
    ["chart", rendered.filter((object) => object !== null)],
  ];
}

function expectObeyed(template: Template): void {
  const container = template.spec.containers[0]!;
  const { podAnnotations, podLabels, resources, env, args, imagePullPolicy, volumeMounts } = manager;
  expect(template.metadata).toMatchObject({ annotations: podAnnotations, labels: podLabels });
  expect(container).toMatchObject({ resources, imagePullPolicy, volumeMounts });
  expect(container.env.slice(2)).toEqual(env);
  expect(container.args.at(-1)).toBe(args[0]);
  for (const field of [
    "imagePullSecrets",
    "nodeSelector",
    "tolerations",
    "affinity",
    "topologySpreadConstraints",
    "priorityClassName",
    "volumes",
  ] as const)
    expect(template.spec[field], field).toEqual(manager[field]);
}

test("kustomize, install.yaml, the chart and the OLM bundle have everything of kubewright.manager", async () => {
  const files = filesFor({ manager, replicas: 2 });
  await using cluster = await startCluster({ nodes: 0, controllers: "none" });
  for (const [output, objects] of outputsOf(files)) {
    const only = (kind: string) => objects.find((object) => object.kind === kind)!;
    expectObeyed(only("Deployment").spec.template);
    expect(only("Deployment").spec.replicas, output).toBe(2);
    expect(only("ServiceAccount").metadata.annotations, output).toEqual(manager.serviceAccountAnnotations);
    expect(only("PodDisruptionBudget").spec, output).toMatchObject(manager.podDisruptionBudget);
    for (const kind of ["Namespace", "ServiceAccount", "Deployment", "PodDisruptionBudget"]) {
      const object = objects.find((each) => each.kind === kind);
      if (object) await applyObject(cluster.client, object, output);
    }
  }
  const version = parse(files.get("bundle/manifests/guestbook.clusterserviceversion.yaml") ?? "");
  const [deployed] = version.spec.install.spec.deployments;
  expectObeyed(deployed.spec.template);
});

test("without settings the chart renders what install.yaml has", () => {
  const outputs = new Map(outputsOf(filesFor({})));
  const [installed, rendered] = [outputs.get("install.yaml"), outputs.get("chart")];
  const templateOf = (objects: readonly Output[] = []) =>
    objects.find(({ kind }) => kind === "Deployment")!.spec.template;
  const { containers, ...pod } = templateOf(rendered).spec;
  expect(containers[0]).toMatchObject(templateOf(installed).spec.containers[0]!);
  expect(pod).toMatchObject({ tolerations: [], affinity: {}, nodeSelector: {} });
  expect(rendered?.some(({ kind }) => kind === "PodDisruptionBudget")).toBe(false);
});

test("the generated Deployment replaces a pod only by a ready one, and gives it more time to stop than the manager takes", () => {
  const shutdown = 30_000;
  const serving = servingInPod({});
  const drain = serving && serving.mode === "service" ? serving.drain! : Number.NaN;
  for (const [output, objects] of outputsOf(filesFor({}))) {
    const { strategy, template } = objects.find(({ kind }) => kind === "Deployment")!.spec;
    expect(strategy?.rollingUpdate, output).toEqual({ maxUnavailable: 0, maxSurge: 1 });
    expect(Number(template.spec["terminationGracePeriodSeconds"]) * 1_000, output).toBeGreaterThan(
      shutdown + drain,
    );
  }
});

test.each([
  [
    { manager: { toleration: [] } },
    "kubewright.manager.toleration does not exist; did you mean tolerations?",
  ],
  [{ manager: { tolerations: {} } }, "kubewright.manager.tolerations must be a list"],
  [{ manager: [] }, "kubewright.manager must be an object"],
])("a setting that cannot be is refused: %j", (kubewright, message) => {
  expect(() => filesFor(kubewright)).toThrow(message);
});
