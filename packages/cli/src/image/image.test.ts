import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { readBaseFile } from "./base-file.js";
import { type BaseImage, imagesFor } from "./base-image.js";
import { digestOf } from "./blob.js";
import { imageOf } from "./image.js";
import { writeArchive, writeLayout } from "./layout.js";
import { sbomOf } from "./sbom.js";
import { readTar, writeTar } from "./tar.js";

const folder = mkdtempSync(join(tmpdir(), "kubewright-image-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const bytes = (text: string): Uint8Array => Buffer.from(text);
const program = bytes("console.log(1);\n");
const json = (content: Uint8Array) => JSON.parse(Buffer.from(content).toString());

async function basesOf(path: string, ...platforms: string[]): Promise<readonly BaseImage[]> {
  return imagesFor(await readBaseFile(path), platforms.length === 0 ? undefined : platforms);
}

/** What `docker save` writes, in small. */
function dockerArchive(change: object = {}): string {
  const layer = writeTar([{ path: "usr/bin/node", content: bytes("node") }]);
  const config = {
    architecture: "amd64",
    os: "linux",
    config: { Env: ["A=1", "NODE_ENV=development"], Cmd: ["node"] },
    rootfs: { type: "layers", diff_ids: [digestOf(layer)] },
    ...change,
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
  test("is the same each time, has the base below and the program on top, and runs it as a user without rights", async () => {
    const labels = { "org.opencontainers.image.title": "shop" };
    const made = async () => imageOf({ bases: await basesOf(dockerArchive()), program, labels });
    const image = await made();
    expect((await made()).manifest.digest).toBe(image.manifest.digest);
    const { config, layers } = image.parts[0]!;
    const [base, own] = layers;
    expect(json(config.content)).toMatchObject({
      config: {
        Env: ["A=1", "NODE_ENV=production"],
        Entrypoint: ["node", "/app/main.js"],
        User: "65532:65532",
        Labels: labels,
      },
      rootfs: { diff_ids: [base!.digest, own!.digest] },
    });
    expect(json(image.manifest.content).annotations).toEqual(labels);
    expect(readTar(await own!.read()).get("app/main.js")).toEqual(program);
  });

  test.each([
    [["/nodejs/bin/node"], "/nodejs/bin/node"],
    [["docker-entrypoint.sh"], "node"],
    [undefined, "node"],
  ])("on a base that starts with %j runs the program with %s", (entry, node) => {
    const image = imageOf({ bases: [{ config: { config: { Entrypoint: entry } }, layers: [] }], program });
    expect(json(image.parts[0]!.config.content).config.Entrypoint).toEqual([node, "/app/main.js"]);
  });

  test("as a layout is a base image in its turn, and what is damaged is named", async () => {
    const image = imageOf({ bases: await basesOf(dockerArchive()), program });
    const layout = join(folder, "layout");
    await writeLayout(layout, image, "example:1", sbomOf(image, "{}"));
    const [again] = await basesOf(layout);
    expect(again!.layers.map(({ digest }) => digest)).toEqual(
      image.parts[0]!.layers.map(({ digest }) => digest),
    );
    const blob = join(layout, "blobs", image.blobs[1]!.digest.replace(":", "/"));
    writeFileSync(blob, `x${readFileSync(blob, "utf8").slice(1)}`);
    await expect(again!.layers[0]!.read()).rejects.toThrow(`damaged: ${image.blobs[1]!.digest}`);
  });

  test("as an archive is read as a layout, and by Docker before it knew layouts", async () => {
    const image = imageOf({ bases: await basesOf(dockerArchive()), program });
    const file = join(folder, "image.tar");
    await writeArchive(file, image, "registry.example.com/shop:1", "amd64");
    const files = readTar(readFileSync(file));
    const [docker] = json(files.get("manifest.json")!);
    expect(docker.RepoTags).toEqual(["registry.example.com/shop:1"]);
    expect(digestOf(files.get(docker.Config)!)).toBe(image.parts[0]!.config.digest);
    for (const [at, layer] of docker.Layers.entries())
      expect(digestOf(files.get(layer)!)).toBe(image.parts[0]!.layers[at]!.digest);
    expect(json(files.get("index.json")!).manifests).toEqual([
      expect.objectContaining({
        digest: image.manifest.digest,
        annotations: {
          "org.opencontainers.image.ref.name": "registry.example.com/shop:1",
          "io.containerd.image.name": "registry.example.com/shop:1",
        },
      }),
    ]);
    const [again] = await basesOf(file);
    expect(again!.layers).toHaveLength(2);
  });

  test.each([
    ["lacks digests of layers", { rootfs: undefined }, "a digest for each of its layers"],
    ["lacks a platform", { os: undefined, architecture: undefined }, "does not name its platform"],
  ])("is refused on a base that %s", async (_, change, text) => {
    await expect(readBaseFile(dockerArchive(change))).rejects.toThrow(text);
  });

  test("is refused on a layout whose digests are paths", async () => {
    const layout = mkdtempSync(join(folder, "hostile-"));
    const manifests = [{ mediaType: "x", digest: "sha256:../../../etc/passwd", size: 1 }];
    writeFileSync(join(layout, "index.json"), JSON.stringify({ schemaVersion: 2, manifests }));
    await expect(readBaseFile(layout)).rejects.toThrow("without a SHA-256 digest");
  });
});

describe("a base for several platforms", () => {
  /** One image for each, in one layout. */
  async function layoutFor(...platforms: readonly { architecture: string; variant?: string }[]) {
    const bases = platforms.map((platform) => ({ config: { os: "linux", ...platform }, layers: [] }));
    const layout = mkdtempSync(join(folder, "platforms-"));
    await writeLayout(layout, imageOf({ bases, program }), "base:1");
    return layout;
  }
  const both = () => layoutFor({ architecture: "amd64" }, { architecture: "arm64", variant: "v8" });
  const architectures = async (path: string, ...platforms: string[]) =>
    (await basesOf(path, ...platforms)).map(({ config }) => config.architecture);

  test.each([
    [[], ["amd64", "arm64"]],
    [["linux/amd64"], ["amd64"]],
    [["linux/arm64"], ["arm64"]],
    [["linux/arm64/v8"], ["arm64"]],
  ])("gives those for %j", async (platforms, expected) => {
    expect(await architectures(await both(), ...platforms)).toEqual(expected);
  });

  test("is refused for another, and those it is for are named", async () => {
    await expect(basesOf(await both(), "linux/s390x")).rejects.toThrow(
      "is not for linux/s390x but for linux/amd64, linux/arm64/v8; choose another with --platform",
    );
    const other = await layoutFor({ architecture: "s390x" });
    await expect(basesOf(other)).rejects.toThrow("is for linux/s390x; choose one with --platform");
  });

  test("or one is held to it, too", async () => {
    await expect(basesOf(dockerArchive(), "linux/arm64")).rejects.toThrow(
      "not for linux/arm64 but for linux/amd64",
    );
    expect(await architectures(dockerArchive())).toEqual(["amd64"]);
  });

  test("makes an image for all of them: an index, with what they share once", async () => {
    const image = imageOf({ bases: await basesOf(await both()), program });
    const { manifests } = json(image.manifest.content);
    expect(manifests.map(({ platform }: { platform: object }) => platform)).toEqual([
      { os: "linux", architecture: "amd64" },
      { os: "linux", architecture: "arm64", variant: "v8" },
    ]);
    expect(image.parts.map(({ manifest }) => manifest.digest)).toEqual(
      manifests.map(({ digest }: { digest: string }) => digest),
    );
    expect(new Set(image.blobs.map(({ digest }) => digest)).size).toBe(image.blobs.length);
  });
});

describe("a base image in a folder", () => {
  test.each([
    ["by its name", "../private", () => undefined],
    ["by a link", "layer", (folder: string) => symlinkSync("../private", join(folder, "layer"))],
  ])("that leads out of the folder %s is refused", async (_, layer, prepare) => {
    const outside = mkdtempSync(join(tmpdir(), "kubewright-base-"));
    const folder = join(outside, "base");
    mkdirSync(folder);
    writeFileSync(join(outside, "private"), "a key of this machine");
    prepare(folder);
    writeFileSync(join(folder, "config.json"), "{}");
    writeFileSync(
      join(folder, "manifest.json"),
      JSON.stringify([{ Config: "config.json", Layers: [layer] }]),
    );
    await expect(readBaseFile(folder)).rejects.toThrow(`${layer} leads out of it`);
    rmSync(outside, { recursive: true });
  });
});
