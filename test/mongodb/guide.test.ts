// The objects of docs/operators/mongodb.md for a set that takes certificates alone, in virtual time on the model of mongod: a CA of the test
// issues what cert-manager would.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Deployment, PersistentVolumeClaim, Secret } from "@kubewright/api";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { MongoDBBackup } from "../../operators/mongodb/src/api/v1/mongo-db-backup.js";
import { MongoDBCommunity } from "../../operators/mongodb/src/api/v1/mongo-db-community.js";
import { authority, pairOf } from "../../operators/mongodb/src/controllers/fixtures/certificates.js";
import { MongoWorld } from "../../operators/mongodb/src/controllers/fixtures/mongo-world.js";
import { blocksOf, repository } from "../docs/page-runner.js";

interface Certificate {
  readonly secretName: string;
  readonly commonName: string;
  readonly subject: { readonly organizations: readonly string[] };
  readonly dnsNames?: readonly string[];
  readonly usages: readonly string[];
}

const guide = readFileSync(join(repository, "docs/operators/mongodb.md"), "utf8");
const section = /\n### Certificates alone\n([\s\S]*?)\n##+ /.exec(guide)?.[1] ?? "";
const objects = blocksOf(section)
  .filter(({ info }) => info === "yaml")
  .flatMap(({ text }) => parseAllDocuments(text).map((document) => document.toJS()));

test("docs/operators/mongodb.md: a set that takes certificates alone is ready, backed up and measured with its certificates", async () => {
  await using w = await MongoWorld.start();
  const ca = authority();
  const certificates: Certificate[] = objects
    .filter(({ kind }) => kind === "Certificate")
    .map(({ spec }) => spec);
  expect(certificates).toHaveLength(4);
  for (const { secretName, commonName, subject, dnsNames: hosts = [], usages } of certificates) {
    const { certificate, key } = pairOf(ca, { commonName, hosts, usages, ...subject });
    const stringData = { "tls.crt": certificate, "tls.key": key, "ca.crt": ca.certificate };
    await w.cluster.create(Secret, { name: secretName, stringData } as never);
  }
  await w.secret("metrics-password", "secret");
  await w.cluster.create(PersistentVolumeClaim, {
    name: "backups",
    spec: { accessModes: ["ReadWriteMany"], resources: { requests: { storage: "1Gi" } } },
  });
  const { metadata, spec } = objects.find(({ kind }) => kind === "MongoDBCommunity");
  const { name } = metadata;
  await w.cluster.create(MongoDBCommunity, { name, spec });
  await w.cluster.eventually(
    MongoDBCommunity,
    name,
    ({ status }) => status?.phase === "Running" && status.ready === "3/3" && status.step === undefined,
    { timeout: "20m" },
  );
  await w.cluster.get(Deployment, `${name}-exporter`);
  const { target } = spec.backup;
  await w.cluster.create(MongoDBBackup, { name: "now", spec: { clusterName: name, target } });
  const { status } = await w.cluster.eventually(
    MongoDBBackup,
    "now",
    (backup) => backup.status?.completionTime !== undefined,
  );
  expect(status).toMatchObject({ phase: "Succeeded" });
});
