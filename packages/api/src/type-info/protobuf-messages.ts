// The protobuf messages behind built-in types, read from the generated table line by line.
import { protobufTable } from "../generated/protobuf-table.js";
import type { GroupVersionKind } from "../resource.js";
import type { ProtobufField } from "../type-info.js";
import { lazy } from "./lazy.js";
import { packageOf } from "./openapi-schema.js";

const metaPackage = "k8s.io.apimachinery.pkg.apis.meta.v1";

/** Kinds of the API machinery that are sent under the group version of the request. */
const sharedKinds = new Set([
  "APIGroup",
  "APIGroupList",
  "APIResourceList",
  "APIVersions",
  "CreateOptions",
  "DeleteOptions",
  "GetOptions",
  "ListOptions",
  "PatchOptions",
  "Status",
  "UpdateOptions",
  "WatchEvent",
]);

/** The group of what objects of any kind can be shown as, in all its versions; a Table has no message. */
const metaGroup = "meta.k8s.io";
const metaKinds = new Set(["PartialObjectMetadata", "PartialObjectMetadataList"]);

const presences: ReadonlySet<string> = new Set<ProtobufField["presence"]>([
  "value",
  "value!",
  "pointer",
  "pointer!",
  "collection",
  "collection!",
  "inline",
]);

const messages = lazy(() => new Map(protobufTable.split("\n").map(indexLine)));

/** Fields are decoded when asked for. */
function indexLine(line: string): [name: string, fields: () => readonly ProtobufField[]] {
  const tab = line.indexOf("\t");
  if (tab === -1) return [line, () => []];
  const name = line.slice(0, tab);
  const own = name.slice(0, name.lastIndexOf("."));
  return [
    name,
    lazy(() =>
      line
        .slice(tab + 1)
        .split("\t")
        .map((field) => decodeField(field, own)),
    ),
  ];
}

/**
 * The fields of a message such as `k8s.io.api.apps.v1.Deployment`, in the order of the Go struct. Messages with a JSON form of their own (`Time`,
 * `Quantity`, `IntOrString`, …) carry the protobuf names of their fields.
 */
export function protobufMessage(fullName: string): readonly ProtobufField[] | undefined {
  return messages().get(fullName)?.();
}

/** The full name of the message of a kind, including those without a schema (`AdmissionReview`). */
export function protobufMessageOf(gvk: GroupVersionKind): string | undefined {
  if (gvk.group === metaGroup) return metaKinds.has(gvk.kind) ? `${metaPackage}.${gvk.kind}` : undefined;
  const own = packageOf(gvk);
  if (own === undefined) return undefined;
  const name = protobufNameOf(`${own}.${gvk.kind}`);
  if (messages().has(name)) return name;
  return sharedKinds.has(gvk.kind) ? `${metaPackage}.${gvk.kind}` : undefined;
}

/** `k8s.io.api.apps.v1.Deployment` for the schema `io.k8s.api.apps.v1.Deployment`. */
export function protobufNameOf(schemaName: string): string {
  return schemaName.replace(/^io\.k8s\./, "k8s.io.").replaceAll("-", "_");
}

function decodeField(text: string, ownPackage: string): ProtobufField {
  const [number, jsonName, type = "", presence] = text.split(":");
  const repeated = type.endsWith("[]");
  const map = /^map<(\w+),(.+)>$/.exec(type);
  const bare = map?.[2] ?? (repeated ? type.slice(0, -2) : type);
  return {
    number: Number(number),
    type: bare === "" ? "string" : bare.startsWith(".") ? ownPackage + bare : bare,
    repeated,
    mapKey: map?.[1],
    jsonName: jsonName || null,
    presence: isPresence(presence) ? presence : "value",
  };
}

function isPresence(text: string | undefined): text is ProtobufField["presence"] {
  return text !== undefined && presences.has(text);
}
