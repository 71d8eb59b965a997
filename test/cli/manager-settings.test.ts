// What package.json says about the manager's Deployment is what every output has.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCluster } from "@kubewright/cluster";
import { afterAll, describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import guestbook from "../../operators/guestbook/src/main.js";
import { applyObject } from "../../packages/cli/src/cluster-commands/apply-objects.js";
import { planManifests } from "../../packages/cli/src/manifests/generate.js";
import { defaultManagerSettings } from "../../packages/cli/src/manifests/manager-settings.js";
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
  annotations: { "example.com/owner": "shop" },
  labels: { stage: "production" },
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
  readonly metadata: { readonly annotations?: object; readonly labels?: object };
  readonly spec: Readonly<Record<string, unknown>> & {
    readonly containers: readonly { readonly env: readonly unknown[]; readonly args: readonly string[] }[];
  };
}
interface Output {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: object; readonly labels?: object };
  readonly spec: {
    readonly replicas?: number;
    readonly strategy?: { readonly rollingUpdate: object };
    readonly template: Template;
  };
}

/** The objects of each output that installs the operator; of the bundle, those that OLM would make from it. */
function outputsOf(files: ReadonlyMap<string, string>): readonly [string, readonly Output[]][] {
  const under = (folder: string) =>
    [...files].filter(([path]) => path.startsWith(folder) && !path.endsWith("kustomization.yaml"));
  const values = parse(files.get("dist/chart/values.yaml") ?? "");
  const rendered = under("dist/chart/templates/").flatMap(([, text]) =>
    documents(renderTemplate(text, { values, namespace: "guestbook-system" })),
  );
  const bundled = under("bundle/manifests/").flatMap(([, text]) => documents(text));
  const version = bundled.find(({ kind }) => kind === "ClusterServiceVersion");
  const [{ name, label: labels, spec }] = version.spec.install.spec.deployments;
  return [
    ["kustomize", under("config/").flatMap(([, text]) => documents(text))],
    ["install.yaml", documents(files.get("dist/install.yaml"))],
    ["chart", rendered.filter((object) => object !== null)],
    ["OLM bundle", [...bundled, { kind: "Deployment", metadata: { name, labels }, spec }]],
  ];
}

type Only = (kind: string) => Output;
const podOf = (only: Only) => only("Deployment").spec.template.spec;
const containerOf = (only: Only) => podOf(only).containers[0] as unknown as Readonly<Record<string, never>>;

/** Where each setting is found; those that OLM has no place for are named in a warning instead. */
const places: Readonly<Record<keyof typeof manager | "replicas" | "deployment", (only: Only) => unknown>> = {
  deployment: (only) => only("Deployment").metadata.name,
  replicas: (only) => only("Deployment").spec.replicas,
  resources: (only) => containerOf(only)["resources"],
  env: (only) => podOf(only).containers[0]!.env.slice(2),
  args: (only) => podOf(only).containers[0]!.args.slice(-1),
  imagePullPolicy: (only) => containerOf(only)["imagePullPolicy"],
  volumeMounts: (only) => containerOf(only)["volumeMounts"],
  imagePullSecrets: (only) => podOf(only)["imagePullSecrets"],
  nodeSelector: (only) => podOf(only)["nodeSelector"],
  tolerations: (only) => podOf(only)["tolerations"],
  affinity: (only) => podOf(only)["affinity"],
  topologySpreadConstraints: (only) => podOf(only)["topologySpreadConstraints"],
  priorityClassName: (only) => podOf(only)["priorityClassName"],
  volumes: (only) => podOf(only)["volumes"],
  annotations: (only) => only("Deployment").metadata.annotations,
  labels: (only) => only("Deployment").metadata.labels,
  podAnnotations: (only) => only("Deployment").spec.template.metadata.annotations,
  podLabels: (only) => only("Deployment").spec.template.metadata.labels,
  serviceAccountAnnotations: (only) => only("ServiceAccount").metadata.annotations,
  podDisruptionBudget: (only) => only("PodDisruptionBudget").spec,
};
const notInBundle: readonly string[] = ["annotations", "serviceAccountAnnotations"];

describe("kubewright.manager", () => {
  const settings: Readonly<Record<string, unknown>> = { ...manager, replicas: 2, deployment: "shop" };
  const outputs = outputsOf(filesFor({ manager, replicas: 2, deployment: "shop" }));
  const cases = outputs.flatMap(([output, objects]) =>
    Object.entries(places)
      .filter(([setting]) => output !== "OLM bundle" || !notInBundle.includes(setting))
      .map(([setting, place]) => ({ output, setting, place, objects })),
  );

  test.each(cases)("$setting is obeyed by $output", ({ setting, place, objects }) => {
    const found = place((kind) => objects.find((object) => object.kind === kind)!);
    const stated = settings[setting];
    if (typeof stated === "object" && !Array.isArray(stated)) expect(found).toMatchObject(stated as object);
    else expect(found).toEqual(stated);
  });

  test("every setting has a place that is looked at", () => {
    expect(Object.keys(places).toSorted()).toEqual(
      [...Object.keys(defaultManagerSettings), "replicas", "deployment"].toSorted(),
    );
  });

  test("what OLM has no place for is said", () => {
    filesFor({ manager });
    const { warnings } = planManifests(root, guestbook, { olm: true });
    for (const setting of notInBundle)
      expect(warnings).toContain(
        `kubewright.manager.${setting} is not in the OLM bundle: OLM has no place for it`,
      );
  });

  test("a cluster takes what the outputs have", async () => {
    await using cluster = await startCluster({ nodes: 0, controllers: "none" });
    for (const [output, objects] of outputs.filter(([name]) => name !== "OLM bundle"))
      for (const kind of ["Namespace", "ServiceAccount", "Deployment", "PodDisruptionBudget"]) {
        const object = objects.find((each) => each.kind === kind);
        if (object) await applyObject(cluster.client, object, output);
      }
  });

  test("several replicas that elect no leader are warned of", () => {
    filesFor({ replicas: 2 });
    const { warnings } = planManifests(root, { ...guestbook, leaderElection: false });
    expect(warnings).toEqual([
      expect.stringContaining("kubewright.replicas is 2, but guestbook elects no leader"),
    ]);
    expect(planManifests(root, guestbook).warnings).toEqual([]);
  });
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
