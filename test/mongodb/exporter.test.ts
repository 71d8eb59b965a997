// The exporter over the wire: the model of mongod on ports, MongoDB's driver, and somebody who reads the metrics as Prometheus does.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCertificateAuthority } from "@kubewright/api/x509";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningExporter, startExporter } from "../../operators/mongodb/src/exporter/exporter.js";
import type { ExporterSettings } from "../../operators/mongodb/src/exporter/exporter-settings.js";
import { exporterUser } from "../../operators/mongodb/src/replica-set/names.js";
import { eventually, ModelMembers, setName } from "./members.js";

describe("the exporter of MongoDB's metrics, on the model", { timeout: 30_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), "kubewright-mongodb-exporter-"));
  const folders = {
    login: join(folder, "login"),
    tls: join(folder, "tls"),
    readers: join(folder, "readers"),
    serving: join(folder, "serving"),
  };
  const members = new ModelMembers();
  let exporter: RunningExporter | undefined;
  let host: string;
  const settings: Omit<ExporterSettings, "hosts"> = {
    replicaSet: "db",
    isSecure: false,
    login: { user: exporterUser, db: "admin" },
    port: 0,
    path: "/metrics",
    username: "prometheus",
    isServedWithTls: false,
  };

  beforeAll(async () => {
    for (const each of Object.values(folders)) mkdirSync(each);
    writeFileSync(join(folders.login, "password"), "of the exporter");
    writeFileSync(join(folders.readers, "password"), "first\n");
    await members.start("a");
    host = await members.host("a");
    const inside = await members.as("a");
    await inside.command("admin", { replSetInitiate: { _id: setName, members: [{ _id: 0, host }] } });
    const admin = { user: "admin", db: "admin", password: "of the admin" };
    await eventually(() =>
      inside.command("admin", { createUser: admin.user, pwd: admin.password, roles: ["root"] }),
    );
    const primary = await members.as("a", admin);
    await primary.command("admin", {
      createUser: exporterUser,
      pwd: "of the exporter",
      roles: ["clusterMonitor"],
    });
    await primary.command("shop", { insert: "x", documents: [{ _id: 1 }] });
    exporter = await startExporter({ ...settings, hosts: [host, "127.0.0.1:1"] }, folders);
  });
  afterAll(async () => {
    await exporter?.close();
    await members.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const scrape = (login: string | undefined, path = "/metrics") =>
    fetch(`http://127.0.0.1:${exporter?.port}${path}`, {
      headers: login === undefined ? {} : { authorization: `Basic ${Buffer.from(login).toString("base64")}` },
    });

  test("a client with the password reads the metrics of every member, one that is away included", async () => {
    const response = await scrape("prometheus:first");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toContain("text/plain; version=0.0.4");
    const text = await response.text();
    const name = host.split(".")[0];
    expect(text).toContain(`mongodb_up{set="db",member="${name}"} 1\n`);
    expect(text).toContain('mongodb_up{set="db",member="127"} 0\n');
    expect(text).toMatch(/mongodb_op_counters_total\{set="db",member="127",type="insert"\} 1\n/);
    expect(text).toMatch(/mongodb_mongod_replset_member_state\{set="db",member="127",state="PRIMARY"\} 1\n/);
    expect(text).toContain('mongodb_mongod_replset_number_of_members{set="db"} 1\n');
    expect(text).not.toContain("of the exporter");
  });

  test.each([
    ["no login", undefined],
    ["another password", "prometheus:second"],
    ["another user", "somebody:first"],
    ["no password", "prometheus:"],
    ["no login that can be read", "\u0000"],
  ])("is refused with %s", async (_, login) => {
    const response = await scrape(login);
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toContain("Basic");
    expect(await response.text()).toBe("");
  });

  test("another password in the Secret counts at once, and the one before no longer", async () => {
    writeFileSync(join(folders.readers, "password"), "second");
    expect((await scrape("prometheus:first")).status).toBe(401);
    expect((await scrape("prometheus:second")).status).toBe(200);
    rmSync(join(folders.readers, "password"));
    expect((await scrape("prometheus:")).status).toBe(401);
    writeFileSync(join(folders.readers, "password"), "first");
  });

  test("the kubelet learns without a login that it is alive, and nothing else is served", async () => {
    expect(await (await scrape(undefined, "/healthz")).text()).toBe("ok\n");
    expect((await scrape("prometheus:first", "/other")).status).toBe(404);
  });

  test("metrics are served with TLS where a certificate is named", async () => {
    const life = { notBefore: Date.now() - 60_000, notAfter: Date.now() + 3_600_000 };
    const authority = createCertificateAuthority({ commonName: "test", ...life });
    const { certificate, key } = authority.issue({
      commonName: "exporter",
      hosts: ["127.0.0.1"],
      usage: "server",
      ...life,
    });
    await expect(startExporter({ ...settings, hosts: [], isServedWithTls: true }, folders)).rejects.toThrow(
      "needs tls.crt and tls.key",
    );
    writeFileSync(join(folders.serving, "tls.crt"), certificate);
    writeFileSync(join(folders.serving, "tls.key"), key);
    const secure = await startExporter({ ...settings, hosts: [host], isServedWithTls: true }, folders);
    try {
      const status = await new Promise((resolve, reject) => {
        const options = {
          port: secure.port,
          path: "/metrics",
          ca: authority.certificate,
          auth: "prometheus:first",
        };
        request({ host: "127.0.0.1", ...options }, (response) => resolve(response.resume().statusCode))
          .once("error", reject)
          .end();
      });
      expect(status).toBe(200);
    } finally {
      await secure.close();
    }
  });
});
