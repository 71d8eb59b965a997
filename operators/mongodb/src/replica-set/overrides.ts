// What a spec sets of the StatefulSet beside its own fields. Whatever would part members from each other, from their volumes or from the
// operator is left out and reported by its path; all else is merged.
import { isObject, type PersistentVolumeClaim, type StatefulSetSpec } from "@kubewright/api";
import type { PodTemplate } from "@kubewright/runtime/workload";
import type { MongoDBCommunity } from "../api/v1/mongo-db-community.js";
import { clusterLabel, container, dataVolume, selectorOf } from "./names.js";

type JsonObject = Readonly<Record<string, unknown>>;

/** The operator decides on these; with a retention policy, data would go with a StatefulSet that is made anew. */
const ofSet = [
  "replicas",
  "selector",
  "serviceName",
  "updateStrategy",
  "podManagementPolicy",
  "persistentVolumeClaimRetentionPolicy",
] as const;
const ofPod = ["restartPolicy", "hostname", "subdomain", "hostNetwork", "setHostnameAsFQDN"] as const;
const ofContainer = ["command", "args"] as const;
/** Volumes of the operator. */
const volumes: ReadonlySet<unknown> = new Set(["config", "keyfile", "tls", "tmp", dataVolume]);
const mountPaths: ReadonlySet<unknown> = new Set([
  "/data",
  "/etc/mongod",
  "/etc/mongod-keyfile",
  "/etc/mongod-tls",
]);

export interface Overrides {
  /** All but the template and the claims. */
  readonly spec: Partial<StatefulSetSpec>;
  readonly template: PodTemplate | undefined;
  readonly claimTemplates: readonly PersistentVolumeClaim[];
  /** The paths of what is not taken. */
  readonly refused: readonly string[];
}

/** Takes fields out of an object, and notes their paths. */
function without(object: JsonObject, names: readonly string[], path: string, refused: string[]): JsonObject {
  const kept = Object.entries(object).filter(([name]) => !names.includes(name));
  for (const name of names) if (object[name] !== undefined) refused.push(`${path}${name}`);
  return Object.fromEntries(kept);
}

const objects = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

export function overridesOf({ spec, metadata }: MongoDBCommunity): Overrides {
  const refused: string[] = [];
  const given: unknown = spec.statefulSet?.spec ?? {};
  const { template, volumeClaimTemplates, ...further } = without(
    isObject(given) ? given : {},
    ofSet,
    "spec.",
    refused,
  );
  return {
    spec: further as Partial<StatefulSetSpec>,
    template: isObject(template) ? templateOf(template, metadata.name ?? "", refused) : undefined,
    claimTemplates: objects(volumeClaimTemplates) as readonly PersistentVolumeClaim[],
    refused,
  };
}

function templateOf({ metadata, spec }: JsonObject, name: string, refused: string[]): PodTemplate {
  return {
    ...(isObject(metadata) ? { metadata: metadataOf(metadata, name, refused) } : {}),
    ...(isObject(spec) ? { spec: podOf(spec, refused) } : {}),
  };
}

/** Labels that Services and the StatefulSet select by. */
function metadataOf(
  metadata: JsonObject,
  name: string,
  refused: string[],
): NonNullable<PodTemplate["metadata"]> {
  const own: readonly string[] = [...Object.keys(selectorOf(name)), clusterLabel, "mongodb.com/part"];
  const { labels, annotations } = metadata;
  const kept = isObject(labels) ? without(labels, own, "spec.template.metadata.labels.", refused) : {};
  return {
    labels: kept as Readonly<Record<string, string>>,
    ...(isObject(annotations) ? { annotations: annotations as Readonly<Record<string, string>> } : {}),
  };
}

function podOf(spec: JsonObject, refused: string[]): NonNullable<PodTemplate["spec"]> {
  const path = "spec.template.spec.";
  const kept = without(spec, ofPod, path, refused);
  const isTaken = ({ name }: JsonObject): boolean => {
    if (volumes.has(name)) refused.push(`${path}volumes[${name}]`);
    return !volumes.has(name);
  };
  const merged: JsonObject = {
    ...kept,
    ...("volumes" in kept ? { volumes: objects(kept["volumes"]).filter(isTaken) } : {}),
    ...("containers" in kept
      ? { containers: objects(kept["containers"]).map((each) => containerOf(each, refused)) }
      : {}),
  };
  // What is given is checked by the API server, as every StatefulSet is.
  return merged as NonNullable<PodTemplate["spec"]>;
}

function containerOf(given: JsonObject, refused: string[]): JsonObject {
  if (given["name"] !== container) return given;
  const path = `spec.template.spec.containers[${container}].`;
  const kept = without(given, ofContainer, path, refused);
  if (!("volumeMounts" in kept)) return kept;
  const volumeMounts = objects(kept["volumeMounts"]).filter(({ mountPath }) => {
    if (mountPaths.has(mountPath)) refused.push(`${path}volumeMounts[${mountPath}]`);
    return !mountPaths.has(mountPath);
  });
  return { ...kept, volumeMounts };
}
