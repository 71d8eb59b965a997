import type { UserInfo } from "@kubewright/kinds";
import { beforeAll, describe, expect, test } from "vitest";

import { accessServer } from "../fixtures/access-server.js";

const kubelet = (node: string): UserInfo => ({
  name: `system:node:${node}`,
  groups: ["system:nodes", "system:authenticated"],
});
const one = kubelet("one");
const core = "/api/v1/namespaces/default";
const { ask } = accessServer();

const podOn = (node: string, spec: object = {}): object => ({
  metadata: { name: `on-${node}` },
  spec: {
    nodeName: node,
    serviceAccountName: `account-${node}`,
    containers: [{ name: "c", image: "i", envFrom: [{ configMapRef: { name: `config-${node}` } }] }],
    volumes: [
      { name: "s", secret: { secretName: `secret-${node}` } },
      { name: "p", persistentVolumeClaim: { claimName: `claim-${node}` } },
      { name: "t", projected: { sources: [{ serviceAccountToken: { path: "t", audience: "vault" } }] } },
    ],
    ...spec,
  },
});

let uid = "";

beforeAll(async () => {
  for (const node of ["one", "two"]) {
    await ask("POST", "/api/v1/nodes", { metadata: { name: node } });
    await ask("POST", `${core}/serviceaccounts`, { metadata: { name: `account-${node}` } });
    await ask("POST", `${core}/configmaps`, { metadata: { name: `config-${node}` } });
    await ask("POST", `${core}/secrets`, { metadata: { name: `secret-${node}` } });
    await ask("POST", `${core}/secrets`, { metadata: { name: `mount-${node}` } });
    await ask("POST", `${core}/persistentvolumeclaims`, {
      metadata: { name: `claim-${node}` },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    });
    await ask("POST", "/api/v1/persistentvolumes", {
      metadata: { name: `volume-${node}` },
      spec: {
        accessModes: ["ReadWriteOnce"],
        capacity: { storage: "1Gi" },
        claimRef: { namespace: "default", name: `claim-${node}` },
        csi: {
          driver: "d",
          volumeHandle: node,
          nodeStageSecretRef: { name: `mount-${node}`, namespace: "default" },
        },
      },
    });
    const { status, body } = await ask("POST", `${core}/pods`, podOn(node));
    expect(status).toBe(201);
    if (node === "one") uid = body.metadata.uid;
  }
});

const unrelated = "no relationship found between node 'one' and this object";

describe("node authorizer: a kubelet reads", () => {
  test.each([
    [`${core}/secrets/secret-one`, "", ""],
    [`${core}/secrets/mount-one`, "", ""],
    [`${core}/secrets`, "fieldSelector=metadata.name=secret-one", ""],
    [`${core}/configmaps/config-one`, "", ""],
    [`${core}/persistentvolumeclaims/claim-one`, "", ""],
    ["/api/v1/persistentvolumes/volume-one", "", ""],
    [`${core}/pods/on-one`, "", ""],
    ["/api/v1/pods", "fieldSelector=spec.nodeName=one", ""],
    ["/api/v1/nodes/one", "", ""],
    ["/api/v1/nodes", "fieldSelector=metadata.name=one", ""],
    ["/api/v1/services", "", ""],
    [`${core}/serviceaccounts/account-one`, "", ""],
    [`${core}/secrets/secret-two`, "", unrelated],
    [`${core}/secrets/mount-two`, "", unrelated],
    [`${core}/secrets`, "", "No Object name found"],
    ["/api/v1/secrets", "", "can only read namespaced object of this type"],
    [`${core}/configmaps/config-two`, "", unrelated],
    [`${core}/persistentvolumeclaims/claim-two`, "", unrelated],
    [`${core}/persistentvolumeclaims`, "", "can only get individual resources of this type"],
    ["/api/v1/persistentvolumes/volume-two", "", unrelated],
    [`${core}/pods/on-two`, "", unrelated],
    ["/api/v1/pods", "", "can only list/watch pods with spec.nodeName field selector"],
    [
      "/api/v1/pods",
      "fieldSelector=spec.nodeName=two",
      "can only list/watch pods with spec.nodeName field selector",
    ],
    [
      "/api/v1/pods",
      "fieldSelector=spec.nodeName!=one",
      "can only list/watch pods with spec.nodeName field selector",
    ],
    ["/api/v1/nodes/two", "", "node 'one' cannot read 'two', only its own Node object"],
    ["/api/v1/nodes", "", "node 'one' cannot read all nodes, only its own Node object"],
    [`${core}/serviceaccounts/account-two`, "", unrelated],
    [
      "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/two",
      "",
      "can only access node lease with the same name as the requesting node",
    ],
  ])("%s?%s %s", async (path, query, refusal) => {
    const { status, body } = await ask("GET", path, undefined, { as: one, query });
    expect(status).toBe(refusal === "" ? 200 : 403);
    if (refusal !== "") expect(body.message).toMatch(new RegExp(`: ${refusal.replace(/[.*!]/g, "\\$&")}$`));
  });

  test("nothing as a user with a node's name that is not in system:nodes", async () => {
    const alone = { name: "system:node:one", groups: ["system:authenticated"] };
    expect((await ask("GET", `${core}/secrets/secret-one`, undefined, { as: alone })).status).toBe(403);
  });

  test("no list of its own permissions: a SelfSubjectRulesReview is incomplete", async () => {
    const review = await ask(
      "POST",
      "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
      { spec: { namespace: "default" } },
      { as: one },
    );
    expect(review.body.status).toMatchObject({
      incomplete: true,
      evaluationError: "node authorizer does not support user rule resolution",
    });
  });
});

const mirror = (more: object = {}, metadata: object = {}): object => ({
  metadata: {
    name: "mirror",
    annotations: { "kubernetes.io/config.mirror": "x" },
    ...metadata,
  },
  spec: { nodeName: "one", containers: [{ name: "c", image: "i" }], ...more },
});

describe("node authorizer and NodeRestriction: a kubelet writes", () => {
  const token = (pod: string, more: object = {}): object => ({
    spec: { boundObjectRef: { apiVersion: "v1", kind: "Pod", name: pod, uid }, ...more },
  });
  const leases = "/apis/coordination.k8s.io/v1/namespaces";
  const tokens = `${core}/serviceaccounts/account-one/token`;
  const writes: readonly (readonly ["PATCH" | "POST" | "DELETE", string, () => unknown, string | RegExp])[] =
    [
      ["PATCH", "/api/v1/nodes/one/status", () => ({ status: { phase: "x" } }), ""],
      [
        "PATCH",
        "/api/v1/nodes/one",
        () => ({ metadata: { labels: { "kubernetes.io/os": "linux", mine: "x" } } }),
        "",
      ],
      ["PATCH", `${core}/pods/on-one/status`, () => ({ status: { message: "x" } }), ""],
      ["POST", `${leases}/kube-node-lease/leases`, () => ({ metadata: { name: "one" } }), ""],
      ["POST", tokens, () => token("on-one"), ""],
      ["POST", tokens, () => token("on-one", { audiences: ["vault"] }), ""],
      [
        "PATCH",
        "/api/v1/nodes/two",
        () => ({ metadata: { labels: { a: "b" } } }),
        'node "one" is not allowed to modify node "two"',
      ],
      [
        "POST",
        "/api/v1/nodes",
        () => ({ metadata: { name: "three" } }),
        'node "one" is not allowed to modify node "three"',
      ],
      ["DELETE", "/api/v1/nodes/one", () => undefined, 'in API group "" at the cluster scope'],
      [
        "PATCH",
        "/api/v1/nodes/one",
        () => ({ metadata: { labels: { "node-role.kubernetes.io/control-plane": "" } } }),
        "is not allowed to modify labels: node-role.kubernetes.io/control-plane",
      ],
      [
        "PATCH",
        "/api/v1/nodes/one",
        () => ({ metadata: { labels: { "x.node-restriction.kubernetes.io/a": "" } } }),
        "is not allowed to modify labels: x.node-restriction.kubernetes.io/a",
      ],
      [
        "PATCH",
        "/api/v1/nodes/one",
        () => ({ spec: { taints: [{ key: "a", effect: "NoSchedule" }] } }),
        'node "one" is not allowed to modify taints',
      ],
      [
        "PATCH",
        `${core}/pods/on-two/status`,
        () => ({ status: { message: "x" } }),
        'node "one" can only update pod status for pods with spec.nodeName set to itself',
      ],
      [
        "DELETE",
        `${core}/pods/on-two`,
        () => undefined,
        'node "one" can only delete pods with spec.nodeName set to itself',
      ],
      [
        "POST",
        `${core}/pods/on-two/eviction`,
        () => ({ metadata: { name: "on-two" } }),
        "node one can only evict pods with spec.nodeName set to itself",
      ],
      [
        "POST",
        `${leases}/kube-node-lease/leases`,
        () => ({ metadata: { name: "two" } }),
        "can only access node lease with the same name as the requesting node",
      ],
      [
        "POST",
        `${leases}/default/leases`,
        () => ({ metadata: { name: "one" } }),
        'can only access leases in the "kube-node-lease" system namespace',
      ],
      ["POST", tokens, () => ({ spec: {} }), "node requested token not bound to a pod"],
      [
        "POST",
        tokens,
        () => token("on-two"),
        /the UID in the bound object reference .* does not match the UID in record/,
      ],
      [
        "POST",
        tokens,
        () => token("on-one", { audiences: ["other"] }),
        'audience "other" not found in pod spec volume, system:node:one is not authorized to request tokens for this audience',
      ],
      ["POST", `${core}/serviceaccounts/account-two/token`, () => token("on-one"), unrelated],
      [
        "POST",
        `${core}/pods`,
        () => podOn("one", { serviceAccountName: undefined }),
        'pod does not have "kubernetes.io/config.mirror" annotation, node "one" can only create mirror pods',
      ],
      [
        "POST",
        `${core}/pods`,
        () => mirror({ nodeName: "two" }),
        'node "one" can only create pods with spec.nodeName set to itself',
      ],
      [
        "POST",
        `${core}/pods`,
        () => mirror(),
        'node "one" can only create pods with an owner reference set to itself',
      ],
    ];

  test.each(writes)("%s %s: %#", async (method, path, body, refusal) => {
    const answer = await ask(method, path, body(), { as: one });
    expect([answer.status, answer.body?.message]).toEqual(
      refusal === ""
        ? [expect.toBeOneOf([200, 201]), undefined]
        : [403, expect.stringMatching(textPattern(refusal))],
    );
  });

  const textPattern = (text: string | RegExp): RegExp =>
    typeof text === "string" ? new RegExp(`${text.replace(/[.*()[\]]/g, "\\$&")}$`) : text;

  test("a mirror of a pod of its own, which refers to nothing", async () => {
    const node = await ask("GET", "/api/v1/nodes/one", undefined, { as: one });
    const owner = (id: string) => ({
      ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "one", uid: id, controller: true }],
    });
    const own = owner(node.body.metadata.uid);
    const wrong = await ask("POST", `${core}/pods`, mirror({}, owner("other")), { as: one });
    expect(wrong.body.message).toMatch(/node one UID mismatch: expected other got /);
    const volumes = [{ name: "v", secret: { secretName: "secret-two" } }];
    const reading = await ask("POST", `${core}/pods`, mirror({ volumes }, own), { as: one });
    expect(reading.body.message).toMatch(/node "one" can not create pods that reference secrets$/);
    expect((await ask("POST", `${core}/pods`, mirror({}, own), { as: one })).status).toBe(201);
  });
});
