// The namespace of a deployed operator: `deploy` marks the one it has made, and `undeploy` deletes that one when nothing is left in it.
import {
  ConfigMap,
  DaemonSet,
  Deployment,
  isNotFound,
  Job,
  type KubeObject,
  Namespace,
  PersistentVolumeClaim,
  Pod,
  type ResourceDescriptor,
  Secret,
  Service,
  ServiceAccount,
  StatefulSet,
} from "@kubewright/api";
import type { Client } from "@kubewright/client";
import { type Operator, podLabels } from "../manifests/operator.js";
import type { Placed } from "./apply-objects.js";

const madeByDeploy = "kubewright.dev/made-by-deploy";

export async function isMissing(client: Client, namespace: string): Promise<boolean> {
  return (await namespaceNamed(client, namespace)) === undefined;
}

/** The Namespace with the mark; other objects as they are. */
export function markedAsOwn<T extends Placed>(object: T): T {
  if (object.kind !== Namespace.kind) return object;
  const { annotations = {} } = (object.metadata ?? {}) as { annotations?: Readonly<Record<string, string>> };
  return {
    ...object,
    metadata: { ...object.metadata, annotations: { ...annotations, [madeByDeploy]: "true" } },
  };
}

/** Deletes the namespace if `deploy` has made it and it is empty but for what every namespace has; says what it did. */
export async function deleteOwnNamespace(client: Client, operator: Operator): Promise<string | undefined> {
  const { namespace: name } = operator.settings;
  const namespace = await namespaceNamed(client, name);
  if (namespace?.metadata?.annotations?.[madeByDeploy] === undefined) return undefined;
  const [left] = await objectsIn(client, operator);
  if (left !== undefined) return `Namespace ${name} stays: it has ${left}`;
  await client.delete(Namespace, name);
  return `deleted Namespace ${name}`;
}

const kinds: readonly ResourceDescriptor<KubeObject>[] = [
  Deployment,
  StatefulSet,
  DaemonSet,
  Job,
  Pod,
  Service,
  ConfigMap,
  Secret,
  PersistentVolumeClaim,
  ServiceAccount,
];

/** Names of what somebody else has put there; pods of the operator are about to go. */
async function objectsIn(client: Client, operator: Operator): Promise<readonly string[]> {
  const { namespace } = operator.settings;
  const own = Object.entries(podLabels(operator));
  const found: string[] = [];
  for (const kind of [...kinds, ...operator.kinds.filter(({ scope }) => scope === "Namespaced")]) {
    const { items } = await client.list(kind, { namespace }).catch((error: unknown) => {
      if (isNotFound(error)) return { items: [] };
      throw error;
    });
    for (const { metadata } of items) {
      const { name = "", labels = {} } = metadata ?? {};
      const isOwn = own.every(([key, value]) => labels[key] === value);
      if (!isOwn && !ofEveryNamespace.has(`${kind.kind} ${name}`)) found.push(`${kind.kind} ${name}`);
    }
  }
  return found;
}

const ofEveryNamespace = new Set(["ConfigMap kube-root-ca.crt", "ServiceAccount default"]);

function namespaceNamed(client: Client, name: string): Promise<Namespace | undefined> {
  return client.get(Namespace, name).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
}
