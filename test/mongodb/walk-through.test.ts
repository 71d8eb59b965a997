// The walk-through of the note on MongoDB's operator, command by command, with kubectl: namespace, CRD, operator, sample, volumes and
// claims made by hand. Nodes are simulated, and a model stands for mongod; the operator runs in this process, with the rights that the
// note's files give it in its namespace. The default StorageClass is off (--default-storage-class none): with one, the claims of the
// sample would be bound before anybody could delete them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "@kubewright/api";
import { permissionsOf, type RunningManager, startManager } from "@kubewright/runtime";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { mongoManager } from "../../operators/mongodb/src/manager.js";
import { ModelledMongo } from "../../operators/mongodb/src/model/modelled-mongo.js";
import { findKubectls, KubectlFixture } from "../kubectl/kubectl.js";

const folder = join(import.meta.dirname, "../../operators/mongodb");
const namespace = "mongodb";
const [kubectl] = findKubectls();
const mongo = new ModelledMongo({ clock: () => systemClock, speed: 10 });
const manager = mongoManager({
  access: mongo,
  image: "mongo",
  agentImage: async () => "mongodb-kubernetes-operator",
  namespaces: [namespace],
});

test("the Role of the note's files is what the code declares, in its namespace alone", () => {
  const role = parse(readFileSync(join(folder, "deploy/operator/role.yaml"), "utf8"));
  const leases = {
    apiGroups: ["coordination.k8s.io"],
    resources: ["leases"],
    verbs: ["get", "create", "update"],
  };
  expect(role).toMatchObject({ kind: "Role", rules: [...permissionsOf(manager), leases] });
});

test("the CRD file of the note has the kinds of the code", () => {
  const bases = ["mongodbcommunity", "mongodbbackups", "mongodbrestores"].map((plural) =>
    readFileSync(join(folder, `config/crd/bases/mongodb.com_${plural}.yaml`), "utf8"),
  );
  const file = readFileSync(join(folder, "deploy/crds/mongodb.com_mongodbcommunity_crd.yaml"), "utf8");
  expect(file, "cat config/crd/bases/*.yaml, with --- between them").toBe(bases.join("---\n"));
});

if (!kubectl) test.skip("the walk-through needs kubectl on the PATH");
else {
  let shell: KubectlFixture;
  let operator: RunningManager | undefined;
  beforeAll(async () => {
    shell = await KubectlFixture.start(kubectl, { defaultStorageClass: "none" });
  });
  afterAll(async () => {
    await operator?.close();
    mongo.close();
    await shell?.close();
  });

  /** Runs a command until its output is as wanted. */
  async function until(command: string, isWanted: (output: string) => boolean): Promise<string> {
    for (const end = Date.now() + 30_000; ; ) {
      const output = await shell.ok(command);
      if (isWanted(output)) return output;
      if (Date.now() > end) throw new Error(`$ kubectl ${command}\n${output}`);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  test("the note's walk-through, command by command", { timeout: 90_000 }, async () => {
    expect(await shell.ok("create ns mongodb")).toBe("namespace/mongodb created\n");
    // The kinds of backups and restores are in the same file, so that the note's one command installs what the operator needs.
    const crds = await shell.ok(`apply -f ${folder}/deploy/crds/mongodb.com_mongodbcommunity_crd.yaml`);
    expect(crds.trim().split("\n")).toEqual([
      "customresourcedefinition.apiextensions.k8s.io/mongodbcommunity.mongodb.com created",
      "customresourcedefinition.apiextensions.k8s.io/mongodbbackups.mongodb.com created",
      "customresourcedefinition.apiextensions.k8s.io/mongodbrestores.mongodb.com created",
    ]);
    expect(await shell.ok("get crd/mongodbcommunity.mongodb.com")).toContain("mongodbcommunity.mongodb.com");
    await shell.ok("wait --for=condition=Established crd/mongodbcommunity.mongodb.com");
    const applied = await shell.ok(`apply -f ${folder}/deploy/operator/ -n mongodb`);
    expect(applied.trim().split("\n")).toEqual([
      "deployment.apps/mongodb-kubernetes-operator created",
      "role.rbac.authorization.k8s.io/mongodb-kubernetes-operator created",
      "rolebinding.rbac.authorization.k8s.io/mongodb-kubernetes-operator created",
      "serviceaccount/mongodb-kubernetes-operator created",
    ]);
    await until("get pods -n mongodb", (pods) =>
      /^mongodb-kubernetes-operator-\S+ +1\/1 +Running/m.test(pods),
    );
    // The pod is simulated: the operator itself runs here, as the pod's service account.
    const account = `system:serviceaccount:${namespace}:mongodb-kubernetes-operator`;
    const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"];
    const client = shell.cluster.connect({ user: { name: account, groups } });
    operator = await startManager(manager, { client, namespace });

    const sample = await shell.ok(
      `apply -f ${folder}/deploy/crds/mongodb.com_v1_mongodbcommunity_cr.yaml -n mongodb`,
    );
    expect(sample).toBe(
      "mongodbcommunity.mongodb.com/example-mongodb created\nsecret/my-user-password created\n",
    );
    const members = /^example-mongodb-[012] +0\/1 +Pending/gm;
    await until("get pods -n mongodb", (pods) => pods.match(members)?.length === 3);
    await shell.ok("get svc example-mongodb-svc -n mongodb");
    const claims = await until(
      "get pvc -n mongodb",
      (text) => text.match(/^data-volume-example-mongodb-[012] +Pending/gm)?.length === 3,
    );
    expect(claims).toContain("data-volume-example-mongodb-0");
    // Times of Kubernetes have a resolution of one second, and nobody types faster.
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(await shell.ok("delete pvc --all -n mongodb")).toContain(
      '"data-volume-example-mongodb-0" deleted',
    );

    const volumes = await shell.ok(`apply -f ${import.meta.dirname}/pv-demo.yaml`);
    expect(volumes.match(/persistentvolume\/nfs-pv-v[123] created/g)).toHaveLength(3);
    await until("get mdbc example-mongodb -n mongodb -o jsonpath={.status.message}", (text) =>
      text.startsWith("claims were deleted: create data-volume-example-mongodb-0"),
    );
    const made = await shell.ok(`apply -f ${import.meta.dirname}/pvc-demo.yaml`);
    expect(made.match(/persistentvolumeclaim\/data-volume-example-mongodb-[012] created/g)).toHaveLength(3);

    await shell.ok(
      "wait --for=jsonpath={.status.phase}=Running mdbc/example-mongodb -n mongodb --timeout=60s",
    );
    const pods = await until(
      "get pods -n mongodb",
      (text) => text.match(/^example-mongodb-[012] +1\/1 +Running/gm)?.length === 3,
    );
    expect(pods).toContain("example-mongodb-2");
    const bound = await shell.ok("get pvc -n mongodb");
    expect(bound.match(/^data-volume-example-mongodb-[012] +Bound +nfs-pv-v[123] +1Gi/gm)).toHaveLength(3);
    const printed = await until("get mdbc -n mongodb", (text) => text.includes("3/3"));
    expect(printed).toMatch(/NAME +PHASE +VERSION +READY/);
    expect(printed).toMatch(/example-mongodb +Running +4\.2\.6 +3\/3/);
    const data = mongo.mongod("example-mongodb-0").data;
    expect([...data.users.keys()].toSorted()).toEqual(["admin.mongodb-operator", "admin.my-user"]);
    expect(data.users.get("admin.my-user")?.roles).toEqual([
      { role: "clusterAdmin", db: "admin" },
      { role: "userAdminAnyDatabase", db: "admin" },
    ]);
  });
}
