import { VirtualClock } from "@kubewright/api";
import { describe, expect, it } from "vitest";
import { MemoryStorage } from "../../storage/index.js";
import { bootstrapRbac } from "./bootstrap-rbac.js";

const table = (resource: string) => `rbac.authorization.k8s.io/${resource}`;

function bootstrapped() {
  const storage = new MemoryStorage();
  const services = { storage, clock: new VirtualClock(), newUid: () => "uid" };
  bootstrapRbac(services);
  return { storage, services };
}

describe("bootstrap RBAC roles", () => {
  it("are those of Kubernetes", () => {
    const { storage } = bootstrapped();
    const count = (resource: string) => storage.count(table(resource), { prefix: "" });
    expect([
      count("clusterroles"),
      count("clusterrolebindings"),
      count("roles"),
      count("rolebindings"),
    ]).toEqual([69, 50, 7, 7]);
  });

  it("carry the label and annotation by which Kubernetes updates them", () => {
    const { storage } = bootstrapped();
    expect(storage.get(table("clusterroles"), "system:basic-user")).toEqual({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: {
        name: "system:basic-user",
        uid: "uid",
        resourceVersion: expect.any(String),
        creationTimestamp: "2026-01-01T00:00:00Z",
        labels: { "kubernetes.io/bootstrapping": "rbac-defaults" },
        annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
        managedFields: [
          expect.objectContaining({
            manager: "kube-apiserver",
            fieldsV1: {
              "f:metadata": {
                "f:annotations": { ".": {}, "f:rbac.authorization.kubernetes.io/autoupdate": {} },
                "f:labels": { ".": {}, "f:kubernetes.io/bootstrapping": {} },
              },
              "f:rules": {},
            },
          }),
        ],
      },
      rules: [
        {
          verbs: ["create"],
          apiGroups: ["authorization.k8s.io"],
          resources: ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
        },
        { verbs: ["create"], apiGroups: ["authentication.k8s.io"], resources: ["selfsubjectreviews"] },
      ],
    });
  });

  it.each([
    ["admin", undefined],
    ["edit", "admin"],
    ["view", "edit"],
  ])("of %s aggregate rules by label", (name, into) => {
    const { storage } = bootstrapped();
    const role = storage.get(table("clusterroles"), name);
    const label = `rbac.authorization.k8s.io/aggregate-to-${name}`;
    expect(role).toMatchObject({
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [label]: "true" } }] },
      rules: null,
    });
    const labels = role?.metadata.labels ?? {};
    expect(Object.keys(labels).filter((key) => key.includes("aggregate-to"))).toEqual(
      into ? [`rbac.authorization.k8s.io/aggregate-to-${into}`] : [],
    );
    const source = storage.get(table("clusterroles"), `system:aggregate-to-${name}`);
    expect(source?.metadata.labels).toHaveProperty([label], "true");
  });

  it.each([
    [
      "clusterrolebindings",
      "cluster-admin",
      [{ kind: "Group", apiGroup: "rbac.authorization.k8s.io", name: "system:masters" }],
    ],
    [
      "clusterrolebindings",
      "system:controller:job-controller",
      [{ kind: "ServiceAccount", name: "job-controller", namespace: "kube-system" }],
    ],
    ["clusterrolebindings", "system:node", undefined],
    [
      "rolebindings",
      "kube-system/system::extension-apiserver-authentication-reader",
      [
        { kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "system:kube-controller-manager" },
        { kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "system:kube-scheduler" },
      ],
    ],
  ])("are bound: %s %s", (resource, key, subjects) => {
    expect(bootstrapped().storage.get(table(resource), key)?.["subjects"]).toEqual(subjects);
  });

  it("name only resources and verbs that rules can name", () => {
    const { storage } = bootstrapped();
    const words = (value: unknown) =>
      value === undefined || (value as string[]).every((word) => /^[*a-z0-9./-]*$/i.test(word));
    for (const resource of ["clusterroles", "roles"]) {
      for (const role of storage.list(table(resource), { prefix: "" })) {
        for (const rule of (role["rules"] as Record<string, unknown>[] | null) ?? []) {
          expect(rule["verbs"], role.metadata.name).not.toHaveLength(0);
          expect(Object.values(rule).every(words), role.metadata.name).toBe(true);
        }
      }
    }
  });

  it("replace nothing that exists", () => {
    const { storage, services } = bootstrapped();
    storage.delete(table("clusterroles"), "view", "any");
    const before = storage.revision;
    bootstrapRbac(services);
    expect(storage.revision).toBe(before + 1);
  });
});
