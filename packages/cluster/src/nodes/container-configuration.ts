// Whether what a container's environment refers to is there.
import { ConfigMap, type Container, type EnvVar, isNotFound, type Pod, Secret } from "@kubewright/api";
import type { CachedClient } from "@kubewright/runtime";

interface Needed {
  readonly kind: typeof ConfigMap | typeof Secret;
  readonly name: string;
  readonly key?: string | undefined;
}

/** What keeps the container from being made, in the kubelet's words; undefined when nothing does. */
export async function configurationProblem(
  client: CachedClient,
  pod: Pod,
  container: Container,
): Promise<string | undefined> {
  for (const { kind, name, key } of neededBy(container)) {
    const namespace = pod.metadata?.namespace ?? "";
    const found = await find(client, kind, name, namespace);
    const what = kind.kind === "Secret" ? "secret" : "configmap";
    if (!found) return `${what} "${name}" not found`;
    if (key !== undefined && !has(found, key)) {
      const type = kind.kind === "Secret" ? "Secret" : "ConfigMap";
      return `couldn't find key ${key} in ${type} ${namespace}/${name}`;
    }
  }
  return undefined;
}

function neededBy({ envFrom = [], env = [] }: Container): readonly Needed[] {
  const whole = envFrom.flatMap(({ configMapRef, secretRef }) => [
    ...(configMapRef?.name && !configMapRef.optional ? [{ kind: ConfigMap, name: configMapRef.name }] : []),
    ...(secretRef?.name && !secretRef.optional ? [{ kind: Secret, name: secretRef.name }] : []),
  ]);
  return [...whole, ...env.flatMap(neededByVariable)];
}

function neededByVariable({ valueFrom }: EnvVar): readonly Needed[] {
  const map = valueFrom?.configMapKeyRef;
  const secret = valueFrom?.secretKeyRef;
  if (map?.name && !map.optional) return [{ kind: ConfigMap, name: map.name, key: map.key }];
  if (secret?.name && !secret.optional) return [{ kind: Secret, name: secret.name, key: secret.key }];
  return [];
}

async function find(
  client: CachedClient,
  kind: Needed["kind"],
  name: string,
  namespace: string,
): Promise<ConfigMap | Secret | undefined> {
  try {
    return kind.kind === "Secret"
      ? await client.get(Secret, name, { namespace })
      : await client.get(ConfigMap, name, { namespace });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function has(object: ConfigMap | Secret, key: string): boolean {
  const binary = "binaryData" in object ? object.binaryData : undefined;
  return Object.hasOwn(object.data ?? {}, key) || Object.hasOwn(binary ?? {}, key);
}
