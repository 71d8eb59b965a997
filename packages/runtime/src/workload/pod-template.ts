// The pod template that people give beside the fields of a kind, for all that the kind has no field of its own for: volumes, a
// service account, affinity, tolerations, security contexts, probes. It is merged over the template an operator makes, as a
// strategic merge patch would be.
import {
  Deployment,
  type FieldInfo,
  isObject,
  type PodSpec,
  type PodTemplateSpec,
  type TypeInfo,
} from "@kubewright/api";
import { kindTypeInfo } from "@kubewright/api/type-info";
import type { JsonRecord } from "../controller/apply/json-record.js";

/** The pod settings that users may set. */
export interface PodTemplate {
  readonly metadata?:
    | {
        readonly labels?: Readonly<Record<string, string>> | undefined;
        readonly annotations?: Readonly<Record<string, string>> | undefined;
      }
    | undefined;
  readonly spec?: Partial<PodSpec> | undefined;
}

/**
 * The template with what is given merged over it. Lists merge by the key they have in Kubernetes (containers, volumes and
 * variables by name), others are replaced, and so is a probe, which can have only one handler. Labels and annotations are added;
 * those of the template stay, since Services and Deployments select by them.
 *
 * @example
 * template: mergePodTemplate({ metadata: { labels }, spec: { containers: [container] } }, app.spec.podTemplate)
 */
export function mergePodTemplate(template: PodTemplateSpec, given: PodTemplate | undefined): PodTemplateSpec {
  if (!given) return template;
  const { metadata, spec } = given;
  return {
    metadata: {
      ...template.metadata,
      ...(metadata?.labels ? { labels: { ...metadata.labels, ...template.metadata?.labels } } : {}),
      ...(metadata?.annotations
        ? { annotations: { ...metadata.annotations, ...template.metadata?.annotations } }
        : {}),
    },
    spec: merged(template.spec, spec, podSpecTypeInfo()) as PodSpec,
  };
}

/** Kubernetes' schema of the fields of a pod's spec. */
function podSpecTypeInfo(): TypeInfo | undefined {
  let typeInfo: TypeInfo | undefined = kindTypeInfo(Deployment);
  for (const name of ["spec", "template", "spec"])
    typeInfo = typeInfo?.kind === "struct" ? typeInfo.fields.get(name)?.type : undefined;
  return typeInfo;
}

function merged(base: unknown, over: unknown, typeInfo: TypeInfo | undefined): unknown {
  if (over === undefined) return base;
  if (!isObject(base) || !isObject(over) || isReplaced(typeInfo)) return over;
  const result: Record<string, unknown> = { ...base };
  for (const [name, value] of Object.entries(over))
    result[name] = mergedField(base[name], value, fieldOf(typeInfo, name));
  return result;
}

function mergedField(base: unknown, over: unknown, field: FieldInfo | undefined): unknown {
  const key = field?.patchStrategy?.includes("merge") ? field.patchMergeKey : undefined;
  if (key === undefined || !Array.isArray(base) || !Array.isArray(over))
    return merged(base, over, field?.type);
  const item = field?.type.kind === "list" ? field.type.item : undefined;
  // An item of `retainKeys` is one of several forms, as a volume is: two of them cannot be merged.
  const isWhole = field?.patchStrategy?.includes("retainKeys") ?? false;
  return mergedList(base.filter(isObject), over.filter(isObject), key, (one, other) =>
    isWhole ? other : merged(one, other, item),
  );
}

/** The items of the base, changed, then those that are new. */
function mergedList(
  base: readonly JsonRecord[],
  over: readonly JsonRecord[],
  key: string,
  merge: (one: JsonRecord, other: JsonRecord) => unknown,
): readonly unknown[] {
  const changes = new Map(over.map((item) => [item[key], item]));
  const known = new Set(base.map((item) => item[key]));
  return [
    ...base.map((item) => {
      const change = changes.get(item[key]);
      return change ? merge(item, change) : item;
    }),
    ...[...changes.values()].filter((item) => !known.has(item[key])),
  ];
}

function fieldOf(typeInfo: TypeInfo | undefined, name: string): FieldInfo | undefined {
  return typeInfo?.kind === "struct" ? typeInfo.fields.get(name) : undefined;
}

/** A type that holds one of several handlers, of which two make it invalid. */
function isReplaced(typeInfo: TypeInfo | undefined): boolean {
  const name = typeInfo?.kind === "struct" ? typeInfo.name : undefined;
  return name === "io.k8s.api.core.v1.Probe" || name === "io.k8s.api.core.v1.LifecycleHandler";
}
