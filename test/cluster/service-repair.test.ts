// States that no API server would make, as files and other clusters bring them: two Services with one address and one port.
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { IPAddress, Service } from "@kubewright/api";
import { expect, test } from "vitest";
import { VirtualCluster } from "./virtual-cluster.js";

const namespace = "default";
const service = (name: string, nodePort?: number): Service => ({
  metadata: { name, namespace },
  spec: { type: "NodePort", ports: [{ port: 80, protocol: "TCP", ...(nodePort ? { nodePort } : {}) }] },
});

/** Changes the text of a snapshot, which stays a whole one. */
function rewrite(file: string, change: (text: string) => string): void {
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  const body = `${change(lines.slice(0, -1).join("\n"))}\n`;
  const end = { ...JSON.parse(lines.at(-1) ?? ""), sha256: createHash("sha256").update(body).digest("hex") };
  writeFileSync(file, `${body}${JSON.stringify(end)}\n`);
}

test("an address and a port that two Services have are told of, and stay taken until both are gone", async () => {
  const directory = mkdtempSync(join(tmpdir(), "kubewright-repair-"));
  const file = join(directory, "cluster.snapshot");
  const address = await (async () => {
    await using before = await VirtualCluster.start();
    const one = await before.client.create(Service, service("one", 30_001));
    const two = await before.client.create(Service, service("two", 30_002));
    await before.client.create(Service, service("three", 30_003));
    await before.rest();
    before.cluster.snapshot(file);
    const [its, others] = [one.spec?.clusterIP ?? "", two.spec?.clusterIP ?? ""];
    rewrite(file, (text) => {
      const same = text.replaceAll(`"${others}"`, `"${its}"`).replaceAll("30002", "30001");
      // The object that stood for the second address is a copy of the first one's now.
      return same.replaceAll("30003", "20003");
    });
    return its;
  })();
  await using cluster = await VirtualCluster.start({ restore: file });
  rmSync(directory, { recursive: true });
  await cluster.clock.advance(10_000);
  expect((await cluster.events("Service")).toSorted()).toEqual([
    `ClusterIPAlreadyAllocated: Cluster IP [IPv4]:${address} was assigned to multiple services; please recreate service`,
    "PortAlreadyAllocated: Port 30001 was assigned to multiple services; please recreate service",
    "PortOutOfRange: Port 20003 is not within the port range 30000-32767; please recreate service",
  ]);
  await cluster.client.delete(Service, "one", { namespace });
  const taken = cluster.client.create(Service, service("four", 30_001));
  await expect(taken).rejects.toThrow("provided port is already allocated");
  await cluster.clock.advance(10_000);
  expect((await cluster.client.get(IPAddress, address)).spec?.parentRef).toMatchObject({ name: "two" });
  await cluster.client.delete(Service, "two", { namespace });
  await cluster.client.create(Service, service("four", 30_001));
});

test("an address outside of every range is told of", async () => {
  const directory = mkdtempSync(join(tmpdir(), "kubewright-repair-"));
  const file = join(directory, "cluster.snapshot");
  await (async () => {
    await using before = await VirtualCluster.start();
    const one = await before.client.create(Service, service("one"));
    await before.rest();
    before.cluster.snapshot(file);
    rewrite(file, (text) => text.replaceAll(`"${one.spec?.clusterIP}"`, '"10.200.0.1"'));
  })();
  await using cluster = await VirtualCluster.start({ restore: file });
  rmSync(directory, { recursive: true });
  await cluster.clock.advance(10_000);
  expect(await cluster.events("Service")).toEqual([
    "ClusterIPOutOfRange: Cluster IP [IPv4]: 10.200.0.1 is not within any configured Service CIDR; please recreate service",
  ]);
});

test("an address that was made to stand for something else goes at once", async () => {
  await using cluster = await VirtualCluster.start();
  const labels = {
    "ipaddress.kubernetes.io/ip-family": "IPv4",
    "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
  };
  const parentRef = { group: "apps", resource: "deployments", namespace, name: "web" };
  await cluster.client.create(IPAddress, { metadata: { name: "10.96.9.9", labels }, spec: { parentRef } });
  await cluster.rest();
  await expect(cluster.client.get(IPAddress, "10.96.9.9")).rejects.toMatchObject({ code: 404 });
  expect(await cluster.events("IPAddress")).toEqual([
    "IPAddressNotAllocated: IPAddress 10.96.9.9 appears to have been modified, not referencing a Service " +
      "&ParentReference{Group:apps,Resource:deployments,Namespace:default,Name:web,}: cleaning up",
  ]);
});
