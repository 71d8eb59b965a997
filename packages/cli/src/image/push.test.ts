import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { imagesFor } from "./base-image.js";
import { pullBase } from "./base-pull.js";
import { BlobCache } from "./blob-cache.js";
import { imageOf } from "./image.js";
import { type PushOptions, pushImage } from "./push.js";
import { parseReference, parseTarget } from "./reference.js";
import { sbomOf, sbomType } from "./sbom.js";
import { putBase } from "./testing/base-fixture.js";
import { OciRegistry } from "./testing/oci-registry.js";

const program = Buffer.from("console.log(1);\n");
const small = imageOf({ bases: [{ config: { os: "linux", architecture: "amd64" }, layers: [] }], program });
const pause = async () => undefined;

async function push(registry: OciRegistry, options: PushOptions & { name?: string } = {}, image = small) {
  const outcomes: string[] = [];
  await pushImage(image, parseTarget(`${registry.host}/${options.name ?? "team/operator"}:1.0`), {
    pause,
    onBlob: (_, outcome) => outcomes.push(outcome),
    ...options,
  });
  return outcomes;
}

/** On the base that is in the registry, without a cache on disk. */
async function imageOnBase(registry: OciRegistry, credentials?: PushOptions["credentials"]) {
  const cache = new BlobCache("/dev/null/nowhere");
  const base = await pullBase(parseReference(`${registry.host}/base:1`)!, { cache, pause, credentials });
  return imageOf({ bases: await imagesFor(base, undefined), program });
}

describe("a push", () => {
  test("sends what the registry lacks, and the manifest under its tag", async () => {
    await using registry = await OciRegistry.start();
    expect(await push(registry)).toEqual(["sent", "sent"]);
    expect(registry.manifests.get("team/operator 1.0")?.content).toEqual(Buffer.from(small.manifest.content));
    expect(await push(registry)).toEqual(["there", "there"]);
  });

  test("of an image for several platforms mounts the layers of its base, and tags the index last", async () => {
    await using registry = await OciRegistry.start();
    putBase(registry);
    const image = await imageOnBase(registry);
    registry.calls.length = 0;
    const outcomes = await push(registry, {}, image);
    expect(outcomes.toSorted()).toEqual(["mounted", "mounted", "mounted", "sent", "sent", "sent"]);
    expect(registry.calls.some((call) => call.startsWith("GET"))).toBe(false); // no layer was downloaded
    const puts = registry.calls.filter((call) => call.startsWith("PUT /v2/team/operator/manifests/"));
    expect(puts.map((call) => call.split("/").at(-1))).toEqual([
      ...image.parts.map(({ manifest }) => manifest.digest),
      "1.0",
    ]);
  });

  test("downloads and sends the layers of a base that another registry has", async () => {
    await using other = await OciRegistry.start();
    putBase(other);
    await using registry = await OciRegistry.start();
    const outcomes = await push(registry, {}, await imageOnBase(other));
    expect(new Set(outcomes)).toEqual(new Set(["sent"]));
  });

  test("logs in by a password where the registry wants one", async () => {
    await using registry = await OciRegistry.start({ login: { kind: "basic", password: "me:secret" } });
    await push(registry, { credentials: { kind: "password", username: "me", password: "secret" } });
    expect(registry.manifests.has("team/operator 1.0")).toBe(true);
    await expect(push(registry)).rejects.toThrow(/answers 401 to sha256:\w+; log in with docker login/);
  });

  test("fetches one token for all requests, which may read the base, too", async () => {
    await using registry = await OciRegistry.start({
      login: { kind: "token", identityToken: "it", public: ["base"] },
    });
    putBase(registry);
    const image = await imageOnBase(registry);
    registry.calls.length = 0;
    const outcomes = await push(registry, { credentials: { kind: "identity-token", token: "it" } }, image);
    expect(outcomes.filter((outcome) => outcome === "mounted")).toHaveLength(3);
    expect(registry.calls.filter((call) => call.includes("/token"))).toHaveLength(1);
  });

  test.each([
    [{ kind: "password", username: "me", password: "wrong" } as const, "are the credentials"],
    [undefined, "log in with docker login, or give REGISTRY_AUTH=user:password"],
  ])("names what to do when %j gets no token", async (credentials, remedy) => {
    await using registry = await OciRegistry.start({ login: { kind: "token", password: "me:secret" } });
    await expect(push(registry, { credentials })).rejects.toThrow(
      `issues no token: it answers 401; ${remedy}`,
    );
  });

  test("tries failed uploads again, and gives up with the registry's own words", async () => {
    let failures = 3;
    const intercept = (request: IncomingMessage, response: ServerResponse) => {
      if (request.method !== "PUT" || failures === 0) return false;
      failures -= 1;
      if (failures === 1) request.destroy();
      else response.writeHead(failures === 0 ? 500 : 502).end();
      return true;
    };
    await using registry = await OciRegistry.start({ intercept });
    expect(await push(registry)).toEqual(["sent", "sent"]);
    failures = 100;
    await expect(push(registry, { name: "other" })).rejects.toThrow(
      /answers 502 to sha256|cannot be reached/,
    );
    expect(registry.manifests.has("other 1.0")).toBe(false);
    expect(failures).toBeGreaterThanOrEqual(94);
  });

  test("sends a blob where the registry says, without the credentials for the registry", async () => {
    const seen: (string | undefined)[] = [];
    await using elsewhere = await OciRegistry.start({
      intercept: (request, response) => {
        seen.push(`${request.method} ${request.url} ${request.headers.authorization}`);
        request.resume().once("end", () => response.writeHead(201).end());
        return true;
      },
    });
    await using registry = await OciRegistry.start({
      login: { kind: "basic", password: "me:secret" },
      intercept: (request, response) => {
        if (request.method !== "POST" || request.headers.authorization === undefined) return false;
        response.writeHead(202, { location: `http://${elsewhere.host}/put?signature=a%2Bb~c` }).end();
        return true;
      },
    });
    // The registry never sees the blobs, so it refuses the manifest in the end.
    const credentials = { kind: "password", username: "me", password: "secret" } as const;
    await expect(push(registry, { credentials })).rejects.toThrow("MANIFEST_BLOB_UNKNOWN");
    expect(seen).toEqual(
      small.blobs.map(({ digest }) => `PUT /put?signature=a%2Bb~c&digest=${digest} undefined`),
    );
  });

  test("does not try again what is refused for good", async () => {
    let puts = 0;
    await using registry = await OciRegistry.start({
      intercept: (request, response) => {
        if (request.method !== "PUT") return false;
        puts += 1;
        response.writeHead(413).end('{"errors":[{"code":"SIZE_INVALID"}]}');
        return true;
      },
    });
    await expect(push(registry)).rejects.toThrow(/answers 413 to sha256:\w+: .*SIZE_INVALID/);
    expect(puts).toBe(1);
  });
});

describe("the SBOM", () => {
  const sbom = sbomOf(small, '{"spdxVersion":"SPDX-2.3"}\n');
  const descriptor = expect.objectContaining({ digest: sbom.manifest.digest, artifactType: sbomType });

  test("is attached as a referrer of the image", async () => {
    await using registry = await OciRegistry.start();
    await push(registry, { sbom });
    const answer = await fetch(`http://${registry.host}/v2/team/operator/referrers/${small.manifest.digest}`);
    expect(await answer.json()).toMatchObject({ manifests: [descriptor] });
    expect([...registry.manifests.keys()].some((key) => key.includes("sha256-"))).toBe(false);
  });

  test("is listed under a tag, once, where the registry knows no referrers", async () => {
    await using registry = await OciRegistry.start({ referrers: false });
    await push(registry, { sbom });
    await push(registry, { sbom });
    const tag = registry.manifests.get(`team/operator ${small.manifest.digest.replace(":", "-")}`);
    expect(JSON.parse(tag!.content.toString()).manifests).toEqual([descriptor]);
  });

  test("that the registry refuses is a warning", async () => {
    await using registry = await OciRegistry.start({
      intercept: (request, response) => {
        const isIt = request.method === "PUT" && request.url?.includes(sbom.manifest.digest) === true;
        if (isIt) response.writeHead(400).end("MANIFEST_INVALID");
        return isIt;
      },
    });
    const warnings: string[] = [];
    await push(registry, { sbom, onWarning: (text) => warnings.push(text) });
    expect(warnings).toEqual([expect.stringContaining("the SBOM is not attached")]);
    expect(registry.manifests.has("team/operator 1.0")).toBe(true);
  });
});
