// The names of what a cluster is made of. A member's peer address holds its name, so that a member that has not started yet, which has
// no name in the member list, is still known.

export const clusterLabel = "etcd.database.coreos.com/cluster";
export const memberLabel = "etcd.database.coreos.com/member";
/** How a pod was started; see `StartMode`. */
export const startAnnotation = "etcd.database.coreos.com/start";
export const hashAnnotation = "etcd.database.coreos.com/template-hash";
export const versionAnnotation = "etcd.database.coreos.com/version";
/** The certificates that a pod was started with, as a hash. */
export const certificatesAnnotation = "etcd.database.coreos.com/certificates";
/** Asks for a recovery from one member after a lost quorum: its value is the member's name. */
export const recoverAnnotation = "etcd.database.coreos.com/recover-from-member";

export const ports = { client: 2379, peer: 2380, metrics: 2381 } as const;

export const memberName = (cluster: string, ordinal: number): string => `${cluster}-${ordinal}`;
export const claimName = (member: string): string => `data-${member}`;
export const peerService = (cluster: string): string => `${cluster}-peers`;
export const clientService = (cluster: string): string => `${cluster}-client`;

/** The place of a cluster, for its addresses. */
export interface Place {
  readonly namespace: string;
  readonly name: string;
}

/** The name of a member's pod in the cluster's DNS. */
export const memberHost = ({ namespace, name }: Place, member: string): string =>
  `${member}.${peerService(name)}.${namespace}.svc`;

export const peerURL = (place: Place, member: string, isSecure: boolean): string =>
  `${isSecure ? "https" : "http"}://${memberHost(place, member)}:${ports.peer}`;

/** The name of the member with these peer addresses; undefined for a member that is not this operator's. */
export function nameOfPeer(place: Place, peerURLs: readonly string[]): string | undefined {
  const suffix = `.${peerService(place.name)}.${place.namespace}.svc:${ports.peer}`;
  for (const url of peerURLs) {
    const host = url.replace(/^https?:\/\//, "");
    if (!host.endsWith(suffix)) continue;
    const name = host.slice(0, -suffix.length);
    if (ordinalOf(place.name, name) !== undefined) return name;
  }
  return undefined;
}

/** The number at the end of a member's name. */
export function ordinalOf(cluster: string, member: string): number | undefined {
  const prefix = `${cluster}-`;
  const digits = member.startsWith(prefix) ? member.slice(prefix.length) : "";
  return /^(0|[1-9][0-9]{0,5})$/.test(digits) ? Number(digits) : undefined;
}

/** The backup that a pod takes. */
export const backupLabel = "etcd.database.coreos.com/backup";
/** The cluster whose schedule a backup is of. */
export const scheduleLabel = "etcd.database.coreos.com/scheduled-for";
/** The uid of the EtcdRestore that made a cluster. */
export const restoredByAnnotation = "etcd.database.coreos.com/restored-by";

/** Every pod of the operator has it. */
export const labelOfAll = "app.kubernetes.io/managed-by=etcd-operator";
