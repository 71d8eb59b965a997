import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { expect, test } from "vitest";

const program = `
  import { undiciTransport } from "./undici-transport.js";
  const transport = undiciTransport({ server: process.argv[2] });
  const { status } = await transport({ method: "GET", path: "/version", headers: {} });
  await transport.close();
  console.log(status);
`;

test("a client bundled with code splitting sends requests", async () => {
  const folder = await mkdtemp(join(tmpdir(), "kubewright-bundle-"));
  const server = createServer((_request, response) => response.end("{}")).listen(0, "127.0.0.1");
  try {
    await build({
      stdin: { contents: program, resolveDir: dirname(fileURLToPath(import.meta.url)) },
      bundle: true,
      splitting: true,
      format: "esm",
      platform: "node",
      conditions: ["kubewright-source"],
      outdir: folder,
      outExtension: { ".js": ".mjs" },
      banner: {
        js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
      },
    });
    const { port } = server.address() as AddressInfo;
    const arguments_ = [join(folder, "stdin.mjs"), `http://127.0.0.1:${port}`];
    const { stdout } = await promisify(execFile)(process.execPath, arguments_);
    expect(stdout.trim()).toBe("200");
  } finally {
    server.close();
    await rm(folder, { recursive: true });
  }
}, 30_000);
