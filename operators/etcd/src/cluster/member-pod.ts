// The pod of a member, and its volume claim. They are made directly, without a StatefulSet: what a member is started with depends on
// the members there are, and which one is started again, or goes, is decided by who leads and who is healthy, not by its number.
import type { PersistentVolumeClaim, PodSpec, PodTemplateSpec } from "@kubewright/api";
import { mergePodTemplate } from "@kubewright/runtime/workload";
import { defaultImage, defaultStorage, type EtcdCluster } from "../api/v1alpha1/etcd-cluster.js";
import type { MemberList } from "../client/etcd-client.js";
import {
  certificatesAnnotation,
  claimName,
  clientService,
  clusterLabel,
  hashAnnotation,
  memberHost,
  memberLabel,
  nameOfPeer,
  type Place,
  peerService,
  peerURL,
  ports,
  startAnnotation,
  versionAnnotation,
} from "./names.js";
import type { StartMode } from "./observed.js";
import { hashOf } from "./template-hash.js";
import { parseVersion } from "./version-path.js";

export const placeOf = ({ metadata }: EtcdCluster): Place => ({
  namespace: metadata.namespace ?? "default",
  name: metadata.name ?? "",
});

export const clusterLabels = (cluster: EtcdCluster): Readonly<Record<string, string>> => ({
  "app.kubernetes.io/name": "etcd",
  "app.kubernetes.io/managed-by": "etcd-operator",
  [clusterLabel]: placeOf(cluster).name,
});

const dataFolder = "/var/lib/etcd";
const tlsFolder = "/etc/etcd/tls";
const container = "etcd";

/** The hash of all that a pod is made from but how it was started: a pod with another one has to be started again. */
export function templateHash(cluster: EtcdCluster, version: string, secrets: TlsSecrets): string {
  // Written for a member without a name, so that the hash is the same for all.
  const template = memberTemplate(cluster, "", version, secrets);
  return hashOf([template, secrets.fingerprint]);
}

/** The Secrets with certificates that a member mounts. */
export interface TlsSecrets {
  readonly client: ((member: string) => string) | undefined;
  readonly peer: ((member: string) => string) | undefined;
  /** Changes when members must be started again, which they need for another CA, not for another certificate. */
  readonly fingerprint: string;
}

export const withoutTls: TlsSecrets = { client: undefined, peer: undefined, fingerprint: "" };

export function imageOf({ spec }: EtcdCluster, version: string): string {
  const image = spec.image ?? defaultImage;
  const lastPart = image.slice(image.lastIndexOf("/") + 1);
  return lastPart.includes(":") || image.includes("@") ? image : `${image}:v${version}`;
}

interface MemberPodOptions {
  readonly cluster: EtcdCluster;
  readonly member: string;
  readonly version: string;
  readonly how: StartMode;
  readonly secrets: TlsSecrets;
  readonly membership: MemberList | undefined;
  /** Containers that fill the volume before etcd first starts. */
  readonly restore?: Pick<PodSpec, "initContainers" | "volumes" | "securityContext"> | undefined;
}

export function memberPod(options: MemberPodOptions) {
  const { cluster, member, version, how, secrets } = options;
  const template = memberTemplate(cluster, member, version, secrets);
  const { containers, volumes = [], initContainers = [], ...spec } = template.spec ?? { containers: [] };
  return {
    metadata: {
      name: member,
      labels: { ...template.metadata?.labels },
      annotations: {
        ...template.metadata?.annotations,
        [startAnnotation]: how,
        [hashAnnotation]: templateHash(cluster, version, secrets),
        [versionAnnotation]: version,
        ...(secrets.fingerprint ? { [certificatesAnnotation]: secrets.fingerprint } : {}),
      },
    },
    spec: {
      ...spec,
      securityContext: { ...options.restore?.securityContext, ...spec.securityContext },
      initContainers: [...(options.restore?.initContainers ?? []), ...initContainers],
      volumes: [
        ...volumes,
        { name: "data", persistentVolumeClaim: { claimName: claimName(member) } },
        ...(options.restore?.volumes ?? []),
      ],
      containers: containers.map((each) =>
        each.name === container ? { ...each, args: [...(each.args ?? []), ...startFlags(options)] } : each,
      ),
    },
  };
}

function memberTemplate(
  cluster: EtcdCluster,
  member: string,
  version: string,
  secrets: TlsSecrets,
): PodTemplateSpec {
  const labels = { ...clusterLabels(cluster), [memberLabel]: member };
  const tls = [
    ...(secrets.client ? [{ name: "client-tls", secretName: secrets.client(member) }] : []),
    ...(secrets.peer ? [{ name: "peer-tls", secretName: secrets.peer(member) }] : []),
  ];
  return mergePodTemplate(
    {
      metadata: { labels },
      spec: {
        hostname: member,
        subdomain: peerService(placeOf(cluster).name),
        ...spreading(cluster),
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        terminationGracePeriodSeconds: 30,
        securityContext: { seccompProfile: { type: "RuntimeDefault" } },
        containers: [
          {
            name: container,
            image: imageOf(cluster, version),
            command: ["etcd"],
            args: memberFlags(cluster, member, version, secrets),
            ports: [
              { name: "client", containerPort: ports.client },
              { name: "peer", containerPort: ports.peer },
              { name: "metrics", containerPort: ports.metrics },
            ],
            ...(cluster.spec.resources ? { resources: cluster.spec.resources } : {}),
            // Its last words tell lost data from a member that is merely away.
            terminationMessagePolicy: "FallbackToLogsOnError",
            readinessProbe,
            livenessProbe,
            securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
            volumeMounts: [
              { name: "data", mountPath: dataFolder },
              ...tls.map(({ name }) => ({ name, mountPath: `${tlsFolder}/${name}`, readOnly: true })),
            ],
          },
        ],
        volumes: tls.map(({ name, secretName }) => ({ name, secret: { secretName, defaultMode: 0o440 } })),
      },
    },
    cluster.spec.podTemplate,
  );
}

/** An alarm of one member would make all of them unready, so that nobody could read; the operator sees alarms by itself. */
const readinessProbe = {
  httpGet: { path: "/health?exclude=NOSPACE&exclude=CORRUPT", port: "metrics" },
  periodSeconds: 2,
  timeoutSeconds: 2,
  failureThreshold: 3,
} as const;

/**
 * Ends a process that answers nothing at all for two minutes. etcd's own health checks are no good for it: they fail without a quorum, for
 * want of space, or during a defragmentation, and a member that is killed then comes back no better. Metrics need nothing but the process.
 */
const livenessProbe = {
  httpGet: { path: "/metrics", port: "metrics" },
  periodSeconds: 10,
  timeoutSeconds: 10,
  failureThreshold: 12,
} as const;

/** Members keep apart where they can: on nodes of their own, in all zones alike. */
function spreading(cluster: EtcdCluster): Partial<PodSpec> {
  const labelSelector = { matchLabels: { [clusterLabel]: placeOf(cluster).name } };
  return {
    affinity: {
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 100, podAffinityTerm: { topologyKey: "kubernetes.io/hostname", labelSelector } },
        ],
      },
    },
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: "topology.kubernetes.io/zone",
        whenUnsatisfiable: "ScheduleAnyway",
        labelSelector,
      },
    ],
  };
}

function memberFlags(
  cluster: EtcdCluster,
  member: string,
  version: string,
  secrets: TlsSecrets,
): readonly string[] {
  const place = placeOf(cluster);
  const scheme = secrets.client ? "https" : "http";
  const peerScheme = secrets.peer ? "https" : "http";
  const flags: Record<string, string> = {
    name: member,
    "data-dir": `${dataFolder}/data`,
    "listen-client-urls": `${scheme}://0.0.0.0:${ports.client}`,
    "advertise-client-urls": `${scheme}://${memberHost(place, member)}:${ports.client}`,
    "listen-peer-urls": `${peerScheme}://0.0.0.0:${ports.peer}`,
    "initial-advertise-peer-urls": peerURL(place, member, secrets.peer !== undefined),
    "listen-metrics-urls": `http://0.0.0.0:${ports.metrics}`,
    "initial-cluster-token": cluster.metadata.uid ?? place.name,
    logger: "zap",
    ...checks(version),
    ...(secrets.client ? tlsFlags("", "client-tls") : {}),
    ...(secrets.peer ? tlsFlags("peer-", "peer-tls") : {}),
    ...cluster.spec.etcdOptions,
  };
  return Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
}

/** A member compares its data with the others' before it serves any; etcd 3.6 has another name for it. */
function checks(version: string): Readonly<Record<string, string>> {
  const known = parseVersion(version);
  return known && (known.major < 3 || (known.major === 3 && known.minor < 6))
    ? { "experimental-initial-corrupt-check": "true" }
    : { "feature-gates": "InitialCorruptCheck=true" };
}

const tlsFlags = (prefix: string, folder: string): Readonly<Record<string, string>> => ({
  [`${prefix}cert-file`]: `${tlsFolder}/${folder}/tls.crt`,
  [`${prefix}key-file`]: `${tlsFolder}/${folder}/tls.key`,
  [`${prefix}trusted-ca-file`]: `${tlsFolder}/${folder}/ca.crt`,
  [`${prefix}client-cert-auth`]: "true",
});

/** What etcd reads only while its volume is empty, but for `recover`. */
function startFlags({ cluster, member, how, secrets, membership }: MemberPodOptions): readonly string[] {
  const place = placeOf(cluster);
  const own = `${member}=${peerURL(place, member, secrets.peer !== undefined)}`;
  switch (how) {
    case "seed":
      return [`--initial-cluster=${own}`, "--initial-cluster-state=new"];
    case "recover":
      return [`--initial-cluster=${own}`, "--initial-cluster-state=new", "--force-new-cluster=true"];
    case "join":
      return [`--initial-cluster=${initialCluster(place, membership)}`, "--initial-cluster-state=existing"];
    case "guarded":
      // The member itself is missing in it, so that etcd refuses to start on an empty volume.
      return ["--initial-cluster=no-data=http://127.0.0.1:1", "--initial-cluster-state=existing"];
  }
}

function initialCluster(place: Place, membership: MemberList | undefined): string {
  return (membership?.members ?? [])
    .flatMap(({ name, peerURLs }) => {
      const known = name || nameOfPeer(place, peerURLs);
      return known ? peerURLs.map((url) => `${known}=${url}`) : [];
    })
    .join(",");
}

export function memberClaim(cluster: EtcdCluster, member: string) {
  const { storage, storageSpec } = cluster.spec;
  return {
    metadata: { name: claimName(member), labels: { ...clusterLabels(cluster), [memberLabel]: member } },
    spec: {
      accessModes: [...(storageSpec?.accessModes ?? ["ReadWriteOnce"])],
      ...(storageSpec?.storageClassName === undefined
        ? {}
        : { storageClassName: storageSpec.storageClassName }),
      resources: { requests: { storage: String(storageSpec?.size ?? storage ?? defaultStorage) } },
    },
  } satisfies PersistentVolumeClaim;
}

/** Where clients connect. */
export const clientEndpoint = (cluster: EtcdCluster): string => {
  const { namespace, name } = placeOf(cluster);
  return `${cluster.spec.tls?.client ? "https" : "http"}://${clientService(name)}.${namespace}.svc:${ports.client}`;
};
