// An etcd cluster: how many members of which version, on which storage, and what they report.
import type { ObjectOf } from "@kubewright/api";
import { backupSchedule, snapshotSource } from "@kubewright/runtime/backup";
import { podTemplate, resourceRequirements } from "@kubewright/runtime/workload";
import { conditions, defineResource, immutable, kube, rule, z } from "@kubewright/schema";

export const group = "etcd.database.coreos.com";
export const apiVersion = "v1alpha1";

/** The version of an EtcdCluster that names none. */
export const defaultVersion = "3.5.30";
export const defaultImage = "gcr.io/etcd-development/etcd";
export const defaultStorage = "8Gi";

const instant = z.string().max(40);
const seconds = (text: string) => z.int32().min(0).optional().describe(text);

/** Flags that the operator sets itself. */
const managedFlags =
  "^(name|data-dir|wal-dir|listen-.*|advertise-.*|initial-.*|force-new-cluster|.*-file|.*client-cert-auth|.*auto-tls|discovery.*|config-file|log-outputs|logger)$";

const etcdOptions = kube
  .map(z.string().max(1024), { maxProperties: 32 })
  .check(
    rule("self.all(name, name.matches('^[a-z][a-z0-9-]*$'))", {
      message: "options are flags of etcd without the dashes before them, such as quota-backend-bytes",
    }),
    rule(`self.all(name, !name.matches('${managedFlags}'))`, {
      message:
        "names, addresses, files, the data directory and what a cluster begins with are set by the operator",
    }),
  )
  .optional()
  .describe("Flags of etcd, such as quota-backend-bytes or heartbeat-interval");

const storageSpec = z
  .object({
    storageClassName: z
      .string()
      .max(253)
      .optional()
      .check(immutable())
      .describe("StorageClass of the claims. Default: the default StorageClass of the cluster"),
    size: kube.quantity().optional().describe("Size of each claim; it may grow later. Default: spec.storage"),
    accessModes: z
      .array(z.enum(["ReadWriteOnce", "ReadWriteOncePod", "ReadWriteMany"]))
      .max(3)
      .optional()
      .describe("Access modes of the claims. Default: ReadWriteOnce"),
  })
  .optional()
  .describe("The volume claims of members");

const tlsSide = (text: string) =>
  z
    .object({
      secretName: z
        .string()
        .max(253)
        .optional()
        .describe(
          "A Secret with ca.crt, tls.crt and tls.key, as cert-manager makes it. Default: made by the operator",
        ),
    })
    .optional()
    .describe(text);

const autoscaling = z
  .object({
    min: z.int32().min(1).max(7).describe("Fewest members; odd"),
    max: z.int32().min(1).max(7).describe("Most members; odd"),
    targetReadsPerSecondPerMember: z
      .int32()
      .min(1)
      .optional()
      .describe("Two members more above it, two less when the rest would have half of it. Default: 2000"),
    cooldownSeconds: seconds("No further change for so long. Default: 600"),
  })
  .check(rule("self.min <= self.max", { message: "min must not exceed max", fieldPath: ".min" }))
  .check(
    rule("self.min % 2 == 1 && self.max % 2 == 1", {
      message:
        "min and max must be odd: an even member more than the odd number before it survives no further failure",
    }),
  )
  .optional()
  .describe("Sets the number of members by their load, in place of replicas");

const member = z.object({
  name: z.string().describe("Name of the member and of its pod"),
  id: z.string().optional().describe("ID that etcd gave the member, in hexadecimal"),
  role: z
    .enum(["Leader", "Follower", "Learner", "Unknown"])
    .describe("Role of the member; Unknown while it does not answer"),
  healthy: z.boolean().describe("Whether the member answers and follows the leader"),
  version: z.string().optional().describe("Version of etcd that the member runs"),
  dbSize: z.int().optional().describe("Size of its database in bytes"),
  dbSizeInUse: z
    .int()
    .optional()
    .describe("Bytes in use of its database; the rest is free after defragmentation"),
  node: z.string().optional().describe("Node that its pod runs on"),
  alarms: z.array(z.string().max(32)).max(4).optional().describe("NOSPACE or CORRUPT, while it is raised"),
  problem: z.string().optional().describe("Why the member is not healthy"),
  unhealthySince: instant.optional().describe("Since when the member is not healthy"),
});

export const EtcdCluster = defineResource({
  group,
  version: apiVersion,
  kind: "EtcdCluster",
  plural: "etcdclusters",
  singular: "etcdcluster",
  shortNames: ["etcd"],
  spec: z
    .object({
      replicas: z.int32().min(1).max(7).default(3).describe("Members: 1, 3, 5 or 7"),
      storage: kube
        .quantity()
        .optional()
        .describe(`Size of each member's volume. Default: ${defaultStorage}`),
      storageSpec,
      version: z
        .string()
        .max(32)
        .regex(/^[0-9]+\.[0-9]+\.[0-9]+$/, "must be three numbers, such as 3.5.30")
        .default(defaultVersion)
        .describe("Version of etcd. Changed by one minor version at a time, never back"),
      image: z
        .string()
        .max(1024)
        .regex(/^\S+$/)
        .optional()
        .describe(
          `Container image of etcd; without a tag, v and the version is added. Default: ${defaultImage}`,
        ),
      resources: resourceRequirements().optional().describe("Resources of each member"),
      podTemplate: podTemplate(),
      etcdOptions,
      tls: z
        .object({
          client: tlsSide("TLS between clients and members; clients need a certificate"),
          peer: tlsSide("TLS between members"),
          certificateLifetimeSeconds: seconds(
            "Lifetime of certificates that the operator makes. Default: 90 days",
          ),
        })
        .optional()
        .describe("TLS of clients and members; it cannot be turned on or off later"),
      paused: z
        .boolean()
        .optional()
        .describe(
          "Changes nothing while true, except that certificates are renewed; status is still written",
        ),
      // A new member is unhealthy until it has started: with less it would be replaced for ever.
      failureGraceSeconds: z
        .int32()
        .min(10)
        .optional()
        .describe(
          "How long a member may be unhealthy before it is replaced, if its data may still be there. Default: 300",
        ),
      autoscaling,
      backup: backupSchedule,
      restoreFrom: snapshotSource("An EtcdBackup")
        .optional()
        .check(immutable())
        .describe("A new cluster begins with this snapshot; see EtcdRestore"),
    })
    .describe("The desired members, their storage, version and certificates"),
  status: z
    .object({
      observedGeneration: z.int().optional().describe("The generation of the spec that this status is about"),
      phase: z
        .enum([
          "Creating",
          "Running",
          "Scaling",
          "Upgrading",
          "Updating",
          "Replacing",
          "Degraded",
          "QuorumLost",
          "Paused",
        ])
        .optional()
        .describe("What the operator does with the cluster at the moment, in one word"),
      step: z.string().optional().describe("What is done at the moment, or waited for"),
      clusterId: z
        .string()
        .optional()
        .describe("Set once the first member has started; from then on no other cluster is begun"),
      replicas: z.int32().optional().describe("Voting members"),
      readyReplicas: z.int32().optional().describe("Healthy voting members"),
      desiredReplicas: z.int32().optional().describe("What is aimed at: odd, and within autoscaling"),
      ready: z.string().optional().describe("Healthy members, of those desired, such as 3/3"),
      selector: z.string().optional().describe("Selects the pods; for the scale subresource"),
      leader: z.string().optional().describe("Name of the member that leads"),
      currentVersion: z
        .string()
        .optional()
        .describe("The lowest version that a member runs, or was started as where it does not answer"),
      targetVersion: z.string().optional().describe("Version that all members are to run"),
      clientEndpoint: z.string().optional().describe("URL of the Service that clients connect to"),
      members: z.array(member).optional().describe("Each member as it last answered"),
      lastScaleTime: instant.optional().describe("When autoscaling last changed the number of members"),
      load: z
        .object({
          readsPerSecond: z.int().optional().describe("Reads of all members together, per second"),
          measuredAt: instant.optional().describe("When the counters were read"),
          counters: kube
            .map(z.number(), { maxProperties: 16 })
            .optional()
            .describe("Reads that each member has counted since its start"),
        })
        .optional()
        .describe("The load of the members, as autoscaling measures it"),
      lastBackup: z.string().optional().describe("Name of the EtcdBackup that last succeeded"),
      lastBackupTime: instant.optional().describe("When that backup was completed"),
      recoveredBy: z
        .string()
        .optional()
        .describe("The value of the recovery annotation that was last carried out"),
      conditions: conditions().describe(
        "Available: a quorum answers. Progressing: a step is under way. Degraded: something is wrong. QuorumLost, BackupOverdue, Simulated",
      ),
    })
    .describe("The members as they last answered, and what the operator does"),
  rules: [
    ...(["client", "peer"] as const).map((side) =>
      rule(
        `(has(self.spec.tls) && has(self.spec.tls.${side})) == (has(oldSelf.spec.tls) && has(oldSelf.spec.tls.${side}))`,
        {
          message: `TLS cannot be turned on or off later: restore a backup into a new cluster (spec.tls.${side})`,
        },
      ),
    ),
    rule(
      "oldSelf.hasValue() || self.metadata.name.size() <= 40 && self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",
      {
        optionalOldSelf: true,
        message:
          "the name is also that of Services and pods: lower-case letters, digits and dashes, a letter first, at most 40",
      },
    ),
  ],
  scale: { spec: ".spec.replicas", status: ".status.replicas", selector: ".status.selector" },
  columns: {
    Ready: ".status.ready",
    Version: ".status.currentVersion",
    Phase: ".status.phase",
    Leader: ".status.leader",
    Endpoint: { path: ".status.clientEndpoint", priority: 1 },
    Step: { path: ".status.step", priority: 1 },
  },
});

export type EtcdCluster = ObjectOf<typeof EtcdCluster>;
