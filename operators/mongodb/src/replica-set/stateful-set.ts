// The StatefulSets of a replica set: one for members with data, one for arbiters. Pods are made all at once, so that none waits for
// another; which one is started again, and when, is decided by who is primary and who is healthy, so that they are replaced only when
// they are deleted.
import type { PersistentVolumeClaim, PodTemplateSpec, StatefulSet } from "@kubewright/api";
import { mergePodTemplate } from "@kubewright/runtime/workload";
import type { MongoDBCommunity } from "../api/v1/mongo-db-community.js";
import { type MongodConfig, paths } from "./mongod-config.js";
import {
  arbiterSet,
  clusterLabel,
  configSecret,
  container,
  dataVolume,
  keyFileSecret,
  labelsOf,
  placeOf,
  port,
  selectorOf,
  serviceName,
} from "./names.js";
import { overridesOf } from "./overrides.js";
import { modesIn } from "./security-modes.js";
import { sizeOf } from "./storage.js";
import { certificateSecret, startedWith, type TlsMaterial } from "./tls.js";

/** On a StatefulSet that waits for claims made by hand: since when. */
export const holdAnnotation = "mongodb.com/waits-for-claims-since";

/** On pods: what they were started with of TLS that only another start changes. */
export const certificateAnnotation = "mongodb.com/certificate";

export interface SetOptions {
  readonly mongodb: MongoDBCommunity;
  readonly image: string;
  readonly version: string;
  readonly config: MongodConfig;
  readonly tls: TlsMaterial | undefined;
  readonly replicas: number;
  /** Since when claims made by hand are waited for. */
  readonly heldSince: number | undefined;
  /** The StatefulSet as it is: its claim templates cannot change. */
  readonly present: StatefulSet | undefined;
}

/** The members with data. */
export function dataSetOf(options: SetOptions) {
  const { mongodb, replicas, heldSince } = options;
  const { name } = placeOf(mongodb);
  const overrides = overridesOf(mongodb);
  return {
    metadata: {
      name,
      labels: { ...mongodb.spec.statefulSet?.metadata?.labels, ...labelsOf(name) },
      annotations: {
        ...mongodb.spec.statefulSet?.metadata?.annotations,
        ...(heldSince === undefined ? {} : { [holdAnnotation]: new Date(heldSince).toISOString() }),
      },
    },
    spec: {
      ...overrides.spec,
      ...fixed(name),
      replicas: heldSince === undefined ? replicas : 0,
      selector: { matchLabels: { ...selectorOf(name), "mongodb.com/part": "data" } },
      template: templateOf(options, "data"),
      volumeClaimTemplates: options.present?.spec?.volumeClaimTemplates ?? claimTemplates(mongodb),
    },
  } satisfies StatefulSet;
}

/** Members that only vote have no volume. */
export function arbiterSetOf(options: SetOptions) {
  const { name } = placeOf(options.mongodb);
  return {
    metadata: { name: arbiterSet(name), labels: labelsOf(name) },
    spec: {
      ...fixed(name),
      replicas: options.replicas,
      selector: { matchLabels: { ...selectorOf(name), "mongodb.com/part": "arbiter" } },
      template: templateOf(options, "arbiter"),
    },
  } satisfies StatefulSet;
}

const fixed = (name: string) =>
  ({
    serviceName: serviceName(name),
    podManagementPolicy: "Parallel",
    updateStrategy: { type: "OnDelete" },
  }) as const;

function templateOf(
  { mongodb, image, version, config, tls }: SetOptions,
  part: "data" | "arbiter",
): PodTemplateSpec {
  const { name } = placeOf(mongodb);
  const isSecure = modesIn(config.text).tls !== "disabled";
  const labelSelector = { matchLabels: { [clusterLabel]: name } };
  const script = `install -m 0400 ${paths.keyFileSecret}/keyfile ${paths.keyFile} && exec mongod --config ${paths.config}/${config.file}`;
  return mergePodTemplate(
    {
      metadata: {
        labels: { ...labelsOf(name), "mongodb.com/part": part },
        ...(isSecure && tls ? { annotations: { [certificateAnnotation]: startedWith(tls, version) } } : {}),
      },
      spec: {
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        terminationGracePeriodSeconds: 30,
        securityContext: {
          runAsNonRoot: true,
          runAsUser: 999,
          runAsGroup: 999,
          fsGroup: 999,
          seccompProfile: { type: "RuntimeDefault" },
        },
        affinity: {
          podAntiAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 100, podAffinityTerm: { topologyKey: "kubernetes.io/hostname", labelSelector } },
            ],
          },
        },
        containers: [
          {
            name: container,
            image: `${image}:${version}`,
            command: ["/bin/sh", "-c", script],
            ports: [{ name: "mongodb", containerPort: port }],
            // It shows that the process listens, and never waits for another member.
            readinessProbe: { tcpSocket: { port: "mongodb" }, periodSeconds: 5, failureThreshold: 3 },
            terminationMessagePolicy: "FallbackToLogsOnError",
            securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
            volumeMounts: [
              { name: dataVolume, mountPath: paths.data },
              { name: "config", mountPath: paths.config, readOnly: true },
              { name: "keyfile", mountPath: paths.keyFileSecret, readOnly: true },
              { name: "tmp", mountPath: "/tmp" },
              ...(isSecure ? [{ name: "tls", mountPath: paths.tls, readOnly: true }] : []),
            ],
          },
        ],
        volumes: [
          { name: "config", secret: { secretName: configSecret(name), defaultMode: 0o440 } },
          { name: "keyfile", secret: { secretName: keyFileSecret(name), defaultMode: 0o440 } },
          { name: "tmp", emptyDir: {} },
          ...(isSecure
            ? [{ name: "tls", secret: { secretName: certificateSecret(name), defaultMode: 0o440 } }]
            : []),
          ...(part === "arbiter" ? [{ name: dataVolume, emptyDir: {} }] : []),
        ],
      },
    },
    overridesOf(mongodb).template,
  );
}

/** The template of the volume, with what the spec has of it; further templates are added. */
export function claimTemplates(mongodb: MongoDBCommunity): readonly PersistentVolumeClaim[] {
  const templates = overridesOf(mongodb).claimTemplates;
  const own = templates.find((template) => template.metadata?.name === dataVolume);
  return [
    {
      metadata: {
        ...own?.metadata,
        name: dataVolume,
        labels: { ...own?.metadata?.labels, ...labelsOf(placeOf(mongodb).name) },
      },
      spec: {
        accessModes: ["ReadWriteOnce"],
        ...own?.spec,
        resources: { requests: { ...own?.spec?.resources?.requests, storage: sizeOf(mongodb) } },
      },
    },
    ...templates.filter((template) => template !== own),
  ];
}

/** Claim templates of the spec that the StatefulSet does not have: they cannot change, but for their size. */
export function fixedClaims(mongodb: MongoDBCommunity, present: StatefulSet | undefined): readonly string[] {
  const there = present?.spec?.volumeClaimTemplates;
  if (!there) return [];
  const asked = claimTemplates(mongodb);
  const names = new Set([...asked, ...there].map(({ metadata }) => metadata?.name ?? ""));
  const find = (templates: readonly PersistentVolumeClaim[], name: string) =>
    templates.find(({ metadata }) => metadata?.name === name);
  return [...names].filter((name) => {
    const [one, other] = [find(asked, name), find(there, name)];
    if (!one || !other) return true;
    const { storageClassName, accessModes } = one.spec ?? {};
    return (
      (storageClassName !== undefined && storageClassName !== other.spec?.storageClassName) ||
      (accessModes !== undefined && accessModes.join() !== (other.spec?.accessModes ?? []).join())
    );
  });
}
