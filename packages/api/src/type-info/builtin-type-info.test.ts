import { describe, expect, it } from "vitest";
import { builtinResources } from "../generated/builtin-resources.js";
import type { GroupVersionKind } from "../resource.js";
import type { FieldInfo, StructInfo, TypeInfo } from "../type-info.js";
import { kindTypeInfo, namedTypeInfo } from "./builtin-type-info.js";
import { openApiSchemaNames } from "./openapi-schema.js";

const pod: GroupVersionKind = { group: "", version: "v1", kind: "Pod" };

function struct(typeInfo: TypeInfo | undefined): StructInfo {
  if (typeInfo?.kind !== "struct") throw new Error(`not a struct: ${typeInfo?.kind}`);
  return typeInfo;
}

/** Walks field names; `[]` is an item, `{}` a map's value. */
function at(gvk: GroupVersionKind, path: string): FieldInfo {
  let type: TypeInfo | undefined = kindTypeInfo(gvk);
  let field: FieldInfo | undefined;
  for (const step of path.split(".")) {
    field = struct(type).fields.get(step.replace(/\[\]$/, ""));
    type = field?.type;
    if (step.endsWith("[]") && type?.kind === "list") type = type.item;
  }
  if (field === undefined) throw new Error(`no ${path}`);
  return field;
}

describe("kindTypeInfo", () => {
  it.each(
    builtinResources.map(
      (resource) => [`${resource.group}/${resource.version} ${resource.kind}`, resource] as const,
    ),
  )("knows %s", (_, resource) => {
    const typeInfo = kindTypeInfo(resource);
    expect(typeInfo?.name).toMatch(new RegExp(`\\.${resource.version}\\.${resource.kind}$`));
    expect(typeInfo?.fields.get("kind")?.type).toMatchObject({ kind: "scalar", type: "string" });
  });

  it.each([
    [{ group: "apps", version: "v1beta1", kind: "Deployment" }],
    [{ group: "apps", version: "v1", kind: "DeploymentSpec" }],
    [{ group: "apps", version: "v1", kind: "Pod" }],
    [{ group: "example.com", version: "v1", kind: "Thing" }],
    [{ group: "apps", version: "v1", kind: "Status" }],
  ])("does not know %o", (gvk) => {
    expect(kindTypeInfo(gvk)).toBeUndefined();
  });

  it.each([
    [{ group: "", version: "v1", kind: "Status" }, "Status"],
    [{ group: "", version: "v1", kind: "DeleteOptions" }, "DeleteOptions"],
    [{ group: "policy", version: "v1", kind: "DeleteOptions" }, "DeleteOptions"],
    [{ group: "apps", version: "v1", kind: "WatchEvent" }, "WatchEvent"],
  ])("finds %o in the API machinery", (gvk, name) => {
    expect(kindTypeInfo(gvk)?.name).toBe(`io.k8s.apimachinery.pkg.apis.meta.v1.${name}`);
  });

  it("answers the same object again", () => {
    expect(kindTypeInfo(pod)).toBe(kindTypeInfo({ ...pod }));
  });
});

describe("merge type info", () => {
  it.each([
    ["spec.containers", { listType: "map", keys: ["name"] }, ["merge"], "name"],
    [
      "spec.containers[].ports",
      { listType: "map", keys: ["containerPort", "protocol"] },
      ["merge"],
      "containerPort",
    ],
    ["spec.containers[].command", { listType: "atomic", keys: [] }, undefined, undefined],
    ["spec.volumes", { listType: "map", keys: ["name"] }, ["merge", "retainKeys"], "name"],
    ["spec.tolerations", { listType: "atomic", keys: [] }, undefined, undefined],
    ["metadata.finalizers", { listType: "set", keys: [] }, ["merge"], undefined],
    ["metadata.ownerReferences", { listType: "map", keys: ["uid"] }, ["merge"], "uid"],
  ])("of %s", (path, list, patchStrategy, patchMergeKey) => {
    const field = at(pod, path);
    expect(field.type).toMatchObject({ kind: "list", ...list });
    expect(field.patchStrategy).toEqual(patchStrategy);
    expect(field.patchMergeKey).toBe(patchMergeKey);
  });

  it("keep a retained strategy on a struct", () => {
    const strategy = at({ group: "apps", version: "v1", kind: "Deployment" }, "spec.strategy");
    expect(strategy).toMatchObject({ patchStrategy: ["retainKeys"], type: { kind: "struct" } });
  });

  it("distinguish atomic structs, and places that overrule them", () => {
    const reference = struct(namedTypeInfo("io.k8s.api.core.v1.ObjectReference"));
    const claim = at({ group: "", version: "v1", kind: "PersistentVolume" }, "spec.claimRef");
    expect(reference.mapType).toBe("atomic");
    expect(struct(claim.type).mapType).toBe("granular");
    expect(struct(claim.type).fields).toBe(reference.fields);
  });

  it("state defaults, required fields and enumerations", () => {
    const protocol = at(pod, "spec.containers[].ports[].protocol");
    expect(protocol.default).toBe("TCP");
    expect(protocol.type).toMatchObject({ type: "string", enum: ["SCTP", "TCP", "UDP"] });
    expect(struct(namedTypeInfo("io.k8s.api.core.v1.ContainerPort")).required).toEqual(["containerPort"]);
  });
});

describe("types with a JSON form of their own", () => {
  it.each([
    ["spec.containers[].resources.limits", { kind: "map", value: { type: "string", format: "quantity" } }],
    ["spec.containers[].livenessProbe.httpGet.port", { kind: "scalar", type: "int-or-string" }],
    ["metadata.creationTimestamp", { kind: "scalar", type: "string", format: "date-time" }],
    ["metadata.managedFields[].fieldsV1", { kind: "any" }],
    ["metadata.generation", { kind: "scalar", type: "integer", format: "int64" }],
  ])("%s", (path, expected) => {
    expect(at(pod, path).type).toMatchObject(expected);
  });

  it.each([
    [
      { group: "coordination.k8s.io", version: "v1", kind: "Lease" },
      "spec.renewTime",
      { format: "micro-time" },
    ],
    [{ group: "apps", version: "v1", kind: "ControllerRevision" }, "data", { kind: "any" }],
    [{ group: "", version: "v1", kind: "Secret" }, "data", { kind: "map", value: { format: "byte" } }],
  ])("%o %s", (gvk, path, expected) => {
    expect(at(gvk, path).type).toMatchObject(expected);
  });

  it("may hold themselves", () => {
    const props = struct(
      namedTypeInfo("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps"),
    );
    expect(props.fields.get("not")?.type).toBe(props);
  });
});

describe("type info of presence", () => {
  it.each([
    ["apps", "Deployment", "spec.replicas", "pointer"],
    ["apps", "Deployment", "spec.minReadySeconds", "value"],
    ["apps", "Deployment", "status", "value"],
    ["apps", "Deployment", "apiVersion", "value"],
    ["", "Pod", "spec.containers", "collection!"],
    ["", "Pod", "spec.containers[].resources.limits", "collection"],
    ["", "Pod", "spec.containers[].name", "value!"],
    ["", "Pod", "spec.volumes[].configMap", "pointer"],
    ["", "Pod", "spec.volumes[].configMap.name", "value"],
    ["", "Pod", "spec.containers[].livenessProbe.httpGet", "pointer"],
  ])("of %s %s %s is %s", (group, kind, path, presence) => {
    expect(at({ group, version: "v1", kind }, path).presence).toBe(presence);
  });

  it("of a list or map is that of a collection", () => {
    const wrong = openApiSchemaNames().flatMap((name) => {
      const typeInfo = namedTypeInfo(name);
      if (typeInfo?.kind !== "struct") return [];
      return [...typeInfo.fields.values()]
        .filter(({ type, presence }) => (type.kind === "list" || type.kind === "map") && presence === "value")
        .map((field) => `${name}.${field.name}`);
    });
    expect(wrong).toEqual([]);
  });
});
