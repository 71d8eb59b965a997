import { EndpointSlice, Service, VirtualClock } from "@kubewright/api";
import { createApiServer } from "@kubewright/apiserver";
import { Client } from "@kubewright/client";
import { InformerPool } from "@kubewright/runtime";
import { expect, test } from "vitest";
import { ClusterNetwork } from "./cluster-network.js";
import type { NetworkTables } from "./network-tables.js";

const metadata = { name: "web", namespace: "default" };

test("a container may start when every Service that the API shows has been passed on", async () => {
  const clock = new VirtualClock();
  const server = createApiServer({ clock });
  const client = new Client({ transport: server.transport() });
  await client.create(Service, { metadata, spec: { clusterIP: "10.96.0.7", ports: [{ port: 80 }] } });
  await client.create(EndpointSlice, {
    metadata: { ...metadata, labels: { "kubernetes.io/service-name": "web" } },
    addressType: "IPv4",
    ports: [{ port: 8080 }],
    endpoints: [{ addresses: ["10.244.0.5"] }],
  });
  const sent: NetworkTables[] = [];
  const pool = new InformerPool({ client, clock, random: Math.random });
  const network = new ClusterNetwork(pool, clock, (tables) => sent.push(tables));
  await network.current();
  expect(sent.at(-1)?.ports).toContainEqual({
    address: "10.96.0.7",
    port: 80,
    targets: [{ address: "10.244.0.5", port: 8080, isOutside: false }],
  });
  const before = sent.length;
  await network.current();
  expect(sent, "nothing changed").toHaveLength(before);
  await network.close();
  server.close();
});
