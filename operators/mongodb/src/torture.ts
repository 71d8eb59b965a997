// What `kubewright torture` does to this operator: with models in place of mongod and of agents, which live on while the operator crashes.
import { type Clock, systemClock } from "@kubewright/api";
import { objectsScenario, type TortureSettings } from "@kubewright/testing";
import { mongoManager } from "./manager.js";
import { ModelledMongo } from "./model/modelled-mongo.js";

const password = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "my-user-password" },
  stringData: { password: "change-me-please" },
};
const database = {
  apiVersion: "mongodb.com/v1",
  kind: "MongoDBCommunity",
  metadata: { name: "db" },
  spec: {
    members: 1,
    type: "ReplicaSet",
    version: "7.0.14",
    storage: "1Gi",
    security: { authentication: { modes: ["SCRAM"] } },
    users: [
      {
        name: "my-user",
        db: "admin",
        passwordSecretRef: { name: "my-user-password" },
        roles: [{ name: "readWriteAnyDatabase", db: "admin" }],
      },
    ],
  },
};
const claim = {
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: "backups" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
};
const backup = {
  apiVersion: "mongodb.com/v1",
  kind: "MongoDBBackup",
  metadata: { name: "one" },
  spec: { clusterName: "db", target: { claim: { claimName: "backups" } } },
};
const restore = {
  apiVersion: "mongodb.com/v1",
  kind: "MongoDBRestore",
  metadata: { name: "back" },
  spec: { clusterName: "db", source: { backupName: "one" } },
};
const metrics = { username: "prometheus", passwordSecretRef: { name: "my-user-password" } };

const agentImage = async () => "mongodb-operator:test";
const outside = (_now: () => number, clock: () => Clock) => {
  const access = new ModelledMongo({ clock, random: () => 0.5, catchUp: 2_000 });
  return () => mongoManager({ access, image: "mongo", agentImage });
};

export default {
  manager: outside(
    () => 0,
    () => systemClock,
  )(),
  outside,
  nodes: 3,
  rest: "5m",
  scenario: {
    ...objectsScenario([password, database, claim, backup, restore], {
      changed: [{ ...database, spec: { ...database.spec, members: 3, prometheus: metrics } }],
      isDeleted: ({ kind }) => kind !== "Secret" && kind !== "PersistentVolumeClaim",
    }),
    // A backup and a restore happen once, and what they find is a matter of the past: walks are about the replica set.
    objects: [password, database],
  },
  ignore: [
    // Keys, passwords and what follows from them are drawn at random, and ids are MongoDB's.
    "Secret.data",
    "MongoDBCommunity.status.replicaSetId",
    // The file holds times, and users that may be made before it is written or after.
    "MongoDBBackup.status.sha256",
    "MongoDBBackup.status.size",
    "MongoDBBackup.status.clusterTime",
    "MongoDBBackup.status.documents",
  ],
  // The only pods that the operator makes itself are agents. Somebody who deletes one has ended its backup or restore, which fails and says so.
  oneShots: ["Pod"],
  // Who leads, which versions may follow each other, and which volumes, users and votes there were, is a matter of the past: a spec that is
  // refused or paused leaves them as they are.
  byHistory: [
    "MongoDBCommunity.status",
    "StatefulSet",
    "Pod",
    "PersistentVolumeClaim",
    "PodDisruptionBudget",
    "Secret",
  ],
} satisfies TortureSettings;
