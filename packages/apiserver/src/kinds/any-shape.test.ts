// Every object that decodes must be validated, whatever it contains: a rule that throws would answer 500.

import type { StructInfo, TypeInfo } from "@kubewright/api";
import { kindTypeInfo } from "@kubewright/api/type-info";
import { createCertificateRequest } from "@kubewright/api/x509";
import { builtInKinds } from "@kubewright/kinds";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { builtInResources } from "../registry/built-in-resources.js";
import { kindServer } from "./fixtures/kind-server.js";

const texts = fc.constantFrom(
  "",
  "a",
  "A b",
  "None",
  "10.96.0.9",
  "fd00::1",
  "10.0.0.0/8",
  "a.b/c",
  "true",
  "*",
  "-1",
  "é",
);
const scalars = {
  string: (typeInfo: TypeInfo & { kind: "scalar" }) => {
    if (typeInfo.format === "date-time") return fc.constantFrom("2026-01-01T00:00:00Z", null);
    if (typeInfo.format === "micro-time") return fc.constantFrom("2026-01-01T00:00:00.000000Z", null);
    if (typeInfo.format === "quantity") return fc.constantFrom("1", "-1", "0", "1500m", "1Gi");
    if (typeInfo.format === "byte") return fc.constantFrom("", "YQ==");
    return typeInfo.enum ? fc.oneof(texts, fc.constantFrom(...typeInfo.enum)) : texts;
  },
  integer: () => fc.constantFrom(-1, 0, 1, 80, 31_000, 70_000),
  number: () => fc.constantFrom(-1, 0, 1),
  boolean: () => fc.boolean(),
  "int-or-string": () => fc.constantFrom(0, 80, "25%", "http", ""),
};

function anything(typeInfo: TypeInfo, depth: number): fc.Arbitrary<unknown> {
  switch (typeInfo.kind) {
    case "scalar":
      return scalars[typeInfo.type](typeInfo);
    case "any":
      return fc.constantFrom({}, null);
    case "list":
      return depth === 0 ? fc.constant([]) : fc.array(anything(typeInfo.item, depth - 1), { maxLength: 2 });
    case "map":
      return fc.dictionary(
        fc.constantFrom("a", "cpu", "storage", "a b"),
        anything(typeInfo.value, depth - 1),
        {
          maxKeys: 2,
        },
      );
    case "struct":
      return struct(typeInfo, depth);
  }
}

function struct(typeInfo: StructInfo, depth: number): fc.Arbitrary<object> {
  const skipped = new Set(["metadata", "apiVersion", "kind"]);
  const fields = [...typeInfo.fields.values()].filter(({ name }) => depth > 0 && !skipped.has(name));
  const shape = Object.fromEntries(
    fields.map(({ name, type }) => [
      name,
      fc.oneof({ weight: 5, arbitrary: anything(type, depth - 1) }, fc.constant(null)),
    ]),
  );
  return fc.record(shape, { requiredKeys: [] });
}

const kinds = builtInResources(builtInKinds(), []).filter(
  ({ verbs, review, group }) => verbs.includes("update") && !review && group !== "apiextensions.k8s.io",
);

const podSpec = { containers: [{ name: "c", image: "i" }] };
const labels = { a: "b" };
const workload = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec } };
const rules = [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }];
const pem = Buffer.from(createCertificateRequest({ commonName: "a" }).request).toString("base64");

/** Something valid to change, for kinds that chance does not find. */
const bases: Readonly<Record<string, object>> = {
  certificatesigningrequests: { spec: { request: pem, signerName: "a.example/b", usages: ["any"] } },
  daemonsets: { spec: workload },
  deployments: { spec: workload },
  ingressclasses: { spec: { controller: "a.example/b" } },
  ingresses: { spec: { defaultBackend: { service: { name: "s", port: { number: 80 } } } } },
  jobs: { spec: { template: { spec: { ...podSpec, restartPolicy: "Never" } } } },
  mutatingadmissionpolicies: {
    spec: {
      reinvocationPolicy: "Never",
      matchConstraints: { resourceRules: rules },
      mutations: [{ patchType: "ApplyConfiguration", applyConfiguration: { expression: "Object{}" } }],
    },
  },
  mutatingadmissionpolicybindings: { spec: { policyName: "p" } },
  persistentvolumeclaims: {
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1" } } },
  },
  persistentvolumes: {
    spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1" }, nfs: { server: "s", path: "/" } },
  },
  pods: { spec: podSpec },
  podtemplates: { template: { spec: podSpec } },
  replicasets: { spec: workload },
  replicationcontrollers: { spec: { selector: labels, template: workload.template } },
  runtimeclasses: { handler: "a" },
  services: { spec: { ports: [{ port: 80 }] } },
  statefulsets: { spec: workload },
  validatingadmissionpolicies: {
    spec: { matchConstraints: { resourceRules: rules }, validations: [{ expression: "true" }] },
  },
  validatingadmissionpolicybindings: { spec: { policyName: "p", validationActions: ["Deny"] } },
  volumeattachments: {
    spec: { attacher: "a.example", nodeName: "n", source: { persistentVolumeName: "v" } },
  },
};

describe("objects of any shape never cause an internal error", () => {
  it.each(
    kinds.map((kind) => [kind.group === "" ? kind.plural : `${kind.plural}.${kind.group}`, kind] as const),
  )("%s", async (_, kind) => {
    const { call } = await kindServer({ disableAdmission: ["ServiceAccount"] });
    const typeInfo = kindTypeInfo(kind);
    if (!typeInfo) throw new Error("no typeInfo");
    const apiVersion = kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
    const root = kind.group === "" ? `/api/${apiVersion}` : `/apis/${apiVersion}`;
    const path =
      kind.scope === "Cluster" ? `${root}/${kind.plural}` : `${root}/namespaces/test/${kind.plural}`;
    const failures: string[] = [];
    const judge = (answer: { status: number; body: { message?: string } }): void => {
      const expected = /^Internal error occurred: failed to allocate|^duplicate nodePort/;
      if (answer.status >= 500 && !expected.test(answer.body.message ?? ""))
        failures.push(answer.body.message ?? "");
    };
    const objects = fc.sample(struct(typeInfo, 6), { numRuns: 30, seed: 7 });
    const base = bases[kind.plural];
    let stored = base && "base";
    if (base) {
      const made = await call("POST", path, {
        apiVersion,
        kind: kind.kind,
        metadata: { name: "base" },
        ...base,
      });
      expect(made.status).toBe(201);
    }
    for (const [index, content] of objects.entries()) {
      const name = `x${index}`;
      const made = await call("POST", path, { apiVersion, kind: kind.kind, metadata: { name }, ...content });
      judge(made);
      if (made.status === 201) stored ??= name;
      if (stored === undefined) continue;
      const object = { apiVersion, kind: kind.kind, metadata: { name: stored }, ...content };
      const place = `${path}/${stored}`;
      judge(await call("PATCH", place, content, { contentType: "application/merge-patch+json" }));
      judge(await call("PUT", place, object));
      if (kind.subresources.has("status")) judge(await call("PUT", `${place}/status`, object));
    }
    expect([...new Set(failures)]).toEqual([]);
  });
});
