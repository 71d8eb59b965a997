// Base images from registries, honest and other.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { imagesFor } from "./base-image.js";
import { pullBase } from "./base-pull.js";
import { digestOf } from "./blob.js";
import { BlobCache } from "./blob-cache.js";
import type { Credentials } from "./credentials.js";
import { findBase } from "./find-base.js";
import { parseReference } from "./reference.js";
import { putBase } from "./testing/base-fixture.js";
import { OciRegistry } from "./testing/oci-registry.js";

const folder = mkdtempSync(join(tmpdir(), "kubewright-pull-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const pause = async () => undefined;
const newCache = () => mkdtempSync(join(folder, "cache-"));

function pull(name: string, options: { credentials?: Credentials; cache?: string } = {}) {
  const { credentials, cache = newCache() } = options;
  return pullBase(parseReference(name)!, { credentials, cache: new BlobCache(cache), pause });
}

/** The base with all of its layers, as their contents. */
async function contents(name: string, options: { credentials?: Credentials; cache?: string } = {}) {
  const base = await pull(name, options);
  const images = await imagesFor(base, undefined);
  return Promise.all(images.flatMap(({ layers }) => layers.map((layer) => layer.read())));
}

const isBlob = ({ url = "" }: IncomingMessage) => /\/blobs\/sha256:/.test(url);
const isManifest = ({ url = "" }: IncomingMessage) => /\/manifests\//.test(url);

describe("a base image", () => {
  test("is found by its tag, pinned by its digest, and read for its platforms, checked", async () => {
    await using registry = await OciRegistry.start();
    const { digest } = putBase(registry);
    const base = await pull(`${registry.host}/base:1`);
    expect(base.reference).toEqual({ name: `${registry.host}/base:1`, digest });
    const [amd, arm, ...others] = await imagesFor(base, undefined);
    expect([amd?.config.architecture, arm?.config.architecture, others]).toEqual(["amd64", "arm64", []]);
    expect(registry.calls.filter((call) => call.includes("/blobs/"))).toHaveLength(2); // two configurations, no layer yet
    const layer = amd!.layers[0]!;
    expect(digestOf(await layer.read())).toBe(layer.digest);
  });

  test("that was read once and is named by its digest needs no registry", async () => {
    const cache = newCache();
    let name = "";
    {
      await using registry = await OciRegistry.start();
      const { digest } = putBase(registry);
      name = `${registry.host}/base@${digest}`;
      await contents(name, { cache });
    }
    expect(await contents(name, { cache })).toHaveLength(4);
    for (const file of readdirSync(cache)) writeFileSync(join(cache, file), "damaged");
    await expect(contents(name, { cache })).rejects.toThrow("cannot be reached");
  });

  test("is read with a token that everybody gets, or that a login gets", async () => {
    await using registry = await OciRegistry.start({
      login: { kind: "token", password: "me:secret", identityToken: "it", public: ["base"] },
    });
    putBase(registry);
    putBase(registry, "private/base");
    expect(await contents(`${registry.host}/base:1`)).toHaveLength(4);
    const name = `${registry.host}/private/base:1`;
    await expect(contents(name)).rejects.toThrow("answers 401 to private/base:1; log in with docker login");
    const logins: Credentials[] = [
      { kind: "password", username: "me", password: "secret" },
      { kind: "identity-token", token: "it" },
    ];
    for (const credentials of logins) expect(await contents(name, { credentials })).toHaveLength(4);
    const credentials = { kind: "password", username: "me", password: "wrong" } as const;
    const refused = contents(name, { credentials });
    await expect(refused).rejects.toThrow("issues no token: it answers 401; are the credentials");
    await expect(refused).rejects.not.toThrow("wrong");
  });

  test("that is not there is named", async () => {
    await using registry = await OciRegistry.start();
    await expect(pull(`${registry.host}/base:2`)).rejects.toThrow(`${registry.host} has no image base:2`);
  });

  test("is asked for again when the registry is overloaded or breaks off", async () => {
    let failures = 0;
    const faults: ((response: ServerResponse) => void)[] = [
      (response) => response.writeHead(503, { "retry-after": "0" }).end(),
      (response) => response.writeHead(429).end(),
      (response) => response.destroy(),
      (response) => {
        response.writeHead(200, { "content-length": 100_000 }).write("half of it");
        setTimeout(() => response.destroy(), 5);
      },
    ];
    await using registry = await OciRegistry.start({
      intercept: (request, response) => {
        const fault = isBlob(request) || isManifest(request) ? faults[failures] : undefined;
        if (fault) failures += 1;
        fault?.(response);
        return fault !== undefined;
      },
    });
    putBase(registry);
    expect(await contents(`${registry.host}/base:1`)).toHaveLength(4);
    expect(failures).toBe(faults.length);
  });

  test("without a network is an error that names what to do", async () => {
    const registry = await OciRegistry.start();
    await registry[Symbol.asyncDispose]();
    const found = findBase(`${registry.host}/base:1`, {
      cache: new BlobCache(newCache()),
      pause: () => Promise.reject(new Error("waiting changes nothing")),
      credentialsFor: async () => undefined,
    });
    await expect(found).rejects.toThrow(
      /cannot be reached: .*ECONNREFUSED.* give --base FILE: an OCI layout/,
    );
  });

  test.each(["./missing", "missing.tar", "NOT A NAME"])(
    "%s is neither a file nor a reference",
    async (name) => {
      const options = { cache: new BlobCache(newCache()), credentialsFor: async () => undefined };
      await expect(findBase(name, options)).rejects.toThrow(
        `--base ${name}: there is no such file or folder`,
      );
    },
  );
});

describe("a registry that lies", () => {
  const answering = (
    isMeant: (request: IncomingMessage) => boolean,
    answer: (request: IncomingMessage, response: ServerResponse) => void,
  ) => ({
    intercept: (request: IncomingMessage, response: ServerResponse) => {
      const isIt = isMeant(request);
      if (isIt) answer(request, response);
      return isIt;
    },
  });
  const byDigest = (request: IncomingMessage) => /manifests\/sha256:/.test(request.url ?? "");

  test.each<[string, ReturnType<typeof answering>, RegExp]>([
    [
      "with another manifest under a digest",
      answering(byDigest, (_, response) => response.end('{"schemaVersion":2}')),
      /is not to be trusted: what it calls sha256:\w+ of base has the digest sha256:/,
    ],
    [
      "with another digest in its header",
      answering(isManifest, (_, response) =>
        response.writeHead(200, { "docker-content-digest": `sha256:${"0".repeat(64)}` }).end("{}"),
      ),
      /is not to be trusted/,
    ],
    [
      "with a blob that is longer than it says",
      answering(isBlob, (_, response) => {
        const more = () => {
          while (response.write(Buffer.alloc(65_536)));
        };
        response.on("drain", more);
        more();
      }),
      /sends more than the \d+ bytes/,
    ],
    [
      "with a manifest without end",
      answering(isManifest, (_, response) => {
        const more = () => {
          while (response.write(Buffer.alloc(65_536, "[")));
        };
        response.on("drain", more);
        more();
      }),
      /sends more than the 4194304 bytes/,
    ],
    [
      "with redirects without end",
      answering(isBlob, (request, response) =>
        response.writeHead(307, { location: request.url ?? "" }).end(),
      ),
      /redirects without end/,
    ],
    [
      "with a redirect that is not HTTPS",
      answering(isBlob, (_, response) => response.writeHead(307, { location: "http://192.0.2.1/x" }).end()),
      /redirects to http:\/\/192\.0\.2\.1, which is not HTTPS; nothing was sent there/,
    ],
    [
      "with an error for the terminal",
      answering(isManifest, (_, response) => response.writeHead(400).end(`\u001b[31m${"x".repeat(10_000)}`)),
      /^[^\p{Cc}]{0,500}$/u,
    ],
  ])("%s is refused", async (_, options, message) => {
    await using registry = await OciRegistry.start(options);
    putBase(registry);
    await expect(contents(`${registry.host}/base:1`)).rejects.toThrow(message);
  });

  test.each([
    ["layers of a size that nobody has", { size: 2 ** 40 }, "more than 1073741824 are not read"],
    ["digests that are paths", { digest: "sha256:../../x" }, "without a SHA-256 digest"],
    ["sizes that are none", { size: "many" }, "is not a number of bytes"],
  ])("with %s is refused before anything is read", async (_, change, message) => {
    await using registry = await OciRegistry.start();
    const type = "application/vnd.oci.image.manifest.v1+json";
    const config = registry.putBlob("base", Buffer.from('{"os":"linux","architecture":"amd64"}'));
    const layers = [{ mediaType: "x", digest: `sha256:${"0".repeat(64)}`, size: 1, ...change }];
    registry.putManifest("base", type, { mediaType: type, config, layers }, "1");
    await expect(contents(`${registry.host}/base:1`)).rejects.toThrow(message);
  });

  test("gets another blob under a digest refused", async () => {
    await using registry = await OciRegistry.start();
    putBase(registry);
    for (const [key, content] of registry.blobs)
      registry.blobs.set(key, Buffer.from(content.map((byte) => byte ^ 1)));
    await expect(contents(`${registry.host}/base:1`)).rejects.toThrow("is damaged: sha256:");
  });

  test("sends nobody else the credentials: a redirect goes without them", async () => {
    const seen: (string | undefined)[] = [];
    await using registry = await OciRegistry.start({
      login: { kind: "basic", password: "me:secret" },
      intercept: (request, response) => {
        if (!isBlob(request) || request.headers.authorization === undefined) return false;
        response.writeHead(307, { location: `http://${storage}${request.url}` }).end();
        return true;
      },
    });
    putBase(registry);
    const other = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.end(registry.blobs.get(`base ${request.url?.split("/").at(-1)}`));
    });
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const address = other.address();
    const storage = `127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
    try {
      const credentials = { kind: "password", username: "me", password: "secret" } as const;
      expect(await contents(`${registry.host}/base:1`, { credentials })).toHaveLength(4);
      expect(new Set(seen)).toEqual(new Set([undefined]));
      expect(seen.length).toBeGreaterThan(0);
    } finally {
      other.closeAllConnections();
      other.close();
    }
  });

  test("gets no password for a realm that is not HTTPS", async () => {
    await using registry = await OciRegistry.start({
      intercept: (_, response) => {
        response.writeHead(401, { "www-authenticate": 'Bearer realm="http://192.0.2.1/token"' }).end();
        return true;
      },
    });
    const credentials = { kind: "password", username: "me", password: "secret" } as const;
    await expect(pull(`${registry.host}/base:1`, { credentials })).rejects.toThrow(
      "wants the password sent to http://192.0.2.1, which is not HTTPS; it was not",
    );
  });
});
