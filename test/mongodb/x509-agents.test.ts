// The agent of backups and the exporter in a set that takes certificates alone, over the wire: each logs in with its own, and may do its
// work and nothing else. One suite against the model of mongod, and against real mongod where there is one.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { type AgentFolders, runTask } from "../../operators/mongodb/src/backup/agent.js";
import type { AgentTask } from "../../operators/mongodb/src/backup/agent-task.js";
import type { AgentLogin } from "../../operators/mongodb/src/client/login-files.js";
import { errorCodes, type MongoMember } from "../../operators/mongodb/src/client/mongo-member.js";
import {
  authority,
  loginOf,
  type Pair,
  pairOf,
  userPair,
} from "../../operators/mongodb/src/controllers/fixtures/certificates.js";
import { startExporter } from "../../operators/mongodb/src/exporter/exporter.js";
import { implementations, skipWithoutMongod } from "./implementations.js";
import { eventually, type Members, setName } from "./members.js";

skipWithoutMongod();

const majority = { w: "majority", wtimeout: 10_000 };
const yesterday = Date.now() - 86_400_000;
const refused = { code: errorCodes.unauthorized };

describe.each(implementations)("agents with certificates, with %s", { timeout: 60_000 }, (_name, make) => {
  const folder = mkdtempSync(join(tmpdir(), "kubewright-mongodb-x509-agents-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const ca = authority("test", yesterday);
  const client = { ca: ca.certificate, certificate: undefined, key: undefined };
  const pairs = {
    operator: userPair(ca, "operator", yesterday),
    backup: userPair(ca, "backup", yesterday),
    exporter: userPair(ca, "exporter", yesterday),
  };
  const whoIs = (pair: Pair): AgentLogin => ({ user: loginOf(pair).user, db: "$external" });

  /** A folder with files in it, as a Secret is mounted. */
  function mounted(name: string, files: Readonly<Record<string, string>> = {}): string {
    const own = join(folder, name);
    mkdirSync(own, { recursive: true });
    for (const [file, text] of Object.entries(files)) writeFileSync(join(own, file), text);
    return own;
  }
  const loginFolder = (name: string, { certificate, key }: Pair): string =>
    mounted(name, { "tls.crt": certificate, "tls.key": key });

  interface World {
    readonly members: Members;
    readonly host: string;
    readonly as: (pair: Pair) => Promise<MongoMember>;
  }

  /** A set of one member that takes certificates alone, with the three users. */
  async function begun(): Promise<World> {
    const members = make();
    const hosts = ["localhost", "127.0.0.1"];
    const own = pairOf(ca, { commonName: "member", hosts, notBefore: yesterday });
    const files = mounted("member", {
      "server.pem": `${own.certificate}${own.key}`,
      "ca.crt": ca.certificate,
    });
    const tls = {
      mode: "requireTLS",
      certificateKeyFile: join(files, "server.pem"),
      caFile: join(files, "ca.crt"),
    };
    await members.start("a", { tls, mechanisms: "MONGODB-X509" });
    const host = await members.host("a");
    const inside = await members.as("a", undefined, client);
    await inside.command("admin", { replSetInitiate: { _id: setName, members: [{ _id: 0, host }] } });
    const user = (pair: Pair, role: string) => ({
      createUser: loginOf(pair).user,
      roles: [{ role, db: "admin" }],
      writeConcern: majority,
    });
    await eventually(() => inside.command("$external", user(pairs.operator, "root")));
    const as = (pair: Pair) => members.as("a", loginOf(pair), client);
    const operator = await as(pairs.operator);
    await operator.command("$external", user(pairs.backup, "backup"));
    await operator.command("$external", user(pairs.exporter, "clusterMonitor"));
    return { members, host, as };
  }

  test("a backup is taken with a certificate that may only read, and restored by content", async () => {
    const { members, host, as } = await begun();
    try {
      const operator = await as(pairs.operator);
      const documents = Array.from({ length: 250 }, (_, each) => ({
        _id: 1_000 + each,
        text: `number ${each}`,
      }));
      await operator.command("shop", { insert: "x", documents, writeConcern: majority });
      const indexes = [{ key: { text: 1 }, name: "text_1" }];
      await operator.command("shop", { createIndexes: "x", indexes, writeConcern: majority });
      const run = (pair: Pair, task: object) => {
        const at = {
          login: loginFolder("login", pair),
          tls: mounted("tls", { "ca.crt": ca.certificate }),
          scratch: mounted("scratch"),
          snapshots: mounted("snapshots"),
          credentials: mounted("credentials"),
        };
        const common = { store: { kind: "claim", folder: "db" }, file: "one.backup.gz", hosts: [host] };
        const given = { ...common, isSecure: true, timeout: 20_000, login: whoIs(pair), ...task };
        return runTask(given as unknown as AgentTask, at as unknown as AgentFolders);
      };
      const taken = await run(pairs.backup, { kind: "backup", replicaSet: setName, retention: undefined });
      expect(taken).toMatchObject({ databases: 1, collections: 1 });
      const { sha256 } = taken;
      await operator.command("shop", { drop: "x", writeConcern: majority });
      const restore = { kind: "restore", sha256, replace: false };
      // The agent of backups cannot write, and says so.
      await expect(run(pairs.backup, { ...restore, timeout: 3_000 })).rejects.toThrow(/not authorized/i);
      expect(await run(pairs.operator, restore)).toMatchObject({ collections: 1, documents: 250, users: 0 });
      const { cursor } = await operator.command("shop", { find: "x", sort: { _id: 1 }, batchSize: 1_000 });
      expect((cursor as { firstBatch: unknown }).firstBatch).toEqual(documents);
      const listed = await operator.command("shop", { listIndexes: "x" });
      expect(listed).toMatchObject({ cursor: { firstBatch: [{ name: "_id_" }, indexes[0]] } });
      const agent = await as(pairs.backup);
      const insert = { insert: "x", documents: [{ _id: 1 }] };
      await expect(agent.command("shop", insert)).rejects.toMatchObject(refused);
      await expect(
        agent.command("admin", { createUser: "more", pwd: "secret", roles: ["root"] }),
      ).rejects.toMatchObject(refused);
    } finally {
      await members.close();
    }
  });

  test("metrics are read with a certificate that may only look, and with its successor as soon as it is mounted", async () => {
    const { members, host, as } = await begun();
    const folders = {
      login: loginFolder("exporter", pairs.exporter),
      tls: mounted("exporter-tls", { "ca.crt": ca.certificate }),
      readers: mounted("readers", { password: "secret" }),
      serving: mounted("serving"),
    };
    const settings = {
      replicaSet: setName,
      hosts: [host],
      isSecure: true,
      login: whoIs(pairs.exporter),
      port: 0,
      path: "/metrics",
      username: "prometheus",
      isServedWithTls: false,
    };
    const exporter = await startExporter(settings, folders);
    const scraped = async () => {
      const authorization = `Basic ${Buffer.from("prometheus:secret").toString("base64")}`;
      const url = `http://127.0.0.1:${exporter.port}/metrics`;
      return (await fetch(url, { headers: { authorization } })).text();
    };
    try {
      const isUp = (text: string) => /mongodb_up\{set="rs",member="127"\} 1\n/.test(text);
      const text = await scraped();
      expect(isUp(text), text).toBe(true);
      expect(text).toContain('mongodb_mongod_replset_number_of_members{set="rs"} 1\n');
      loginFolder("exporter", userPair(ca, "nobody", yesterday));
      expect(isUp(await scraped())).toBe(false);
      loginFolder("exporter", userPair(ca, "exporter", yesterday));
      expect(isUp(await scraped())).toBe(true);
      const looker = await as(pairs.exporter);
      await expect(looker.command("shop", { find: "x" })).rejects.toMatchObject(refused);
    } finally {
      await exporter.close();
      await members.close();
    }
  });
});
