// Clients that nobody knows: what they may cost a server in a process of its own.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildServer, KillableServer } from "../durability/killable-server.js";

const strangers = process.env["KUBEWRIGHT_LONG_TESTS"] ? 300 : 60;
/** Just below the limit of a body. */
const length = 3 * 1024 * 1024 - 1024;
let folder: string;
let server: KillableServer;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "kubewright-"));
  server = await KillableServer.start(await buildServer(folder), join(folder, "data"));
}, 120_000);
afterAll(async () => {
  await server.kill();
  rmSync(folder, { recursive: true, force: true });
});

function dial(): Promise<TLSSocket> {
  const { hostname, port } = new URL(server.hello.url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), ca: server.hello.authority }, () =>
      resolve(socket),
    );
    socket.on("error", reject);
  });
}

/** Sends text; resolves to what comes back until there are headers, or until the end. */
async function exchange(text: string): Promise<{ readonly socket: TLSSocket; readonly answer: string }> {
  const socket = await dial();
  socket.write(text);
  const answer = await new Promise<string>((resolve) => {
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk;
      if (received.includes("\r\n\r\n")) resolve(received);
    });
    socket.on("close", () => resolve(received));
  });
  return { socket, answer };
}

const request = (
  headers: readonly string[],
  method = "POST",
  path = "/api/v1/namespaces/default/configmaps",
) => [`${method} ${path} HTTP/1.1`, "Host: a", ...headers, "", ""].join("\r\n");

/** Resident memory in bytes. */
const memory = (): number => {
  const [, pages = "0"] = readFileSync(`/proc/${server.pid}/statm`, "utf8").split(" ");
  return Number(pages) * 4096;
};

describe("strangers", { timeout: 120_000 }, () => {
  test.each([
    ["without credentials", [], 403],
    ["with a wrong token", ["Authorization: Bearer nobody"], 401],
  ])("%s are refused before their body is read", async (_, headers, status) => {
    const { socket, answer } = await exchange(request([...headers, `Content-Length: ${length}`]));
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    socket.destroy();
  });

  test.runIf(process.platform === "linux")(
    `${strangers} of them with unfinished bodies take no memory`,
    async () => {
      // Code is compiled and the heap grown by as many strangers who send nothing.
      const silent = await Promise.all(Array.from({ length: strangers }, () => exchange(request([]))));
      for (const { socket } of silent) socket.destroy();
      const before = memory();
      const bytes = Buffer.alloc(length - 10, "x");
      const sockets = await Promise.all(
        Array.from({ length: strangers }, async () => {
          const socket = await dial();
          socket.on("error", () => undefined);
          socket.write(request([`Content-Length: ${length}`]));
          await new Promise((resolve) => socket.write(bytes, resolve));
          return socket;
        }),
      );
      await expect.poll(memory, { timeout: 60_000, interval: 500 }).toBeLessThan(before * 1.5);
      const after = memory();
      process.stdout.write(
        `${strangers} unfinished bodies: ${Math.round(before / 1e6)} MB before, ${Math.round(after / 1e6)} MB after\n`,
      );
      for (const socket of sockets) socket.destroy();
    },
  );
});

describe("headers", () => {
  const own = ["Authorization: Bearer token"];
  const many = (count: number) => Array.from({ length: count }, (_, index) => `A${index}: b`);
  const list = (headers: readonly string[]) => exchange(request(headers, "GET"));

  test("are all read, however many: a user to be impersonated behind 3,000 others counts", async () => {
    const { socket, answer } = await list([...own, ...many(3_000), "Impersonate-User: nobody"]);
    expect(answer).toMatch(/^HTTP\/1.1 403 /);
    socket.destroy();
  });

  test("beyond 64 KiB are answered with 431", async () => {
    const { socket, answer } = await list([...own, `Long: ${"x".repeat(70_000)}`]);
    expect(answer).toMatch(/^HTTP\/1.1 431 /);
    socket.destroy();
  });

  test("with two hosts are answered with 400", async () => {
    const { socket, answer } = await list([...own, "HOST: b"]);
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    socket.destroy();
  });
});
