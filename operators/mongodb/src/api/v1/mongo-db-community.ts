// A MongoDB replica set: how many members of which version, who may log in, and what the members report. Compatible with the custom
// resource of version 0.5.0 of MongoDB's community operator; fields beyond it are optional.
import type { ObjectOf } from "@kubewright/api";
import { backupSchedule } from "@kubewright/runtime/backup";
import { conditions, defineResource, kube, rule, z } from "@kubewright/schema";

export const group = "mongodb.com";
export const apiVersion = "v1";

/** The size of a member's volume where nothing names another. */
export const defaultStorage = "10G";
export const defaultKeyOfPassword = "password";
export const defaultUserDatabase = "admin";
/** The Secret with the operator's certificate where nothing names another. */
export const defaultAgentSecret = "agent-certs";
/** The same for the agents of backups, and for the exporter. */
export const defaultBackupSecret = "backup-certs";
export const defaultExporterSecret = "exporter-certs";

const instant = z.string().max(40);
const objectName = z
  .string()
  .max(253)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/);

const roleOfUser = z.object({
  name: z.string().max(128).describe("A role of MongoDB, or one of security.roles"),
  db: z.string().max(63).describe("The database the role is of"),
});

const privilege = z.object({
  resource: z
    .object({
      db: z.string().max(63).optional().describe("A database; empty for all"),
      collection: z.string().max(255).optional().describe("A collection of it; empty for all"),
      cluster: z.boolean().optional().describe("The cluster itself, for actions on it"),
      anyResource: z.boolean().optional().describe("Everything; MongoDB uses it internally"),
    })
    .describe("A database and collection, the cluster, or anything"),
  actions: z
    .array(z.string().max(64))
    .max(256)
    .describe("Actions of MongoDB that are allowed on it, such as find"),
});

const customRole = z.object({
  role: z.string().min(1).max(128).describe("Name of the role"),
  db: z.string().min(1).max(63).describe("Database that the role belongs to"),
  privileges: z.array(privilege).max(256).describe("What the role allows"),
  roles: z.array(roleOfUser).max(64).optional().describe("Roles whose privileges it has, too"),
  authenticationRestrictions: z
    .array(
      z.object({
        clientSource: z
          .array(z.string().max(64))
          .max(64)
          .describe("Addresses or ranges that clients must have"),
        serverAddress: z
          .array(z.string().max(64))
          .max(64)
          .describe("Addresses or ranges of the server that clients must connect to"),
      }),
    )
    .max(16)
    .optional()
    .describe("From where users with the role may log in. Default: from anywhere"),
});

const user = z.object({
  name: z.string().min(1).max(256).describe("Name of the user"),
  db: z
    .string()
    .min(1)
    .max(63)
    .optional()
    .describe(`The database the user logs in with. Default: ${defaultUserDatabase}`),
  passwordSecretRef: z
    .object({
      name: objectName.describe("Name of the Secret"),
      key: z.string().max(253).optional().describe(`Key of the Secret. Default: ${defaultKeyOfPassword}`),
    })
    .optional()
    .describe(
      "The Secret with the password. It may be deleted once the user is there. Not for users of $external",
    ),
  roles: z.array(roleOfUser).max(64).describe("Roles of the user"),
  scramCredentialsSecretName: objectName
    .optional()
    .describe("The Secret NAME-scram-credentials gets what the password became"),
  connectionStringSecretName: objectName
    .optional()
    .describe("The Secret that gets the user's connection strings. Default: CLUSTER-DATABASE-USER"),
});

const tls = z
  .object({
    enabled: z.boolean().describe("Whether members use TLS, among each other and with clients"),
    optional: z.boolean().optional().describe("Connections without TLS are accepted, too"),
    certificateKeySecretRef: z
      .object({ name: objectName.describe("Name of the Secret") })
      .optional()
      .describe("A Secret with tls.crt and tls.key for the members, as cert-manager makes it"),
    caConfigMapRef: z
      .object({ name: objectName.describe("Name of the ConfigMap") })
      .optional()
      .describe("A ConfigMap with ca.crt. Default: ca.crt of the Secret with the certificate"),
    caCertificateSecretRef: z
      .object({ name: objectName.describe("Name of the Secret") })
      .optional()
      .describe("A Secret with ca.crt, in place of a ConfigMap"),
  })
  .optional()
  .describe("TLS of members and clients; it can be turned on and off later");

export const defaultPrometheusPort = 9216;
export const defaultMetricsPath = "/metrics";

const prometheus = z
  .object({
    username: z.string().min(1).max(256).describe("User name for HTTP basic authentication"),
    passwordSecretRef: z
      .object({
        name: objectName.describe("Name of the Secret"),
        key: z.string().max(253).optional().describe(`Key of the Secret. Default: ${defaultKeyOfPassword}`),
      })
      .describe("The Secret with the password"),
    port: z
      .int32()
      .min(1)
      .max(65_535)
      .optional()
      .describe(`Port of the metrics. Default: ${defaultPrometheusPort}`),
    metricsPath: z
      .string()
      .max(128)
      .regex(/^\/[a-z0-9]+$/)
      .optional()
      .describe(`Path of the metrics. Default: ${defaultMetricsPath}`),
    tlsSecretKeyRef: z
      .object({
        name: objectName.describe("Name of the Secret"),
        key: z.string().max(253).optional().describe("Not used"),
      })
      .optional()
      .describe("A Secret with tls.crt and tls.key. Default: metrics are served without TLS"),
  })
  .optional()
  .describe("Serves the metrics of all members for Prometheus");

const member = z.object({
  name: z.string().describe("Name of the member and of its pod"),
  host: z.string().optional().describe("Host and port of the member in the replica set"),
  state: z.string().describe("State of the member, as MongoDB calls it: PRIMARY, SECONDARY, STARTUP2, …"),
  healthy: z.boolean().describe("Whether the member answers and is in a state that serves"),
  voting: z.boolean().optional().describe("Whether the member votes in elections"),
  version: z.string().optional().describe("Version of MongoDB that the member runs"),
  node: z.string().optional().describe("Node that its pod runs on"),
  problem: z.string().optional().describe("Why the member is not healthy"),
  stuck: z.boolean().optional().describe("Whether it has been in a state that should pass for too long"),
  unhealthySince: instant.optional().describe("Since when the member is not healthy"),
  stateSince: instant.optional().describe("Since when the operator sees the member in its state"),
});

export const MongoDBCommunity = defineResource({
  group,
  version: apiVersion,
  kind: "MongoDBCommunity",
  plural: "mongodbcommunity",
  singular: "mongodbcommunity",
  shortNames: ["mdbc"],
  spec: z
    .object({
      members: z.int32().min(1).max(50).optional().describe("Members with data. Default: 1"),
      type: z.enum(["ReplicaSet"]).describe("The only type there is"),
      version: z
        .string()
        .max(32)
        .regex(/^[0-9]+\.[0-9]+\.[0-9]+$/, "must be three numbers, such as 4.2.6")
        .describe("Version of MongoDB. Changed by one release series at a time, never back"),
      featureCompatibilityVersion: z
        .string()
        .max(16)
        .regex(/^[0-9]+\.[0-9]+$/, "must be two numbers, such as 4.2")
        .optional()
        .describe("Set once all members run a version that has it. Default: left as it is"),
      arbiters: z.int32().min(0).max(7).optional().describe("Members that vote and hold no data. Default: 0"),
      replicaSetHorizons: z
        .array(kube.map(z.string().max(300), { maxProperties: 8 }))
        .max(50)
        .optional()
        .describe("The address of each member as seen from elsewhere, by a name for the place"),
      security: z
        .object({
          authentication: z
            .object({
              modes: z
                .array(z.enum(["SCRAM", "SCRAM-SHA-1", "SCRAM-SHA-256", "X509"]))
                .max(4)
                .describe(
                  "How users may log in; SCRAM stands for SCRAM-SHA-256, and users of X509 are of $external",
                ),
              agentMode: z
                .enum(["SCRAM", "SCRAM-SHA-1", "SCRAM-SHA-256", "X509"])
                .optional()
                .describe(
                  "How the operator logs in. Default: with a password, or with X509 where that is the only mode",
                ),
              agentCertificateSecretRef: z
                .object({ name: objectName.describe("Name of the Secret") })
                .optional()
                .describe(
                  `The Secret with tls.crt and tls.key that the operator logs in with. Default: ${defaultAgentSecret}`,
                ),
              backupCertificateSecretRef: z
                .object({ name: objectName.describe("Name of the Secret") })
                .optional()
                .describe(
                  `The Secret with tls.crt and tls.key that backups log in with where X509 is the only mode. Default: ${defaultBackupSecret}`,
                ),
              exporterCertificateSecretRef: z
                .object({ name: objectName.describe("Name of the Secret") })
                .optional()
                .describe(
                  `The Secret with tls.crt and tls.key that the exporter logs in with where X509 is the only mode. Default: ${defaultExporterSecret}`,
                ),
              internalCluster: z
                .enum(["X509"])
                .optional()
                .describe("X509: members know each other by their certificates. Default: by a key file"),
              ignoreUnknownUsers: z
                .boolean()
                .nullable()
                .optional()
                .describe("Users made by hand are left alone whatever it says"),
            })
            .optional()
            .describe("How users log in"),
          tls,
          roles: z.array(customRole).max(64).optional().describe("Roles to be made"),
        })
        .describe("Authentication, TLS and roles"),
      users: z.array(user).max(128).describe("Users to be made and kept"),
      statefulSet: z
        .object({
          spec: kube.opaque(kube.StatefulSetSpec).optional(),
          metadata: z
            .object({
              labels: kube.map(z.string().max(63), { maxProperties: 64 }).optional(),
              annotations: kube.map(z.string().max(4096), { maxProperties: 64 }).optional(),
            })
            .optional(),
        })
        .optional()
        .describe(
          "Merged over the StatefulSet by the rules of strategic merge; the container is called mongod",
        ),
      additionalMongodConfig: kube
        .opaque(z.record(z.string(), z.unknown()))
        .optional()
        .describe("Options of mongod's configuration file, nested or with dots"),
      storage: kube
        .quantity()
        .optional()
        .describe(`Size of each member's volume, which may grow later. Default: ${defaultStorage}`),
      backup: backupSchedule,
      prometheus,
      paused: z.boolean().optional().describe("Changes nothing while true; status is still written"),
    })
    .describe("The desired members, users, version and storage"),
  status: z
    .object({
      observedGeneration: z.int().optional().describe("The generation of the spec that this status is about"),
      mongoUri: z
        .string()
        .optional()
        .describe("Connection string of the replica set, without user and password"),
      phase: z
        .enum(["Running", "Failed", "Pending"])
        .optional()
        .describe("Running: all is as desired. Pending: a step is under way. Failed: something is refused"),
      message: z.string().optional().describe("Why the phase is not Running"),
      step: z.string().optional().describe("What is done at the moment, or waited for"),
      currentStatefulSetReplicas: z.int32().optional().describe("Replicas of the StatefulSet of members"),
      currentMongoDBMembers: z.int32().optional().describe("Members with data in the replica set"),
      currentStatefulSetArbitersReplicas: z
        .int32()
        .optional()
        .describe("Replicas of the StatefulSet of arbiters"),
      currentMongoDBArbiters: z.int32().optional().describe("Arbiters in the replica set"),
      version: z
        .string()
        .optional()
        .describe("The lowest version that a member runs; missing while none answers"),
      featureCompatibilityVersion: z
        .string()
        .optional()
        .describe("The feature compatibility version that is set"),
      replicaSetId: z
        .string()
        .optional()
        .describe("Set once the replica set was initiated; from then on no other is initiated"),
      primary: z.string().optional().describe("Name of the member that is primary"),
      ready: z.string().optional().describe("Healthy members, of those desired, such as 3/3"),
      members: z.array(member).optional().describe("Each member as it last answered"),
      forcedBy: z
        .string()
        .optional()
        .describe("The value of the annotation for a forced reconfiguration, once done"),
      lastBackup: z.string().optional().describe("The last scheduled backup that succeeded"),
      lastBackupTime: instant.optional().describe("When that backup was completed"),
      lastBackupSize: z.int().optional().describe("Size of that backup in bytes"),
      nextBackupTime: instant.optional().describe("When the next scheduled backup is due"),
      failedBackups: z
        .int32()
        .optional()
        .describe("Scheduled backups that have failed since the last one that succeeded"),
      conditions: conditions().describe(
        "Available: a primary is elected. Progressing: a step is under way. Degraded: something is wrong. MajorityLost, BackupOverdue, ExporterAvailable, Simulated",
      ),
    })
    .describe("The members as they last answered, and what the operator does"),
  rules: [
    rule(
      "oldSelf.hasValue() || self.metadata.name.size() <= 40 && self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",
      {
        optionalOldSelf: true,
        message:
          "the name is also that of Services and pods: lower-case letters, digits and dashes, a letter first, at most 40",
      },
    ),
  ],
  columns: {
    Phase: ".status.phase",
    Version: ".status.version",
    Ready: ".status.ready",
    Primary: { path: ".status.primary", priority: 1 },
    Step: { path: ".status.step", priority: 1 },
  },
});

export type MongoDBCommunity = ObjectOf<typeof MongoDBCommunity>;
