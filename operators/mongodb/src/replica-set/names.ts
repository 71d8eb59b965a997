// The names of what a replica set is made of. Those that version 0.5.0 of MongoDB's operator gave are kept: its volumes and its clients
// are found under them.
import type { MongoDBCommunity } from "../api/v1/mongo-db-community.js";

export const clusterLabel = "mongodb.com/replica-set";
/** Asks for a configuration by force after a majority was lost for good: its value is the pod whose data to go on with. */
export const forceAnnotation = "mongodb.com/force-reconfig-from";
/** The user that a Secret is for, as database and name. */
export const userLabel = "mongodb.com/user-secret";

/** The replica set whose schedule a backup is of. */
export const scheduleLabel = "mongodb.com/backup-schedule";
/** The backup or restore that a pod does the work of. */
export const agentLabel = "mongodb.com/agent-of";

/** Every pod of the operator has it. */
export const managedBy = { "app.kubernetes.io/managed-by": "mongodb-operator" } as const;

export const port = 27_017;
export const container = "mongod";
export const dataVolume = "data-volume";
export const operatorUser = "mongodb-operator";
export const exporterUser = "mongodb-exporter";

/** The place of a replica set, for its addresses. */
export interface Place {
  readonly namespace: string;
  readonly name: string;
}

export const placeOf = ({ metadata }: MongoDBCommunity): Place => ({
  namespace: metadata.namespace ?? "default",
  name: metadata.name ?? "",
});

export const serviceName = (name: string): string => `${name}-svc`;
export const keyFileSecret = (name: string): string => `${name}-keyfile`;
export const configSecret = (name: string): string => `${name}-config`;
export const operatorSecret = (name: string): string => `${name}-operator-user`;
export const exporterName = (name: string): string => `${name}-exporter`;
export const arbiterSet = (name: string): string => `${name}-arb`;
export const podName = (set: string, ordinal: number): string => `${set}-${ordinal}`;
export const claimName = (pod: string): string => `${dataVolume}-${pod}`;

/** The name of a member's pod in the cluster's DNS. */
export const hostOf = ({ namespace, name }: Place, pod: string): string =>
  `${pod}.${serviceName(name)}.${namespace}.svc.cluster.local`;

export const addressOf = (place: Place, pod: string): string => `${hostOf(place, pod)}:${port}`;

/** What a pod is in its replica set; undefined for a name that is none of its pods. */
export function partOf(
  name: string,
  pod: string,
): { readonly isArbiter: boolean; readonly ordinal: number } | undefined {
  for (const [set, isArbiter] of [
    [arbiterSet(name), true],
    [name, false],
  ] as const) {
    const digits = pod.startsWith(`${set}-`) ? pod.slice(set.length + 1) : "";
    if (/^(0|[1-9][0-9]{0,5})$/.test(digits)) return { isArbiter, ordinal: Number(digits) };
  }
  return undefined;
}

/** The labels that select the pods, and that everything of a replica set carries. */
export const selectorOf = (name: string): Readonly<Record<string, string>> => ({ app: serviceName(name) });
export const labelsOf = (name: string): Readonly<Record<string, string>> => ({
  ...selectorOf(name),
  ...managedBy,
  [clusterLabel]: name,
});
