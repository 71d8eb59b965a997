import { describe, expect, it } from "vitest";
import { kindServer } from "./fixtures/kind-server.js";

const registration = "admissionregistration.k8s.io/v1";
const matchConstraints = {
  resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["pods"], operations: ["CREATE"] }],
};
const apiService = {
  group: "metrics.k8s.io",
  version: "v1",
  groupPriorityMinimum: 100,
  versionPriority: 100,
};

interface Case {
  readonly path: string;
  readonly object: { readonly apiVersion: string; readonly kind: string } & Readonly<Record<string, unknown>>;
  readonly name?: string;
}

const lenient: readonly Case[] = [
  {
    path: "/apis/coordination.k8s.io/v1/namespaces/test/leases",
    object: { apiVersion: "coordination.k8s.io/v1", kind: "Lease" },
  },
  {
    path: "/apis/node.k8s.io/v1/runtimeclasses",
    object: { apiVersion: "node.k8s.io/v1", kind: "RuntimeClass", handler: "runsc" },
  },
  {
    path: `/apis/${registration}/validatingwebhookconfigurations`,
    object: { apiVersion: registration, kind: "ValidatingWebhookConfiguration" },
  },
  {
    path: `/apis/${registration}/mutatingwebhookconfigurations`,
    object: { apiVersion: registration, kind: "MutatingWebhookConfiguration" },
  },
  {
    path: `/apis/${registration}/validatingadmissionpolicies`,
    object: {
      apiVersion: registration,
      kind: "ValidatingAdmissionPolicy",
      spec: { matchConstraints, validations: [{ expression: "true" }] },
    },
  },
  {
    path: `/apis/${registration}/validatingadmissionpolicybindings`,
    object: {
      apiVersion: registration,
      kind: "ValidatingAdmissionPolicyBinding",
      spec: { policyName: "p", validationActions: ["Deny"] },
    },
  },
  {
    path: "/apis/apiregistration.k8s.io/v1/apiservices",
    name: "v1.metrics.k8s.io",
    object: { apiVersion: "apiregistration.k8s.io/v1", kind: "APIService", spec: apiService },
  },
];

// kube-apiserver validates metadata of these kinds without the list of its own finalizers.
describe("finalizer without a domain", () => {
  it.each(lenient)("is accepted on a $object.kind", async ({ path, object, name = "x" }) => {
    const { call } = await kindServer();
    const answer = await call("POST", path, { ...object, metadata: { name, finalizers: ["mine"] } });
    expect(answer).toMatchObject({ status: 201, body: { metadata: { finalizers: ["mine"] } } });
  });

  it("is refused on a ConfigMap", async () => {
    const { call, fields } = await kindServer();
    const answer = await call("POST", "/api/v1/namespaces/test/configmaps", {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "x", finalizers: ["mine"] },
    });
    expect(fields(answer)).toEqual(["metadata.finalizers[0]"]);
  });
});
