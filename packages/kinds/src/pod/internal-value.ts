// Parts of pods and volumes as kube-apiserver prints them in failures: with the fields of its own Go types, set or not.
import type {
  FieldInfo,
  LabelSelector,
  PersistentVolumeClaimSpec,
  PersistentVolumeSpec,
  PodSpec,
  PodTemplateSpec,
  StructInfo,
  TypeInfo,
} from "@kubewright/api";
import { kindTypeInfo } from "@kubewright/api/type-info";
import { shownLabels, shownSelector } from "../shown-value.js";
import { goFields } from "./go-fields.js";

type Fields = Readonly<Record<string, unknown>>;

/** Fields of the spec that the internal version has in the security context. */
const hostFields = ["hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers"] as const;

function specTypeInfo(kind = "Pod"): StructInfo {
  const type = kindTypeInfo({ group: "", version: "v1", kind })?.fields.get("spec")?.type;
  if (type?.kind !== "struct") throw new Error(`no typeInfo about ${kind}`);
  return type;
}

/** A pod spec. */
export const internalPodSpec = (spec: PodSpec | undefined): unknown => printed(spec ?? {}, specTypeInfo());

/** A template; its metadata has JSON names there too. */
export const internalTemplate = ({ metadata, spec }: PodTemplateSpec): unknown => ({
  ...metadata,
  ...(metadata?.labels ? { labels: shownLabels(metadata.labels) } : {}),
  ...(metadata?.annotations ? { annotations: shownLabels(metadata.annotations) } : {}),
  Spec: internalPodSpec(spec),
});

/** The spec of a claim. */
export const internalClaimSpec = (spec: PersistentVolumeClaimSpec): unknown =>
  printed(spec, specTypeInfo("PersistentVolumeClaim"));

/** Where a volume comes from: a struct of its own there, part of the spec here. */
export const internalVolumeSource = (spec: PersistentVolumeSpec): unknown =>
  struct({ ...spec }, { ...specTypeInfo("PersistentVolume"), name: "PersistentVolumeSource" });

/** The nodes a volume can be reached from. */
export function internalVolumeAffinity(affinity: PersistentVolumeSpec["nodeAffinity"]): unknown {
  const type = specTypeInfo("PersistentVolume").fields.get("nodeAffinity")?.type;
  return affinity && type ? printed(affinity, type) : null;
}

/** One item of a list of the spec: a container, say. */
export function internalItem(list: keyof PodSpec, item: unknown): unknown {
  const type = specTypeInfo().fields.get(list)?.type;
  return type?.kind === "list" ? printed(item, type.item) : item;
}

/** The value of a container's field in the internal version. */
export function internalContainerField(name: string, value: unknown): unknown {
  const list = specTypeInfo().fields.get("containers")?.type;
  const container = list?.kind === "list" ? list.item : undefined;
  const type = container?.kind === "struct" ? container.fields.get(name)?.type : undefined;
  return type ? printed(value, type) : value;
}

function printed(value: unknown, type: TypeInfo): unknown {
  switch (type.kind) {
    case "struct":
      return struct((value ?? {}) as Fields, type);
    case "list":
      return (value as readonly unknown[]).map((item) => printed(item, type.item));
    case "map":
      return Object.fromEntries(
        Object.entries(value as Fields)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([key, inner]) => [key, printed(inner, type.value)]),
      );
    default:
      return value;
  }
}

function struct(value: Fields, type: StructInfo): Fields {
  const name = type.name?.split(".").at(-1) ?? "";
  if (name === "LabelSelector") return { ...shownSelector(value as LabelSelector) };
  const from = name === "PodSpec" ? withHostFields(value) : value;
  const known = new Map(
    [...(name === "PodSecurityContext" ? specFields() : []), ...type.fields].map(lowered),
  );
  const names = goFields.get(name) ?? [...type.fields.keys()].map((field) => field.replace(/^./, upper));
  return Object.fromEntries(
    names.map((goName) => {
      const field = known.get(goName.toLowerCase());
      return [goName, field ? member(from[field.name], field) : null];
    }),
  );
}

const lowered = ([name, field]: readonly [string, FieldInfo]): [string, FieldInfo] => [
  name.toLowerCase(),
  field,
];
const upper = (letter: string): string => letter.toUpperCase();
const specFields = (): readonly (readonly [string, FieldInfo])[] =>
  [...specTypeInfo().fields].filter(([name]) => (hostFields as readonly string[]).includes(name));

function withHostFields(spec: Fields): Fields {
  const moved = Object.fromEntries(hostFields.map((name) => [name, spec[name]]));
  return { ...spec, securityContext: { ...(spec["securityContext"] as Fields | undefined), ...moved } };
}

/** A field that is not set is nil, or the zero value of its type. */
function member(value: unknown, { type, presence = "value" }: FieldInfo): unknown {
  if (value !== undefined && value !== null) return printed(value, type);
  if (!presence.startsWith("value")) return null;
  if (type.kind === "struct") return printed({}, type);
  if (type.kind !== "scalar") return null;
  if (type.format === "quantity" || type.type === "int-or-string") return "0";
  return type.type === "string" ? "" : type.type === "boolean" ? false : 0;
}
