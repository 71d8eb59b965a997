import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { digestOf, readBaseImage, scratch } from "./base-image.js";
import { imageOf, writeLayout } from "./image.js";
import { parseReference, pushImage } from "./push.js";
import { readTar, writeTar } from "./tar.js";

const folder = mkdtempSync(join(tmpdir(), "kubewright-image-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const bytes = (text: string): Uint8Array => Buffer.from(text);
const program = bytes("console.log(1);\n");

describe("archives", () => {
  test("give back what was put in", () => {
    const path = fc.stringMatching(/^[a-z]{1,8}(\/[a-z]{1,8}){0,3}\.js$/);
    const files = fc.uniqueArray(fc.record({ path, content: fc.uint8Array({ maxLength: 2000 }) }), {
      selector: (file) => file.path,
    });
    fc.assert(
      fc.property(files, (all) => {
        const found = readTar(writeTar(all));
        expect([...found].map(([name, content]) => [name, [...content]])).toEqual(
          all.map((file) => [file.path, [...file.content]]),
        );
      }),
    );
  });

  test("that are cut short are refused", () => {
    expect(() => readTar(writeTar([{ path: "a", content: new Uint8Array(600) }]).subarray(0, 1000))).toThrow(
      "cut short",
    );
  });
});

/** What `docker save` writes, in small. */
function dockerArchive(): string {
  const layer = writeTar([{ path: "usr/bin/node", content: bytes("node") }]);
  const config = {
    architecture: "amd64",
    os: "linux",
    config: { Env: ["A=1"], Cmd: ["node"] },
    rootfs: { type: "layers", diff_ids: [digestOf(layer)] },
  };
  const file = join(folder, "base.tar");
  const archive = writeTar([
    { path: "config.json", content: bytes(JSON.stringify(config)) },
    { path: "layer.tar", content: layer },
    {
      path: "manifest.json",
      content: bytes(JSON.stringify([{ Config: "config.json", Layers: ["layer.tar"] }])),
    },
  ]);
  writeFileSync(file, gzipSync(archive));
  return file;
}

describe("an image", () => {
  test("is the same each time, has the base below and the program on top, and runs it as nobody in particular", () => {
    const image = imageOf([readBaseImage(dockerArchive())], program);
    expect(imageOf([readBaseImage(dockerArchive())], program).manifest.digest).toBe(image.manifest.digest);
    const [config, base, own] = image.blobs;
    expect(JSON.parse(Buffer.from(config!.content).toString())).toMatchObject({
      config: { Env: ["A=1"], Entrypoint: ["node", "/app/main.js"], User: "65532:65532" },
      rootfs: { diff_ids: [base!.digest, own!.digest] },
    });
    expect(readTar(own!.content).get("app/main.js")).toEqual(program);
  });

  test.each([
    [["/nodejs/bin/node"], "/nodejs/bin/node"],
    [["docker-entrypoint.sh"], "node"],
    [undefined, "node"],
  ])("on a base that starts with %j runs the program with %s", (entry, node) => {
    const image = imageOf([{ config: { config: { Entrypoint: entry } }, layers: [] }], program);
    const { config } = JSON.parse(Buffer.from(image.blobs[0]!.content).toString());
    expect(config.Entrypoint).toEqual([node, "/app/main.js"]);
  });

  test("as a layout is a base image in its turn", () => {
    const image = imageOf([readBaseImage(dockerArchive())], program);
    const layout = join(folder, "layout");
    writeLayout(layout, image, "example:1");
    const again = readBaseImage(layout);
    expect(again.layers.map(({ digest }) => digest)).toEqual(
      image.blobs.slice(1).map(({ digest }) => digest),
    );
    const blob = join(layout, "blobs", image.blobs[1]!.digest.replace(":", "/"));
    writeFileSync(blob, `${readFileSync(blob, "utf8")}x`);
    expect(() => readBaseImage(layout)).toThrow("damaged");
  });

  test.each([["no-such-file", "there is no such file"]])("of %s is refused", (path, text) => {
    expect(() => readBaseImage(join(folder, path))).toThrow(text);
  });
});

describe("a base for several platforms", () => {
  /** One image for each, in one layout. */
  function layoutFor(...platforms: readonly { architecture: string; variant?: string }[]): string {
    const bases = platforms.map((platform) => ({ config: { os: "linux", ...platform }, layers: [] }));
    const layout = mkdtempSync(join(folder, "platforms-"));
    writeLayout(layout, imageOf(bases, program), "base:1");
    return layout;
  }
  const both = (): string => layoutFor({ architecture: "amd64" }, { architecture: "arm64", variant: "v8" });
  const architecture = (path: string, platform?: string) => readBaseImage(path, platform).config.architecture;

  test.each([
    [undefined, "amd64"],
    ["linux/amd64", "amd64"],
    ["linux/arm64", "arm64"],
    ["linux/arm64/v8", "arm64"],
  ])("gives that for %s", (platform, expected) => {
    expect(architecture(both(), platform)).toBe(expected);
  });

  test("is refused for another, and those it is for are named", () => {
    expect(() => readBaseImage(both(), "linux/s390x")).toThrow(
      "the base image is not for linux/s390x but for linux/amd64, linux/arm64/v8; choose another with --platform",
    );
  });

  test("or one is held to it, too", () => {
    expect(() => readBaseImage(dockerArchive(), "linux/arm64")).toThrow(
      "not for linux/arm64 but for linux/amd64",
    );
    expect(architecture(dockerArchive())).toBe("amd64");
  });

  test("makes an image for all of them: an index, with what they share once", () => {
    const base = both();
    const image = imageOf(
      ["linux/amd64", "linux/arm64"].map((platform) => readBaseImage(base, platform)),
      program,
    );
    const { manifests } = JSON.parse(Buffer.from(image.manifest.content).toString());
    expect(manifests.map(({ platform }: { platform: object }) => platform)).toEqual([
      { os: "linux", architecture: "amd64" },
      { os: "linux", architecture: "arm64", variant: "v8" },
    ]);
    expect(image.parts.map(({ digest }) => digest)).toEqual(
      manifests.map(({ digest }: { digest: string }) => digest),
    );
    expect(new Set(image.blobs.map(({ digest }) => digest)).size).toBe(image.blobs.length);
  });
});

/** A registry of this machine, as much of one as a push needs; it asks for a password or a token where it is told to. */
async function registry(login?: { basic: string } | { bearer: string; password: string }) {
  const stored = new Map<string, Buffer>();
  const calls: string[] = [];
  const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  };
  const basic = (text: string): string => `Basic ${Buffer.from(text).toString("base64")}`;
  const wanted = login && ("basic" in login ? basic(login.basic) : `Bearer ${login.bearer}`);
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const url = new URL(request.url ?? "", "http://registry");
      calls.push(`${request.method} ${url.pathname}${url.pathname === "/token" ? url.search : ""}`);
      const digest = url.searchParams.get("digest") ?? url.pathname.split("/").at(-1) ?? "";
      if (login && "bearer" in login && url.pathname === "/token") {
        const isKnown = request.headers.authorization === basic(login.password);
        response.writeHead(isKnown ? 200 : 401).end(JSON.stringify(isKnown ? { token: login.bearer } : {}));
      } else if (wanted !== undefined && request.headers.authorization !== wanted) {
        const how = wanted.startsWith("Basic")
          ? 'Basic realm="here"'
          : `Bearer realm="http://${host}/token",service="registry.test"`;
        response.writeHead(401, { "www-authenticate": how }).end();
      } else if (request.method === "HEAD") response.writeHead(stored.has(digest) ? 200 : 404).end();
      else if (request.method === "POST")
        response.writeHead(202, { location: "/v2/uploads/1?state=x" }).end();
      else {
        stored.set(digest, body);
        response.writeHead(201).end();
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const host = `127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
  return { host, stored, calls, [Symbol.dispose]: () => void server.close() };
}

describe("a push", () => {
  test("sends what the registry lacks, and the manifest under its tag", async () => {
    using there = await registry();
    const { host, stored, calls } = there;
    const image = imageOf([scratch], program);
    const reference = parseReference(`${host}/team/operator:1.0`);
    await pushImage(image, reference);
    for (const { digest, content } of image.blobs) expect(stored.get(digest)).toEqual(Buffer.from(content));
    expect(stored.get("1.0")).toEqual(Buffer.from(image.manifest.content));
    calls.length = 0;
    await pushImage(image, reference);
    expect(calls.filter((call) => call.startsWith("POST"))).toEqual([]);
  });

  test("of an image for several platforms sends each manifest, and the index under the tag", async () => {
    using there = await registry();
    const { host, stored } = there;
    const arm = { config: { os: "linux", architecture: "arm64" }, layers: [] };
    const image = imageOf([scratch, arm], program);
    await pushImage(image, parseReference(`${host}/team/operator:1.0`));
    for (const { digest } of image.parts) expect(stored.has(digest)).toBe(true);
    expect(stored.get("1.0")).toEqual(Buffer.from(image.manifest.content));
  });

  test("logs in by a password where the registry wants one", async () => {
    using there = await registry({ basic: "me:secret" });
    const image = imageOf([scratch], program);
    const reference = parseReference(`${there.host}/operator:1.0`);
    await pushImage(image, reference, { credentials: "me:secret" });
    expect(there.stored.has("1.0")).toBe(true);
    await expect(pushImage(image, reference)).rejects.toThrow("401");
  });

  test("fetches one token for all requests where the registry wants one", async () => {
    using there = await registry({ bearer: "t0k3n", password: "me:secret" });
    const image = imageOf([scratch], program);
    const reference = parseReference(`${there.host}/team/operator:1.0`);
    await pushImage(image, reference, { credentials: "me:secret" });
    expect(there.stored.has("1.0")).toBe(true);
    expect(there.calls.filter((call) => call.includes("/token"))).toEqual([
      "GET /token?service=registry.test&scope=repository%3Ateam%2Foperator%3Apull%2Cpush",
    ]);
  });

  test.each([
    ["me:wrong", "is REGISTRY_AUTH right?"],
    [undefined, "give REGISTRY_AUTH=user:password"],
  ])("says what to do when %s gets no token", async (credentials, remedy) => {
    using there = await registry({ bearer: "t0k3n", password: "me:secret" });
    const pushed = pushImage(imageOf([scratch], program), parseReference(`${there.host}/operator:1`), {
      credentials,
    });
    await expect(pushed).rejects.toThrow(`gives no token: it answers 401; ${remedy}`);
  });

  test.each(["operator", "operator:1", "UPPER.example/x:1", "registry.example.com/operator"])(
    "to %s is refused",
    (name) => {
      expect(() => parseReference(name)).toThrow("a registry, a name and a tag are needed");
    },
  );

  test.each([
    ["localhost:5000/a:1", "http://localhost:5000"],
    ["registry.example.com/team/a:1", "https://registry.example.com"],
  ])("to %s goes to %s", (name, origin) => {
    expect(parseReference(name).origin).toBe(origin);
  });
});
