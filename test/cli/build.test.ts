// `kubewright build` as a user runs it: an image on a base from a registry, pushed, read back as a container runtime would, and its
// entrypoint started with the Node.js of this machine.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startCluster } from "@kubewright/cluster";
import { customKindsOf } from "@kubewright/runtime";
import { afterAll, beforeAll, expect, test } from "vitest";
import modelbox from "../../operators/modelbox/src/main.js";
import { putBase } from "../../packages/cli/src/image/testing/base-fixture.js";
import { OciRegistry } from "../../packages/cli/src/image/testing/oci-registry.js";
import { unpackImage } from "../../packages/cli/src/image/testing/unpack-image.js";
import { installKinds } from "../../packages/cli/src/run/install-kinds.js";
import { freePort } from "../free-port.js";
import { CliFixture } from "./cli-fixture.js";

const fixture = new CliFixture("modelbox");
let registry: OciRegistry;
let baseDigest = "";

beforeAll(async () => {
  await fixture.bundle();
  registry = await OciRegistry.start({
    login: { kind: "token", password: "me:secret", public: ["base", "team/modelbox"] },
  });
  baseDigest = putBase(registry).digest;
  // The login that docker login would have left behind.
  mkdirSync(join(fixture.directory, ".docker"));
  const auth = Buffer.from("me:secret").toString("base64");
  writeFileSync(
    join(fixture.directory, ".docker", "config.json"),
    JSON.stringify({ auths: { [registry.host]: { auth } } }),
  );
}, 60_000);
afterAll(async () => {
  fixture.close();
  await registry?.[Symbol.asyncDispose]();
});

async function build(...flags: string[]) {
  const env = { XDG_CACHE_HOME: join(fixture.directory, "cache") };
  return fixture.start(["build", ...flags], { env }).ended;
}

async function built(...flags: string[]) {
  const { code, stdout, stderr } = await build(...flags, "-o", "json");
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

/** Starts an unpacked image on a cluster and resolves when it leads. */
async function startImage(program: readonly string[]) {
  const cluster = await startCluster();
  await installKinds(cluster.client, customKindsOf(modelbox));
  const kubeconfig = join(fixture.directory, "kubeconfig");
  writeFileSync(kubeconfig, (await cluster.listen()).kubeconfig);
  const port = await freePort();
  const flags = [
    "--kubeconfig",
    kubeconfig,
    "--webhook-port=0",
    `--health-probe-bind-address=127.0.0.1:${port}`,
    "--leader-elect",
  ];
  const child = spawn(process.execPath, [...program, ...flags], { stdio: ["ignore", "ignore", "pipe"] });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  let log = "";
  await new Promise<void>((resolve, reject) => {
    child.stderr.on("data", (chunk: Buffer) => {
      log += chunk.toString();
      if (log.includes('"msg":"leading"')) resolve();
    });
    void ended.then(() => reject(new Error(log)));
  });
  return { cluster, child, ended, port, log: () => log };
}

test("an image is pushed, and what a runtime unpacks from it answers probes and ends with 0 on SIGTERM", async () => {
  const name = `${registry.host}/team/modelbox:1.0`;
  const flags = ["--base", `${registry.host}/base:1`, "--image", name, "--push"];
  const first = await built(...flags);
  expect(first).toMatchObject({
    base: `${registry.host}/base:1@${baseDigest}`,
    platforms: ["linux/amd64", "linux/arm64"],
    pushed: `${name}@${first.digest}`,
    sbom: "dist/sbom.spdx.json",
    warnings: [expect.stringContaining(`npm pkg set kubewright.base=${registry.host}/base:1@${baseDigest}`)],
  });
  expect(await built(...flags)).toEqual(first);

  const address = { host: registry.host, repository: "team/modelbox", tag: "1.0" };
  const root = join(fixture.directory, "root");
  const image = await unpackImage(address, "arm64", root, await registry.token("team/modelbox"));
  expect(image.digest).toBe(first.digest);
  expect(image.config).toMatchObject({
    architecture: "arm64",
    config: {
      Entrypoint: ["/nodejs/bin/node", "/app/main.js"],
      User: "65532:65532",
      Env: ["PATH=/usr/bin", "NODE_ENV=production"],
      Labels: {
        vendor: "somebody",
        "org.opencontainers.image.title": "modelbox",
        "org.opencontainers.image.version": "0.1.0",
        "org.opencontainers.image.base.digest": baseDigest,
      },
    },
  });
  expect(image.index.annotations).toMatchObject({ "org.opencontainers.image.licenses": "Apache-2.0" });
  expect(readFileSync(join(root, "nodejs/bin/node"), "utf8")).toBe("node for arm64\n");
  expect(existsSync(join(root, "tmp/build-tools")), "removed by a whiteout").toBe(false);

  const [, main = ""] = image.config.config.Entrypoint;
  const program = [join(root, main)];
  const help = execFileSync(process.execPath, [...program, "--help"], { encoding: "utf8" });
  expect(help).toContain('the manager "modelbox"');
  const { cluster, child, ended, port, log } = await startImage(program);
  await using _ = cluster;
  expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
  child.kill("SIGTERM");
  expect({ code: await ended, errors: log().includes('"level":"error"') }).toEqual({
    code: 0,
    errors: false,
  });
}, 120_000);

test("the SBOM beside the image has the packages that are in it", async () => {
  await built("--base", `${registry.host}/base:1`);
  const { packages } = JSON.parse(readFileSync(join(fixture.project, "dist/sbom.spdx.json"), "utf8"));
  const names = packages.map((each: { name: string }) => each.name);
  expect(names).toEqual(
    expect.arrayContaining(["modelbox-operator", "@kubewright/runtime", "zod", "undici"]),
  );
  expect(names).not.toContain("vitest");
  expect(names).toContain(`${registry.host}/base:1`);
}, 60_000);

test("a base pinned in package.json is taken, and the layout and the archive are bases in their turn", async () => {
  const file = join(fixture.project, "package.json");
  const manifest = readFileSync(file, "utf8");
  const base = `${registry.host}/base:1@${baseDigest}`;
  writeFileSync(file, JSON.stringify({ ...JSON.parse(manifest), kubewright: { base } }));
  const image = await built("--layout", "image", "--tarball", "dist/image.tar", "--image", "modelbox:dev");
  writeFileSync(file, manifest);
  expect(image).toMatchObject({ base, layout: "image", tarball: "dist/image.tar", warnings: [] });
  for (const own of ["image", "dist/image.tar"])
    expect((await built("--base", own, "--layout", "again")).platforms).toEqual([
      "linux/amd64",
      "linux/arm64",
    ]);
}, 60_000);

test.each([
  [["--base", "127.0.0.1:2/node:22"], 1, "give --base FILE"],
  [["--base", "missing.tar"], 2, "there is no such file or folder"],
  [["--push"], 2, "--push needs --image"],
  [["--push", "--image", "shop:1"], 2, "a registry, a name and a tag are needed"],
  [["--platform", "arm64"], 2, "--platform arm64"],
])(
  "build %j fails with %i and names what to do, and no image is left behind",
  async (flags, status, text) => {
    rmSync(join(fixture.project, "dist"), { recursive: true, force: true });
    const { code, stderr } = await build(...flags);
    expect(stderr).toContain(text);
    expect(code).toBe(status);
    for (const name of ["image", "sbom.spdx.json"])
      expect(existsSync(join(fixture.project, "dist", name))).toBe(false);
  },
  60_000,
);
