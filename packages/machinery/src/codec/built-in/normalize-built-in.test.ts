import { existsSync, readdirSync, readFileSync } from "node:fs";
import { type GroupVersionKind, isObject, parseApiVersion } from "@kubewright/api";
import { kindTypeInfo } from "@kubewright/api/type-info";
import { describe, expect, it } from "vitest";
import { parseJson } from "../json/parse-json.js";
import type { MutableObject } from "../mutable-json.js";
import { dropEmptyFields, emptyFieldsOf } from "./empty-fields.js";
import { normalizeBuiltIn } from "./normalize-built-in.js";

const apps = (kind: string): GroupVersionKind => ({ group: "apps", version: "v1", kind });
const core = (kind: string): GroupVersionKind => ({ group: "", version: "v1", kind });
const crd = { group: "apiextensions.k8s.io", version: "v1", kind: "CustomResourceDefinition" };
const lease = { group: "coordination.k8s.io", version: "v1", kind: "Lease" };

function normalize(gvk: GroupVersionKind, given: object | string) {
  const text = typeof given === "string" ? given : JSON.stringify(given);
  const { value, literals } = parseJson(Buffer.from(text), true);
  const result = normalizeBuiltIn(value as MutableObject, kindTypeInfo(gvk)!, literals);
  return { value: value as MutableObject, ...result };
}

/** A pod after normalization. */
function pod(spec: object) {
  const { value, error, unknownFields } = normalize(core("Pod"), { spec });
  return { spec: value["spec"] as MutableObject, error, unknownFields };
}

describe("normalizing a built-in object", () => {
  it("prints zero values as Go does", () => {
    const { value } = normalize(apps("Deployment"), {
      metadata: { name: "a", labels: {}, finalizers: null, creationTimestamp: null, generation: 0 },
      spec: { replicas: 0, minReadySeconds: 0, paused: false, revisionHistoryLimit: null, template: {} },
    });
    expect(value).toEqual({
      metadata: { name: "a" },
      spec: {
        replicas: 0,
        selector: null,
        strategy: {},
        template: { metadata: {}, spec: { containers: null } },
      },
      status: {},
    });
  });

  it("prints times that are unset as null, but for creation", () => {
    const { value } = normalize(core("Event"), { metadata: {}, involvedObject: {} });
    expect(value).toMatchObject({ firstTimestamp: null, lastTimestamp: null, eventTime: null, metadata: {} });
  });

  it("takes null inside collections for the zero value", () => {
    expect(normalize(core("ConfigMap"), { data: { a: null, b: "x" } }).value["data"]).toEqual({
      a: "",
      b: "x",
    });
    expect(pod({ containers: [null] }).spec["containers"]).toEqual([{ name: "", resources: {} }]);
  });

  it("keeps empty lists until they are stored, where kube-apiserver stores no JSON", () => {
    const role = { group: "rbac.authorization.k8s.io", version: "v1", kind: "Role" };
    const { value } = normalize(role, { rules: [] });
    expect(value["rules"]).toEqual([]);
    expect([...emptyFieldsOf(value)]).toEqual(["rules"]);
    dropEmptyFields(value);
    expect(value["rules"]).toBeNull();
    const stored = normalize(crd, { status: { conditions: [] } }).value;
    dropEmptyFields(stored);
    expect(stored["status"]).toMatchObject({ conditions: [] });
  });

  it("remembers lists and maps that were sent empty, though they are not printed", () => {
    const policy = { group: "networking.k8s.io", version: "v1", kind: "NetworkPolicy" };
    const { value } = normalize(policy, { spec: { ingress: [], egress: [{ ports: [] }], podSelector: {} } });
    expect(value["spec"]).toEqual({ egress: [{}], podSelector: {} });
    expect([...emptyFieldsOf(value)]).toEqual(["spec.ingress", "spec.egress.0.ports"]);
  });

  it.each([
    ["500m", "500m"],
    ["0.5", "500m"],
    [1, "1"],
    [0.5, "500m"],
    ["1024Mi", "1Gi"],
    ["1000m", "1"],
  ])("writes the quantity %j as %s", (given, canonical) => {
    const { spec } = pod({ containers: [{ name: "c", resources: { limits: { cpu: given } } }] });
    expect(spec).toMatchObject({ containers: [{ resources: { limits: { cpu: canonical } } }] });
  });

  it.each([
    ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"],
    ["2026-01-02T03:04:05.678Z", "2026-01-02T03:04:05Z"],
    ["2026-01-02T03:04:05+02:00", "2026-01-02T01:04:05Z"],
    ["0001-01-01T00:00:00Z", null],
  ])("writes the time %s as %s", (given, canonical) => {
    const { value } = normalize(core("Pod"), { metadata: { deletionTimestamp: given } });
    expect((value["metadata"] as MutableObject)["deletionTimestamp"]).toBe(canonical);
  });

  it("writes micro times with six digits", () => {
    const { value } = normalize(lease, { spec: { renewTime: "2026-01-02T03:04:05.123456+01:00" } });
    expect(value["spec"]).toEqual({ renewTime: "2026-01-02T02:04:05.123456Z" });
  });

  it("reports and drops unknown fields, in the order they stand", () => {
    const { value, unknownFields } = normalize(apps("Deployment"), {
      Metadata: {},
      spec: {
        replicas: 1,
        template: {
          spec: {
            containers: [
              { name: "c", imagee: "x" },
              { name: "d", Image: "y" },
            ],
          },
        },
        foo: { bar: 1 },
      },
    });
    expect(unknownFields).toEqual([
      "Metadata",
      "spec.template.spec.containers[0].imagee",
      "spec.template.spec.containers[1].Image",
      "spec.foo",
    ]);
    expect(value).not.toHaveProperty("Metadata");
    expect(JSON.stringify(value)).not.toMatch(/imagee|Image|foo/);
  });

  it("keeps __proto__ as a key and drops it as a field", () => {
    const { value } = normalize(core("ConfigMap"), '{"data":{"__proto__":"x"}}');
    expect(Object.hasOwn(value["data"] as object, "__proto__")).toBe(true);
    const dropped = normalize(
      core("ConfigMap"),
      '{"__proto__":{"polluted":1},"metadata":{"__proto__":{"a":1}}}',
    );
    expect(dropped.unknownFields).toEqual(["__proto__", "metadata.__proto__"]);
    expect(Object.getPrototypeOf(dropped.value)).toBe(Object.prototype);
  });

  const deploymentError = (spec: string) => normalize(apps("Deployment"), `{"spec":${spec}}`).error;
  it.each([
    [
      '{"replicas":"three"}',
      "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32",
    ],
    [
      '{"replicas":1.5}',
      "json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32",
    ],
    [
      '{"replicas":1.0}',
      "json: cannot unmarshal number 1.0 into Go struct field DeploymentSpec.spec.replicas of type int32",
    ],
    [
      '{"replicas":1e3}',
      "json: cannot unmarshal number 1e3 into Go struct field DeploymentSpec.spec.replicas of type int32",
    ],
    [
      '{"replicas":3000000000}',
      "json: cannot unmarshal number 3000000000 into Go struct field DeploymentSpec.spec.replicas of type int32",
    ],
    [
      '{"paused":"yes"}',
      "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.paused of type bool",
    ],
    [
      '"text"',
      "json: cannot unmarshal string into Go struct field Deployment.spec of type v1.DeploymentSpec",
    ],
    [
      '{"template":{"spec":{"containers":"none"}}}',
      "json: cannot unmarshal string into Go struct field PodSpec.spec.template.spec.containers of type []v1.Container",
    ],
    [
      '{"selector":{"matchLabels":{"a":5}}}',
      "json: cannot unmarshal number into Go struct field LabelSelector.spec.selector.matchLabels of type string",
    ],
    [
      '{"template":{"spec":{"volumes":[{"emptyDir":5}]}}}',
      "json: cannot unmarshal number into Go struct field Volume.spec.template.spec.volumes.VolumeSource.emptyDir of type v1.EmptyDirVolumeSource",
    ],
    [
      '{"strategy":{"rollingUpdate":{"maxSurge":true}}}',
      "json: cannot unmarshal bool into Go struct field RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge of type int32",
    ],
    [
      '{"template":{"metadata":{"creationTimestamp":"soon"}}}',
      'parsing time "soon" as "2006-01-02T15:04:05Z07:00": cannot parse "soon" as "2006"',
    ],
    [
      '{"template":{"metadata":{"creationTimestamp":7}}}',
      "json: cannot unmarshal number into Go struct field ObjectMeta.spec.template.metadata.creationTimestamp of type string",
    ],
    [
      '{"replicas":"x","template":{"metadata":{"creationTimestamp":7}}}',
      "json: cannot unmarshal number into Go struct field ObjectMeta.spec.template.metadata.creationTimestamp of type string",
    ],
    [
      '{"template":{"spec":{"restartPolicy":1}}}',
      "json: cannot unmarshal number into Go struct field PodSpec.spec.template.spec.restartPolicy of type v1.RestartPolicy",
    ],
    [
      '{"template":{"metadata":{"uid":1}}}',
      "json: cannot unmarshal number into Go struct field ObjectMeta.spec.template.metadata.uid of type types.UID",
    ],
    [
      '{"template":{"spec":{"containers":[{"resources":{"limits":"x"}}]}}}',
      "json: cannot unmarshal string into Go struct field ResourceRequirements.spec.template.spec.containers.resources.limits of type v1.ResourceList",
    ],
    [
      '{"template":{"spec":{"containers":[{"securityContext":{"capabilities":{"add":"x"}}}]}}}',
      "json: cannot unmarshal string into Go struct field Capabilities.spec.template.spec.containers.securityContext.capabilities.add of type []v1.Capability",
    ],
    [
      '{"template":{"spec":{"containers":[{"securityContext":{"capabilities":{"add":[1]}}}]}}}',
      "json: cannot unmarshal number into Go struct field Capabilities.spec.template.spec.containers.securityContext.capabilities.add of type v1.Capability",
    ],
    [
      '{"paused":1,"replicas":"x"}',
      "json: cannot unmarshal number into Go struct field DeploymentSpec.spec.paused of type bool",
    ],
  ])("words the misfit in %s as Go does", (spec, message) => {
    expect(deploymentError(spec)).toBe(message);
  });

  it.each([
    ["!!!", "illegal base64 data at input byte 0"],
    ["not base64", "illegal base64 data at input byte 3"],
    ["YQ", "illegal base64 data at input byte 0"],
    ["YWJjZA", "illegal base64 data at input byte 4"],
    ["YQ=", "illegal base64 data at input byte 3"],
    ["YQ==YQ==", "illegal base64 data at input byte 4"],
  ])("refuses %s as bytes", (text, message) => {
    expect(normalize(core("Secret"), { data: { p: text } }).error).toBe(message);
  });

  it("words bytes that are none as kube-apiserver does where the value was merged", () => {
    const value = { data: { p: "!!!" } } as MutableObject;
    const { error } = normalizeBuiltIn(value, kindTypeInfo(core("Secret"))!, undefined, true);
    expect(error).toBe("error decoding from json: illegal base64 data at input byte 0");
  });

  it("takes bytes with line breaks", () => {
    expect(normalize(core("Secret"), { data: { p: "YW\nJj\r\n", q: "" } }).value["data"]).toEqual({
      p: "YWJj",
      q: "",
    });
  });

  it("takes null among bytes for no bytes", () => {
    const { value } = normalize(core("Secret"), { data: { p: null, q: "YQ==" } });
    expect(value["data"]).toEqual({ p: "", q: "YQ==" });
  });

  it.each([false, "a", 1])("leaves out items of a schema that are %j", (items) => {
    const version = { name: "v1", schema: { openAPIV3Schema: { type: "array", items } } };
    const { value } = normalize(crd, { spec: { versions: [version] } });
    expect(JSON.stringify(value)).not.toContain("items");
  });

  it("knows both forms of the places in a schema that have two", () => {
    const schema = {
      items: { type: "string", nosuch: 1 },
      additionalProperties: { type: "integer" },
      dependencies: { a: ["b"], c: { type: "string" } },
      default: null,
      enum: [null, 1],
      properties: { p: { additionalProperties: false, items: [{ type: "string" }], nosuch: 1 } },
    };
    const { value, unknownFields } = normalize(crd, {
      spec: { versions: [{ name: "v1", schema: { openAPIV3Schema: schema } }] },
    });
    expect(unknownFields).toEqual(["spec.versions[0].schema.openAPIV3Schema.properties.p.nosuch"]);
    expect(value["spec"]).toMatchObject({
      versions: [
        {
          schema: {
            openAPIV3Schema: {
              items: { type: "string" },
              additionalProperties: { type: "integer" },
              dependencies: { a: ["b"], c: { type: "string" } },
              enum: [null, 1],
              properties: { p: { additionalProperties: false, items: [{ type: "string" }] } },
            },
          },
        },
      ],
    });
    expect(JSON.stringify(value)).not.toMatch(/nosuch|default/);
  });

  it("refuses nonsense where a schema or a boolean belongs", () => {
    const version = { schema: { openAPIV3Schema: { additionalProperties: "yes" } } };
    expect(normalize(crd, { spec: { versions: [version] } }).error).toBe("boolean or JSON schema expected");
  });
});

const transcripts = new URL("../../../../../../shared/golden/recordings/transcripts/", import.meta.url);

describe("normalizing an object with many unknown fields", () => {
  const strange = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`strange${index}`, {}]));

  it.each<[where: string, object: MutableObject]>([
    ["at the top", { ...strange, data: { a: "b" }, binaryData: {} }],
    ["with fields among them", { data: { a: "b" }, ...strange, immutable: true }],
    ["inside", { metadata: { ...strange, name: "a", labels: { a: "b" } } }],
    ["inside, after what it knows", { metadata: { name: "a", generateName: "", ...strange } }],
    ["with two that do not normalize", { ...strange, immutable: "x", data: 1 }],
    ["with two that do not normalize, around it", { metadata: { ...strange, name: 1 }, ...strange, data: 1 }],
  ])("is left with those it knows: %s", (_where, object) => {
    const typeInfo = kindTypeInfo({ group: "", version: "v1", kind: "ConfigMap" })!;
    const value = structuredClone(object);
    expect(normalizeBuiltIn(value, typeInfo).unknownFields).toHaveLength(100);
    expect(JSON.stringify(value)).not.toContain("strange");
  });
});

describe.skipIf(!existsSync(transcripts))("objects that kube-apiserver returned", () => {
  it("are what normalising makes of them", () => {
    let seen = 0;
    for (const file of readdirSync(transcripts)) {
      for (const object of nativeObjects(JSON.parse(readFileSync(new URL(file, transcripts), "utf8")))) {
        const typeInfo = kindTypeInfo(gvkOf(object)!)!;
        const copy = structuredClone(object);
        expect(normalizeBuiltIn(copy, typeInfo)).toEqual({ error: undefined, unknownFields: [] });
        expect(copy).toEqual(object);
        seen++;
      }
    }
    expect(seen).toBeGreaterThan(500);
  });
});

/** Built-in objects anywhere in a transcript, except those embedded in others. */
function nativeObjects(value: unknown): MutableObject[] {
  if (Array.isArray(value)) return value.flatMap(nativeObjects);
  if (!isObject(value)) return [];
  const object = value as MutableObject;
  const gvk = gvkOf(object);
  if (gvk && !gvk.kind.endsWith("List")) return kindTypeInfo(gvk) ? [object] : [];
  return Object.values(value).flatMap(nativeObjects);
}

function gvkOf({ apiVersion, kind, metadata }: MutableObject): GroupVersionKind | undefined {
  if (typeof apiVersion !== "string" || typeof kind !== "string" || !isObject(metadata)) return undefined;
  const groupVersion = parseApiVersion(apiVersion);
  return groupVersion && { ...groupVersion, kind };
}
