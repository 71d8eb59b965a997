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
      db: z.string().max(63).optional(),
      collection: z.string().max(255).optional(),
      cluster: z.boolean().optional(),
      anyResource: z.boolean().optional(),
    })
    .describe("A database and collection, the cluster, or anything"),
  actions: z.array(z.string().max(64)).max(256),
});

const customRole = z.object({
  role: z.string().min(1).max(128),
  db: z.string().min(1).max(63),
  privileges: z.array(privilege).max(256),
  roles: z.array(roleOfUser).max(64).optional().describe("Roles whose privileges it has, too"),
  authenticationRestrictions: z
    .array(
      z.object({
        clientSource: z.array(z.string().max(64)).max(64),
        serverAddress: z.array(z.string().max(64)).max(64),
      }),
    )
    .max(16)
    .optional(),
});

const user = z.object({
  name: z.string().min(1).max(256),
  db: z
    .string()
    .min(1)
    .max(63)
    .optional()
    .describe(`The database the user logs in with. Default: ${defaultUserDatabase}`),
  passwordSecretRef: z
    .object({
      name: objectName,
      key: z.string().max(253).optional().describe(`Default: ${defaultKeyOfPassword}`),
    })
    .optional()
    .describe(
      "The Secret with the password. It may be deleted once the user is there. Not for users of $external",
    ),
  roles: z.array(roleOfUser).max(64),
  scramCredentialsSecretName: objectName
    .optional()
    .describe("The Secret NAME-scram-credentials gets what the password became"),
  connectionStringSecretName: objectName
    .optional()
    .describe("The Secret that gets the user's connection strings. Default: CLUSTER-DATABASE-USER"),
});

const tls = z
  .object({
    enabled: z.boolean(),
    optional: z.boolean().optional().describe("Connections without TLS are accepted, too"),
    certificateKeySecretRef: z
      .object({ name: objectName })
      .optional()
      .describe("A Secret with tls.crt and tls.key for the members, as cert-manager makes it"),
    caConfigMapRef: z
      .object({ name: objectName })
      .optional()
      .describe("A ConfigMap with ca.crt. Default: ca.crt of the Secret with the certificate"),
  })
  .optional();

export const defaultPrometheusPort = 9216;
export const defaultMetricsPath = "/metrics";

const prometheus = z
  .object({
    username: z
      .string()
      .min(1)
      .max(256)
      .describe("Whoever reads the metrics logs in with, by HTTP basic authentication"),
    passwordSecretRef: z
      .object({
        name: objectName,
        key: z.string().max(253).optional().describe(`Default: ${defaultKeyOfPassword}`),
      })
      .describe("The Secret with the password"),
    port: z.int32().min(1).max(65_535).optional().describe(`Default: ${defaultPrometheusPort}`),
    metricsPath: z
      .string()
      .max(128)
      .regex(/^\/[a-z0-9]+$/)
      .optional()
      .describe(`Default: ${defaultMetricsPath}`),
    tlsSecretKeyRef: z
      .object({ name: objectName, key: z.string().max(253).optional().describe("Not used") })
      .optional()
      .describe("A Secret with tls.crt and tls.key. Default: metrics are served without TLS"),
  })
  .optional()
  .describe("Serves the metrics of all members for Prometheus");

const member = z.object({
  name: z.string(),
  host: z.string().optional(),
  state: z.string().describe("As MongoDB calls it: PRIMARY, SECONDARY, STARTUP2, …"),
  healthy: z.boolean(),
  voting: z.boolean().optional(),
  version: z.string().optional(),
  node: z.string().optional(),
  problem: z.string().optional(),
  unhealthySince: instant.optional(),
});

export const MongoDBCommunity = defineResource({
  group,
  version: apiVersion,
  kind: "MongoDBCommunity",
  plural: "mongodbcommunity",
  singular: "mongodbcommunity",
  shortNames: ["mdbc"],
  spec: z.object({
    members: z.int32().min(1).max(50).optional().describe("Members with data. Default: 1"),
    type: z.enum(["ReplicaSet"]),
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
    security: z.object({
      authentication: z
        .object({
          modes: z
            .array(z.enum(["SCRAM", "SCRAM-SHA-1", "SCRAM-SHA-256", "X509"]))
            .max(4)
            .describe("SCRAM stands for SCRAM-SHA-256"),
        })
        .optional(),
      tls,
      roles: z.array(customRole).max(64).optional().describe("Roles to be made"),
    }),
    users: z.array(user).max(128),
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
  }),
  status: z.object({
    observedGeneration: z.int().optional(),
    mongoUri: z.string().optional(),
    phase: z.enum(["Running", "Failed", "Pending"]).optional(),
    message: z.string().optional(),
    step: z.string().optional().describe("What is done at the moment, or waited for"),
    currentStatefulSetReplicas: z.int32().optional(),
    currentMongoDBMembers: z.int32().optional(),
    currentStatefulSetArbitersReplicas: z.int32().optional(),
    currentMongoDBArbiters: z.int32().optional(),
    version: z.string().optional().describe("The lowest version that a member runs"),
    featureCompatibilityVersion: z.string().optional(),
    replicaSetId: z
      .string()
      .optional()
      .describe("Set once the replica set was initiated; from then on no other is initiated"),
    primary: z.string().optional(),
    ready: z.string().optional(),
    members: z.array(member).optional(),
    forcedBy: z
      .string()
      .optional()
      .describe("The value of the annotation for a forced reconfiguration, once done"),
    lastBackup: z.string().optional().describe("The last scheduled backup that succeeded"),
    lastBackupTime: instant.optional(),
    lastBackupSize: z.int().optional().describe("In bytes"),
    nextBackupTime: instant.optional(),
    failedBackups: z
      .int32()
      .optional()
      .describe("Scheduled backups that have failed since the last one that succeeded"),
    conditions: conditions(),
  }),
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
