// What `kubewright manifests` writes for the operators of this repository, and whether a cluster takes it.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Cluster, startCluster } from "@kubewright/cluster";
import { customKindsOf } from "@kubewright/runtime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import modelbox from "../../operators/modelbox/src/main.js";
import { applyObject } from "../../packages/cli/src/cluster-commands/apply-objects.js";
import { carryOut, filesUnder } from "../../packages/cli/src/manifests/file-plan.js";
import { planManifests } from "../../packages/cli/src/manifests/generate.js";
import { sampleObject } from "../../packages/cli/src/manifests/sample.js";
import { findKubectls } from "../kubectl/kubectl.js";
import { operators } from "../operators/operators.js";

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
    expect(plan.edited).toEqual([]);
    carryOut(rootOf(name), plan);
    const again = planManifests(rootOf(name), manager, { ...extras, check: true });
    expect([again.write.size, again.remove, again.edited]).toEqual([0, [], []]);
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

  test("the chart and the bundle are YAML, and say what they must", () => {
    for (const path of [...filesUnder(rootOf(name), "dist/chart"), ...filesUnder(rootOf(name), "bundle")]) {
      if (!path.endsWith(".yaml")) continue;
      const plain = textOf(name, path)
        .replace(/^\{\{-.*\}\}$/gm, "")
        .replace(/: \{\{-? .* \}\}$/gm, ": 1");
      for (const document of parseAllDocuments(plain)) expect(document.errors, path).toEqual([]);
    }
    const version = parse(textOf(name, `bundle/manifests/${name}.clusterserviceversion.yaml`));
    expect(version.spec.customresourcedefinitions.owned.map(({ kind }: { kind: string }) => kind)).toEqual(
      expect.arrayContaining(customKindsOf(manager).map(({ kind }) => kind)),
    );
    expect(version.spec.installModes.map(({ type }: { type: string }) => type)).toHaveLength(4);
    expect(JSON.parse(version.metadata.annotations["alm-examples"])).toHaveLength(
      customKindsOf(manager).length,
    );
    expect(textOf(name, "dist/chart/templates/manager/manager.yaml")).toContain(
      "replicas: {{ .Values.replicas }}",
    );
    expect(textOf(name, "dist/chart/templates/manager/manager.yaml")).toContain(
      "toYaml .Values.resources | nindent 12",
    );
  });
});

describe("files on disk", () => {
  const manager = modelbox;
  const fresh = (): string => {
    const root = mkdtempSync(join(folder, "files-"));
    carryOut(root, planManifests(root, manager));
    return root;
  };
  const role = "config/rbac/role.yaml";

  test("one edited by hand is named, and not overwritten unknowingly", () => {
    const root = fresh();
    writeFileSync(join(root, role), `${readFileSync(join(root, role), "utf8")}# mine\n`);
    expect(planManifests(root, manager).edited).toEqual([role]);
  });

  test("one that somebody else wrote counts as edited", () => {
    const root = mkdtempSync(join(folder, "files-"));
    mkdirSync(join(root, "config/rbac"), { recursive: true });
    writeFileSync(join(root, role), "kind: ClusterRole\n");
    expect(planManifests(root, manager).edited).toEqual([role]);
  });

  test("one that is missing or stale is named by --check", () => {
    const root = fresh();
    rmSync(join(root, role));
    expect([...planManifests(root, manager, { check: true }).write.keys()]).toEqual([role]);
    const changed = { ...manager, leaderElection: false };
    expect([...planManifests(fresh(), changed, { check: true }).write.keys()]).toEqual([
      "config/rbac/kustomization.yaml",
      "config/manager/manager.yaml",
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
