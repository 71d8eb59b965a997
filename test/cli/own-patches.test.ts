// config/patches is the user's own: every output obeys it, and nothing overwrites it.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import guestbook from "../../operators/guestbook/src/main.js";
import { installObjects } from "../../packages/cli/src/manifests/config-files.js";
import { carryOut } from "../../packages/cli/src/manifests/file-plan.js";
import { planManifests } from "../../packages/cli/src/manifests/generate.js";
import { manifestSettings } from "../../packages/cli/src/manifests/manifest-settings.js";
import { operatorOf } from "../../packages/cli/src/manifests/operator.js";
import { findKubectls } from "../kubectl/kubectl.js";
import { renderTemplate } from "./chart-rendering.js";

const folder = mkdtempSync(join(tmpdir(), "kubewright-patches-"));
afterAll(() => rmSync(folder, { recursive: true }));
const [kubectl] = findKubectls();
if (!kubectl) console.log("kubectl is not here; what kustomize makes of config/patches is not compared");

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(folder, "project-"));
  write(
    "package.json",
    JSON.stringify({ name: "guestbook", kubewright: { manager: { podLabels: { tier: "x" } } } }),
  );
});

function write(path: string, text: string): void {
  mkdirSync(join(root, path, ".."), { recursive: true });
  writeFileSync(join(root, path), text);
}

const component = (text: string): void =>
  write(
    "config/patches/kustomization.yaml",
    `apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n${text}`,
  );

/** Host network and a variable by a strategic merge, a label by a JSON patch, an object of one's own, and one less. */
function fourPatches(): void {
  write(
    "config/patches/manager.yaml",
    `apiVersion: apps/v1
kind: Deployment
metadata:
  name: guestbook-controller-manager
  namespace: guestbook-system
  annotations: { example.com/by: patch }
spec:
  template:
    spec:
      hostNetwork: true
      containers:
        - name: manager
          env: [{ name: MINE, value: "1" }]
`,
  );
  write(
    "config/patches/extra.yaml",
    "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: mine, namespace: guestbook-system }\ndata: { a: b }\n",
  );
  component(`resources: [extra.yaml]
patches:
  - path: manager.yaml
  - target: { kind: Service, name: guestbook-.*-service }
    patch: |-
      - { op: add, path: /metadata/labels/patched, value: "true" }
  - patch: |-
      $patch: delete
      apiVersion: rbac.authorization.k8s.io/v1
      kind: ClusterRole
      metadata: { name: guestbook-debug-reader }
`);
}

interface Found {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: object; readonly annotations?: object };
  readonly data?: object;
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly hostNetwork?: boolean;
        readonly containers: readonly { readonly env: readonly object[] }[];
      };
    };
  };
}

const documents = (text: string): readonly Found[] =>
  parseAllDocuments(text)
    .map((document) => document.toJS())
    .filter((object) => object !== null);

async function kustomized(): Promise<readonly Found[]> {
  const { stdout } = await promisify(execFile)(
    kubectl!.command,
    ["kustomize", join(root, "config/default")],
    {
      maxBuffer: 1e8,
    },
  );
  return documents(stdout);
}

function charted(files: ReadonlyMap<string, string>): readonly Found[] {
  const values = parse(files.get("dist/chart/values.yaml") ?? "");
  return [...files]
    .filter(([path]) => path.startsWith("dist/chart/templates/"))
    .flatMap(([, text]) => documents(renderTemplate(text, { values, namespace: "guestbook-system" })));
}

function bundled(files: ReadonlyMap<string, string>): readonly Found[] {
  const objects = [...files]
    .filter(([path]) => path.startsWith("bundle/manifests/"))
    .flatMap(([, text]) => documents(text));
  const version = parse(files.get("bundle/manifests/guestbook.clusterserviceversion.yaml") ?? "");
  const [{ name, spec }] = version.spec.install.spec.deployments;
  return [...objects, { kind: "Deployment", metadata: { name }, spec }];
}

const deployed = (): readonly Found[] =>
  installObjects(
    operatorOf(guestbook, manifestSettings(root, "guestbook", { image: "x:1" })),
  ) as unknown as Found[];

function expectObeyed(objects: readonly Found[], but: { annotations?: false; resources?: false } = {}): void {
  const only = (kind: string, name: string) =>
    objects.find((object) => object.kind === kind && object.metadata.name === name);
  const manager = only("Deployment", "guestbook-controller-manager")!;
  expect(manager.spec.template.spec.hostNetwork).toBe(true);
  const { env } = manager.spec.template.spec.containers[0]!;
  expect(env).toContainEqual({ name: "MINE", value: "1" });
  expect(env).toContainEqual(expect.objectContaining({ name: "POD_NAME" }));
  if (but.annotations !== false)
    expect(manager.metadata.annotations).toMatchObject({ "example.com/by": "patch" });
  expect(only("Service", "guestbook-metrics-service")!.metadata.labels).toMatchObject({ patched: "true" });
  expect(only("ClusterRole", "guestbook-debug-reader")).toBeUndefined();
  expect(only("ClusterRole", "guestbook-metrics-reader")).toBeDefined();
  if (but.resources !== false) expect(only("ConfigMap", "mine")?.data).toEqual({ a: "b" });
}

test("install.yaml, deploy, the chart and the OLM bundle have what config/patches says", () => {
  fourPatches();
  const { write: files, warnings } = planManifests(root, guestbook, { helm: true, olm: true });
  expectObeyed(documents(files.get("dist/install.yaml") ?? ""));
  expectObeyed(deployed());
  expectObeyed(charted(files));
  expectObeyed(bundled(files), { annotations: false, resources: false });
  expect(warnings).toEqual(["ConfigMap mine of config/patches is not in the OLM bundle"]);
});

test.runIf(kubectl)("kustomize makes the same of config/default as dist/install.yaml has", async () => {
  fourPatches();
  carryOut(root, planManifests(root, guestbook));
  const objects = await kustomized();
  expectObeyed(objects);
  const sorted = (all: readonly Found[]) =>
    JSON.stringify(
      all
        .map((object) => [object.kind, object.metadata.name, normal(object)])
        .sort((a, b) => (`${a[0]}${a[1]}` < `${b[0]}${b[1]}` ? -1 : 1)),
    );
  expect(sorted(documents(readFileSync(join(root, "dist/install.yaml"), "utf8")))).toBe(sorted(objects));
});

/** With sorted keys and variables: kustomize puts what a patch adds to a list first, the API server last. */
function normal(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(normal);
    return items.every((item) => typeof (item as { name?: unknown })?.name === "string")
      ? items.sort((a, b) => ((a as Found["metadata"]).name < (b as Found["metadata"]).name ? -1 : 1))
      : items;
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, normal(member)]),
  );
}

test("generating again changes nothing in config/patches, not even with --force", () => {
  fourPatches();
  const before = readFileSync(join(root, "config/patches/kustomization.yaml"), "utf8");
  carryOut(root, planManifests(root, guestbook, { force: true }));
  const again = planManifests(root, guestbook, { check: true });
  expect([again.write.size, again.remove, again.kept]).toEqual([0, [], []]);
  expect(readFileSync(join(root, "config/patches/kustomization.yaml"), "utf8")).toBe(before);
});

test("a chart refuses a patch of what its values decide, and names the setting", () => {
  component(`patches:
  - target: { kind: Deployment }
    patch: |-
      apiVersion: apps/v1
      kind: Deployment
      metadata: { name: any }
      spec: { template: { spec: { tolerations: [{ operator: Exists }] } } }
`);
  expect(() => planManifests(root, guestbook)).not.toThrow();
  expect(() => planManifests(root, guestbook, { helm: true })).toThrow(
    "config/patches changes tolerations, which the chart takes from its values; set it in kubewright.manager of package.json instead",
  );
});

describe("what cannot be obeyed is refused by name", () => {
  const named = (name: string) =>
    `patches:\n  - patch: |-\n      apiVersion: apps/v1\n      kind: Deployment\n      metadata: { name: ${name} }\n`;
  test.each([
    ["images: []\n", "only kustomize would obey images"],
    ["patches: {}\n", "patches must be a list"],
    ["patches: [{ path: nowhere.yaml }]\n", "there is no config/patches/nowhere.yaml"],
    ["patches: [{ path: ../default/kustomization.yaml }]\n", "is outside of config/patches"],
    ["patches: [{ patch: '[]' }]\n", "a JSON patch needs a target"],
    ["resources: [https://example.com/x]\n", "is not a YAML file of config/patches"],
    ["patches: [{ target: { knd: X }, patch: '[]' }]\n", "target.knd is not supported"],
    [named("guestbook-controller-manager"), "add metadata.namespace: guestbook-system"],
    [named("other"), "there are guestbook-system/guestbook-controller-manager"],
    [
      "patches:\n  - target: { kind: Deployment }\n    patch: '[{ op: remove, path: /spec/nothing }]'\n",
      "does not apply to Deployment guestbook-controller-manager",
    ],
  ])("%j", (text, message) => {
    component(text);
    expect(() => planManifests(root, guestbook)).toThrow(message);
  });
});

describe("a generated file that was edited", () => {
  const manager = "config/manager/manager.yaml";
  const edit = (path: string, change: (text: string) => string): void =>
    writeFileSync(join(root, path), change(readFileSync(join(root, path), "utf8")));

  test("counts in dist/install.yaml and deploy as it does in kustomize, with the image that is asked for", () => {
    carryOut(root, planManifests(root, guestbook, { image: "x:0" }));
    edit(manager, (text) =>
      text.replace("terminationGracePeriodSeconds: 40", "terminationGracePeriodSeconds: 99"),
    );
    const plan = planManifests(root, guestbook, { image: "x:1", helm: true });
    const [found] = documents(plan.write.get("dist/install.yaml") ?? "").filter(
      ({ kind }) => kind === "Deployment",
    );
    expect(found!.spec.template.spec).toMatchObject({
      terminationGracePeriodSeconds: 99,
      containers: [{ name: "manager", image: "x:1" }],
    });
    const [same] = deployed().filter(({ kind }) => kind === "Deployment");
    expect(same!.spec.template.spec).toMatchObject({ terminationGracePeriodSeconds: 99 });
    expect(plan.warnings).toEqual([
      `${manager} was edited: dist/chart does not have that; make the change in config/patches, which every output obeys`,
    ]);
  });

  test("is warned of where only kustomize can obey it", () => {
    carryOut(root, planManifests(root, guestbook));
    edit("config/default/kustomization.yaml", (text) => `${text}namePrefix: my-\n`);
    expect(planManifests(root, guestbook).warnings).toEqual([
      expect.stringContaining("config/default/kustomization.yaml was edited: only kustomize obeys it"),
    ]);
  });
});
