// A member that is asked before it listens, as a pod whose mongod takes its time: it must be found when it does.
import { type AddressInfo, createServer } from "node:net";
import { systemClock } from "@kubewright/api";
import { expect, test } from "vitest";
import { Disk } from "../model/disk.js";
import { ModelledMongod } from "../model/modelled-mongod.js";
import { WireServer } from "../model/wire-server.js";
import { DriverMember } from "./driver-member.js";

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

test("a member that did not listen when it was first asked answers when it does", async () => {
  const port = await freePort();
  const member = new DriverMember({
    what: "a",
    address: async () => `127.0.0.1:${port}`,
    login: undefined,
    tls: undefined,
    timeouts: { connect: 500, command: 5_000 },
  });
  await expect(member.command("admin", { ping: 1 })).rejects.toMatchObject({ kind: "unavailable" });
  const mongod = new ModelledMongod({
    host: `127.0.0.1:${port}`,
    setName: "rs",
    version: "7.0.14",
    keyFile: undefined,
    tlsMode: "disabled",
    clock: systemClock,
    random: Math.random,
    disk: new Disk(),
    call: () => Promise.reject(new Error("it is alone")),
  });
  const server = new WireServer(mongod, { port });
  await server.listen();
  try {
    expect(await member.command("admin", { ping: 1 })).toMatchObject({ ok: 1 });
  } finally {
    member.close();
    await server.close();
  }
});
