// The environment of a container: what its pod says, from ConfigMaps, Secrets and the pod itself.
import {
  Amount,
  ConfigMap,
  type Container,
  type EnvVar,
  isNotFound,
  type Pod,
  Secret,
} from "@kubewright/api";
import type { CachedClient } from "@kubewright/runtime";
import { referenceExpander } from "./expand-references.js";
import { usualCapacity } from "./node-object.js";

/** The source of values. */
export interface ValueSource {
  /** Acts as the kubelet of the node. */
  readonly client: CachedClient;
  readonly podIP: string;
  readonly hostIP: string;
}

/** The variables of a container, on top of those it has anyway. */
export async function containerEnvironment(
  pod: Pod,
  { env = [], envFrom = [] }: Container,
  source: ValueSource,
  given: Iterable<readonly [string, string]> = [],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map(given);
  const namespace = pod.metadata?.namespace ?? "";
  for (const { configMapRef, secretRef, prefix = "" } of envFrom) {
    const data = configMapRef?.name
      ? await objectData(source.client, "ConfigMap", configMapRef.name, namespace)
      : await objectData(source.client, "Secret", secretRef?.name ?? "", namespace);
    for (const [key, value] of data ?? []) found.set(`${prefix}${key}`, Buffer.from(value).toString());
  }
  const expand = referenceExpander(found);
  for (const variable of env) {
    const value = await variableValue(variable, pod, source);
    if (value !== undefined) found.set(variable.name, expand(value));
  }
  return found;
}

async function variableValue(
  { value, valueFrom }: EnvVar,
  pod: Pod,
  source: ValueSource,
): Promise<string | undefined> {
  const { configMapKeyRef: map, secretKeyRef: secret, fieldRef, resourceFieldRef } = valueFrom ?? {};
  if (fieldRef) return fieldValue(pod, fieldRef.fieldPath, source);
  if (resourceFieldRef) return resourceValue(pod, resourceFieldRef);
  const namespace = pod.metadata?.namespace ?? "";
  if (!map?.name && !secret?.name) return value ?? "";
  const data = map?.name
    ? await objectData(source.client, "ConfigMap", map.name, namespace)
    : await objectData(source.client, "Secret", secret?.name ?? "", namespace);
  const bytes = data?.get(map?.key ?? secret?.key ?? "");
  return bytes && Buffer.from(bytes).toString();
}

/** The files of a ConfigMap or Secret; undefined when it is not there. */
export async function objectData(
  client: CachedClient,
  kind: "ConfigMap" | "Secret",
  name: string,
  namespace: string,
): Promise<ReadonlyMap<string, Uint8Array> | undefined> {
  const files = new Map<string, Uint8Array>();
  try {
    if (kind === "Secret") {
      const { data = {} } = await client.get(Secret, name, { namespace });
      for (const [key, value] of Object.entries(data)) files.set(key, Buffer.from(value, "base64"));
    } else {
      const { data = {}, binaryData = {} } = await client.get(ConfigMap, name, { namespace });
      for (const [key, value] of Object.entries(data)) files.set(key, Buffer.from(value));
      for (const [key, value] of Object.entries(binaryData)) files.set(key, Buffer.from(value, "base64"));
    }
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
  return files;
}

/** A field of the pod, as the downward API names it. */
export function fieldValue(
  { metadata, spec }: Pod,
  path: string,
  { podIP, hostIP }: Pick<ValueSource, "podIP" | "hostIP">,
): string | undefined {
  const [, map, key] = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(path) ?? [];
  if (map === "labels" || map === "annotations") return metadata?.[map]?.[key ?? ""] ?? "";
  if (path === "metadata.labels" || path === "metadata.annotations")
    return mapText(metadata?.[path === "metadata.labels" ? "labels" : "annotations"] ?? {});
  const fields: Readonly<Record<string, string | undefined>> = {
    "metadata.name": metadata?.name,
    "metadata.namespace": metadata?.namespace,
    "metadata.uid": metadata?.uid,
    "spec.nodeName": spec?.nodeName,
    "spec.serviceAccountName": spec?.serviceAccountName,
    "status.hostIP": hostIP,
    "status.hostIPs": hostIP,
    "status.podIP": podIP,
    "status.podIPs": podIP,
  };
  return Object.hasOwn(fields, path) ? fields[path] : undefined;
}

/** One line for each, quoted as Go does. */
const mapText = (map: Readonly<Record<string, string>>): string =>
  Object.entries(map)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join("\n");

/** What a container asks for, or may have, in units of a divisor, rounded up; what has no limit may have the whole node. */
export function resourceValue(
  { spec }: Pod,
  ref: {
    readonly containerName?: string | undefined;
    readonly resource: string;
    readonly divisor?: string | number | undefined;
  },
): string {
  const all = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  const { resources } = all.find(({ name }) => name === ref.containerName) ?? all[0] ?? {};
  const [kind, name = ""] = ref.resource.split(/\.(.*)/s);
  const limit = resources?.limits?.[name] ?? (usualCapacity as Readonly<Record<string, string>>)[name] ?? "0";
  const said =
    kind === "requests" ? (resources?.requests?.[name] ?? resources?.limits?.[name] ?? "0") : limit;
  const divisor = Amount.parse(String(ref.divisor || "1")).toNumber() || 1;
  return String(Math.ceil(Amount.parse(String(said)).toNumber() / divisor));
}
