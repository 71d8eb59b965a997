import {
  EndpointSlice,
  Endpoints,
  PersistentVolumeClaim,
  Pod,
  Secret,
  Service,
  ServiceAccount,
  ValidatingAdmissionPolicy,
} from "@kubewright/api";
import { expect, test } from "vitest";
import { VirtualCluster } from "./virtual-cluster.js";

const namespace = "default";

test("a Secret asked for gets a token of its account that works, and goes with the account", async () => {
  await using cluster = await VirtualCluster.start({ nodes: 0 });
  await cluster.client.create(ServiceAccount, { metadata: { name: "robot", namespace } });
  await cluster.client.create(Secret, {
    metadata: {
      name: "robot-token",
      namespace,
      annotations: { "kubernetes.io/service-account.name": "robot" },
    },
    type: "kubernetes.io/service-account-token",
  });
  await cluster.rest();
  const { data, metadata } = await cluster.client.get(Secret, "robot-token", { namespace });
  expect(Object.keys(data ?? {}).toSorted()).toEqual(["ca.crt", "namespace", "token"]);
  expect(metadata?.annotations?.["kubernetes.io/service-account.uid"]).toBeDefined();
  const token = Buffer.from(String(data?.["token"]), "base64").toString();
  const review = await cluster.client.raw("/apis/authentication.k8s.io/v1/tokenreviews", {
    method: "POST",
    body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token } },
  });
  expect(review).toMatchObject({
    status: { authenticated: true, user: { username: "system:serviceaccount:default:robot" } },
  });
  await cluster.client.delete(ServiceAccount, "robot", { namespace });
  await cluster.rest();
  expect((await cluster.client.list(Secret, { namespace })).items).toEqual([]);
});

test("Endpoints made by hand show as slices", async () => {
  await using cluster = await VirtualCluster.start({ nodes: 0 });
  await cluster.client.create(Service, {
    metadata: { name: "db", namespace },
    spec: { ports: [{ port: 5432 }] },
  });
  const subsets = [{ addresses: [{ ip: "192.0.2.1" }], ports: [{ port: 5432 }] }];
  await cluster.client.create(Endpoints, { metadata: { name: "db", namespace }, subsets });
  await cluster.rest();
  const slices = async () =>
    (await cluster.client.list(EndpointSlice, { namespace, labelSelector: "kubernetes.io/service-name=db" }))
      .items;
  expect((await slices())[0]?.endpoints?.[0]?.addresses).toEqual(["192.0.2.1"]);
  await cluster.client.patch(
    Endpoints,
    "db",
    { merge: { subsets: [{ addresses: [{ ip: "192.0.2.2" }], ports: [{ port: 5432 }] }] } },
    { namespace },
  );
  await cluster.rest();
  expect((await slices()).map(({ endpoints }) => endpoints?.[0]?.addresses)).toEqual([["192.0.2.2"]]);
  await cluster.client.delete(Endpoints, "db", { namespace });
  await cluster.rest();
  expect(await slices()).toEqual([]);
});

test("a pod's ephemeral volume gets a claim that goes with the pod", async () => {
  await using cluster = await VirtualCluster.start();
  const spec = { accessModes: ["ReadWriteOnce" as const], resources: { requests: { storage: "1Gi" } } };
  await cluster.client.create(Pod, {
    metadata: { name: "a", namespace },
    spec: {
      containers: [{ name: "c", image: "web:1" }],
      volumes: [{ name: "scratch", ephemeral: { volumeClaimTemplate: { spec } } }],
    },
  });
  await cluster.rest();
  const claim = await cluster.client.get(PersistentVolumeClaim, "a-scratch", { namespace });
  expect(claim.status?.phase).toBe("Bound");
  expect((await cluster.client.get(Pod, "a", { namespace })).status?.phase).toBe("Running");
  await cluster.client.delete(Pod, "a", { namespace });
  await cluster.rest();
  expect((await cluster.client.list(PersistentVolumeClaim, { namespace })).items).toEqual([]);
});

test("a policy says which generation is in force", async () => {
  await using cluster = await VirtualCluster.start({ nodes: 0 });
  await cluster.client.create(ValidatingAdmissionPolicy, {
    metadata: { name: "p" },
    spec: {
      matchConstraints: {
        resourceRules: [
          { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] },
        ],
      },
      validations: [{ expression: "true" }],
    },
  });
  await cluster.rest();
  expect((await cluster.client.get(ValidatingAdmissionPolicy, "p")).status).toEqual({
    observedGeneration: 1,
    typeChecking: {},
  });
});
