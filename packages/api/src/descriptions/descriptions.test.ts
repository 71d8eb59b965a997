import { describe, expect, it } from "vitest";
import { type OpenApiSchema, openApiSchema } from "../type-info/index.js";
import { describedSchema, fieldDescription, objectDescriptions, typeDescription } from "./index.js";

/** The kinds people use most: whatever is in them is described. */
const kinds = [
  ...["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ControllerRevision"].map(
    (kind) => `apps.v1.${kind}`,
  ),
  ...["Job", "CronJob"].map((kind) => `batch.v1.${kind}`),
  ...["Pod", "PodTemplate", "Service", "ConfigMap", "Secret", "ServiceAccount"].map(
    (kind) => `core.v1.${kind}`,
  ),
  ...["PersistentVolume", "PersistentVolumeClaim", "Namespace", "Node", "Event"].map(
    (kind) => `core.v1.${kind}`,
  ),
  ...["ResourceQuota", "LimitRange"].map((kind) => `core.v1.${kind}`),
  ...["Ingress", "IngressClass", "NetworkPolicy"].map((kind) => `networking.v1.${kind}`),
  ...["Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"].map((kind) => `rbac.v1.${kind}`),
  ...[
    "autoscaling.v2.HorizontalPodAutoscaler",
    "autoscaling.v1.HorizontalPodAutoscaler",
    "autoscaling.v1.Scale",
  ],
  ...["discovery.v1.EndpointSlice", "storage.v1.StorageClass", "policy.v1.PodDisruptionBudget"],
  ...["coordination.v1.Lease", "events.v1.Event", "scheduling.v1.PriorityClass"],
].map((name) => `io.k8s.api.${name}`);

const lists = kinds.map((name) => `${name}List`).filter((name) => openApiSchema(name));
const machinery = [
  "ObjectMeta",
  "ListMeta",
  "LabelSelector",
  "Condition",
  "OwnerReference",
  "Status",
  "DeleteOptions",
];

/** The types that are reached from these, themselves included. */
function reachable(names: readonly string[]): ReadonlyMap<string, OpenApiSchema> {
  const found = new Map<string, OpenApiSchema>();
  const pending = [...names];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const schema = openApiSchema(name);
    if (!schema) throw new Error(`${name} is not a built-in type`);
    if (found.has(name)) continue;
    found.set(name, schema);
    const references = JSON.stringify(schema).matchAll(/"#\/components\/schemas\/([^"]+)"/g);
    pending.push(...[...references].map((match) => match[1] ?? ""));
  }
  return found;
}

const types = reachable([
  ...kinds,
  ...lists,
  ...machinery.map((name) => `io.k8s.apimachinery.pkg.apis.meta.v1.${name}`),
]);
const fields = [...types].flatMap(([name, { properties = {} }]) =>
  Object.keys(properties).map((field) => ({ name, field })),
);

describe("descriptions", () => {
  it("cover every type and field of the kinds people use most", () => {
    const undescribedTypes = [...types.keys()].filter(
      (name) => !name.endsWith("List") && !typeDescription(name),
    );
    const undescribedFields = fields.filter(({ name, field }) => !fieldDescription(name, field));
    expect(undescribedTypes).toEqual([]);
    expect(undescribedFields).toEqual([]);
    expect(fields.length).toBeGreaterThan(1400);
  });

  it("are sentences that end and fit on a screen", () => {
    const texts = [
      ...[...types.keys()].map((name) => typeDescription(name) ?? "."),
      ...fields.map(({ name, field }) => fieldDescription(name, field) ?? "."),
    ];
    expect(texts.filter((text) => !/^[A-Z"$@].*[.]$/.test(text) && text !== ".")).toEqual([]);
    expect(texts.filter((text) => text.length > 240)).toEqual([]);
  });

  it("stand beside what a schema says, of the type and of each field", () => {
    const name = "io.k8s.api.apps.v1.DeploymentStrategy";
    const described = describedSchema(name, openApiSchema(name) ?? {});
    expect(described).toMatchObject({
      description: "How a Deployment replaces old pods by new ones.",
      type: "object",
      properties: {
        rollingUpdate: {
          description: 'The pace of a rolling update, for the type "RollingUpdate".',
          allOf: [{ $ref: "#/components/schemas/io.k8s.api.apps.v1.RollingUpdateDeployment" }],
        },
      },
    });
    expect(openApiSchema(name)).not.toHaveProperty("description");
  });

  it("of what every object has begin as kubectl users and the conformance tests know them", () => {
    expect(objectDescriptions()).toMatchObject({
      apiVersion: expect.stringMatching(/^APIVersion defines the versioned schema/),
      kind: expect.stringMatching(/^Kind is a string value representing/),
      metadata: expect.stringMatching(/^Standard object's metadata/),
    });
    expect(fieldDescription("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", "creationTimestamp")).toMatch(
      /^CreationTimestamp is a timestamp/,
    );
  });

  it("are absent where nobody has written any, and for names that are no types", () => {
    expect(typeDescription("io.k8s.api.core.v1.Nothing")).toBeUndefined();
    expect(fieldDescription("io.k8s.api.core.v1.Pod", "nothing")).toBeUndefined();
    expect(describedSchema("com.example.v1.Thing", { type: "object" })).toEqual({ type: "object" });
  });
});
