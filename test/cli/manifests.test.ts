// What `kubewright manifests` writes for the operators of this repository, and whether a cluster takes it.
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Cluster, startCluster } from "@kubewright/cluster";
import { customKindsOf, type ManagerDefinition } from "@kubewright/runtime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import modelbox from "../../operators/modelbox/src/main.js";
import { applyObject } from "../../packages/cli/src/cluster-commands/apply-objects.js";
import { carryOut } from "../../packages/cli/src/manifests/file-plan.js";
import { filesUnder } from "../../packages/cli/src/manifests/files-under.js";
import { planManifests } from "../../packages/cli/src/manifests/generate.js";
import { sampleObject } from "../../packages/cli/src/manifests/sample.js";
import { findKubectls } from "../kubectl/kubectl.js";
import { operators } from "../operators/operators.js";
import { renderTemplate } from "./chart-rendering.js";
import { bundleProblems } from "./olm-bundle-rules.js";

const [kubectl] = findKubectls();
const folder = mkdtempSync(join(tmpdir(), "kubewright-manifests-"));
const extras = { helm: true, olm: true };
const rootOf = (name: string): string => join(folder, name);
const textOf = (name: string, path: string): string => readFileSync(join(rootOf(name), path), "utf8");
let cluster: Cluster;
let kubeconfig: string;

beforeAll(async () => {
  cluster = await startCluster({ nodes: 0, controllers: "none" });
  kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, (await cluster.listen()).kubeconfig);
});
afterAll(async () => {
  await cluster.close();
  rmSync(folder, { recursive: true, force: true });
});

/** `kubectl apply -k`, or the files of the base and of those it names, without kubectl. */
async function apply(root: string, base: string): Promise<void> {
  if (kubectl) {
    await promisify(execFile)(kubectl.command, ["--kubeconfig", kubeconfig, "apply", "-k", join(root, base)]);
    return;
  }
  const { resources } = parse(readFileSync(join(root, base, "kustomization.yaml"), "utf8")) as {
    resources: string[];
  };
  for (const resource of resources) {
    if (!resource.endsWith(".yaml")) await apply(root, join(base, resource));
    else
      for (const document of parseAllDocuments(readFileSync(join(root, base, resource), "utf8"))) {
        const object = document.toJS();
        if (base.endsWith("samples")) object.metadata.namespace ??= "default";
        await applyObject(cluster.client, object, "test");
      }
  }
}

describe.each(operators)("$name", ({ name, manager }) => {
  test("is written once: nothing changes when nothing changed", () => {
    const plan = planManifests(rootOf(name), manager, extras);
    expect(plan.kept).toEqual([]);
    carryOut(rootOf(name), plan);
    const again = planManifests(rootOf(name), manager, { ...extras, check: true });
    expect([again.write.size, again.remove, again.kept]).toEqual([0, [], []]);
  });

  test("a cluster takes the bases, the samples and dist/install.yaml", async () => {
    await apply(rootOf(name), "config/crd");
    await apply(rootOf(name), "config/samples");
    await apply(rootOf(name), "config/default");
    await apply(rootOf(name), "config/network-policy");
    for (const document of parseAllDocuments(textOf(name, "dist/install.yaml")))
      await applyObject(cluster.client, document.toJS(), "test");
  });

  test("samples are valid, also with everything that is commented out left out", () => {
    for (const kind of customKindsOf(manager)) {
      const { validate } = kind as unknown as { validate(object: unknown): unknown[] };
      expect(validate(sampleObject(kind))).toEqual([]);
    }
    for (const path of filesUnder(rootOf(name), "config/samples"))
      expect(textOf(name, path)).not.toContain("To be completed");
  });

  test("the bundle is one that operator-sdk bundle validate would accept", () => {
    expect(bundleProblems(bundleOf(manager))).toEqual([]);
  });

  test("the chart renders to objects that a cluster takes, whatever its values say", async () => {
    const values = parse(textOf(name, "dist/chart/values.yaml"));
    const everything = {
      ...values,
      replicas: 2,
      image: { repository: "registry.example/x", tag: "9" },
      prometheus: { enabled: true },
      networkPolicy: { enabled: true },
    };
    const objects = (given: object) =>
      filesUnder(rootOf(name), "dist/chart/templates").flatMap((path) =>
        parseAllDocuments(
          renderTemplate(textOf(name, path), { values: { ...given }, namespace: "chart" }),
        ).flatMap((document) => {
          expect(document.errors, path).toEqual([]);
          const object = document.toJS();
          return object === null ? [] : [object];
        }),
      );
    const kindsOf = (given: object) => new Set(objects(given).map(({ kind }) => kind));
    expect(kindsOf(values)).not.toContain("NetworkPolicy");
    expect(kindsOf({ ...values, crds: { enabled: false } })).not.toContain("CustomResourceDefinition");
    const [manager] = objects(everything).filter(({ kind }) => kind === "Deployment");
    expect(manager.spec.replicas).toBe(2);
    expect(manager.spec.template.spec.containers[0]).toMatchObject({
      image: "registry.example/x:9",
      resources: values.resources,
    });
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "chart" } };
    for (const object of [namespace, ...objects(everything)])
      if (!object.apiVersion.startsWith("monitoring.coreos.com/"))
        await applyObject(cluster.client, object, "helm");
  });
});

/** The files of a bundle by their path in it. */
const bundleOf = (manager: ManagerDefinition) =>
  new Map(
    [...planManifests(join(folder, "none"), manager, { olm: true }).write]
      .filter(([path]) => path.startsWith("bundle/"))
      .map(([path, text]) => [path.slice("bundle/".length), text]),
  );

describe("a bundle with something wrong in it", () => {
  const csv = "manifests/modelbox.clusterserviceversion.yaml";
  const crd = "manifests/model.github.com_modelboxpolicies.yaml";
  const labels = "metadata/annotations.yaml";
  let right: ReadonlyMap<string, string>;
  beforeAll(() => {
    right = bundleOf(modelbox);
  });
  test.each<[string, string, (text: string) => string, RegExp]>([
    ["a name without a version", csv, (text) => text.replace(/modelbox\.v[\d.]+/, "modelbox"), /NAME.vX.Y.Z/],
    ["an empty icon", csv, (text) => text.replace(/base64data: .*/, 'base64data: ""'), /spec.icon/],
    [
      "no supported mode",
      csv,
      (text) => text.replaceAll("supported: true", "supported: false"),
      /installModes/,
    ],
    [
      "an example of no kind",
      csv,
      (text) => text.replaceAll('"kind": "ModelBox"', '"kind": "Other"'),
      /alm-examples/,
    ],
    [
      "a field that is not there",
      csv,
      (text) => text.replace("path: image", "path: images"),
      /there is no spec.images/,
    ],
    ["a definition that is missing", crd, () => "kind: ConfigMap", /owned: /],
    ["a definition nobody owns", crd, (text) => text.replaceAll("ModelBoxPolicy", "Policy"), /owned: /],
    [
      "an object that OLM does not take",
      crd,
      (text) => text.replace(/^kind: .*/m, "kind: Job"),
      /holds no Job/,
    ],
    ["no default channel", labels, (text) => text.replace(/.*channel.default.*/, ""), /channel.default.v1/],
  ])("is found out: %s", (_, path, change, problem) => {
    const files = new Map(right).set(path, change(right.get(path) ?? ""));
    expect(bundleProblems(files).join("\n")).toMatch(problem);
  });
});

describe("files on disk", () => {
  const manager = modelbox;
  const written = join(folder, "written");
  beforeAll(() => carryOut(written, planManifests(written, manager)));
  const fresh = (): string => {
    const root = mkdtempSync(join(folder, "files-"));
    cpSync(written, root, { recursive: true });
    return root;
  };
  const role = "config/rbac/role.yaml";

  const edit = (root: string): void =>
    writeFileSync(join(root, role), `${readFileSync(join(root, role), "utf8")}# mine\n`);

  test("one edited by hand is kept, and named as stale once the code has changed since", () => {
    const root = fresh();
    edit(root);
    const { write, kept } = planManifests(root, manager);
    expect([[...write.keys()], kept]).toEqual([[], [{ path: role, isStale: false }]]);
    const changed = { ...manager, controllers: [] };
    const later = planManifests(root, changed);
    expect(later.kept).toEqual([{ path: role, isStale: true }]);
    carryOut(root, later);
    expect(readFileSync(join(root, role), "utf8")).toContain("# mine");
    carryOut(root, planManifests(root, changed, { force: true }));
    expect(readFileSync(join(root, role), "utf8")).not.toContain("# mine");
  });

  test("one that somebody else wrote in its place is theirs", () => {
    const root = mkdtempSync(join(folder, "files-"));
    mkdirSync(join(root, "config/rbac"), { recursive: true });
    writeFileSync(join(root, role), "kind: ClusterRole\n");
    expect(planManifests(root, manager).kept).toEqual([{ path: role, isStale: false }]);
  });

  test("one that is missing or stale is named by --check", () => {
    const root = fresh();
    rmSync(join(root, role));
    expect([...planManifests(root, manager, { check: true }).write.keys()]).toEqual([role]);
    const changed = { ...manager, leaderElection: false };
    expect([...planManifests(fresh(), changed, { check: true }).write.keys()]).toEqual([
      "config/rbac/kustomization.yaml",
      "config/manager/manager.yaml",
      "config/prometheus/alerts.yaml",
      "dist/install.yaml",
    ]);
  });

  test("those of a kind that is gone are removed", () => {
    const { remove } = planManifests(fresh(), { ...manager, controllers: [], webhooks: [] });
    expect(remove).toContain("config/crd/bases/model.github.com_modelboxes.yaml");
    expect(remove).toContain("config/webhook/manifests.yaml");
  });

  test("a sample that was edited, or written by hand, is left alone and stays listed", () => {
    const root = fresh();
    const [sample = ""] = filesUnder(root, "config/samples").filter((path) => path.endsWith("modelbox.yaml"));
    writeFileSync(join(root, sample), `${readFileSync(join(root, sample), "utf8")}# mine\n`);
    expect([...planManifests(root, manager).write.keys()]).toEqual([]);
    writeFileSync(
      join(root, "config/samples/own.yaml"),
      "apiVersion: model.github.com/v1\nkind: ModelBoxPolicy\n",
    );
    const plan = planManifests(root, manager);
    expect([...plan.write.keys()]).toEqual(["config/samples/kustomization.yaml"]);
    expect(plan.remove).toEqual(["config/samples/model_v1_modelboxpolicy.yaml"]);
    expect(plan.write.get("config/samples/kustomization.yaml")).toContain("- own.yaml");
  });
});
