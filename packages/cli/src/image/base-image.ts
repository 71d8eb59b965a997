// A base image on disk: an OCI layout, in a folder or a tar archive, or what `docker save` wrote.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { UsageError } from "../command.js";
import { readTar } from "./tar.js";

export interface Blob {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly content: Uint8Array;
}

/** The configuration of an image, as much of it as is looked at. */
export interface ImageConfig {
  readonly architecture?: string;
  readonly os?: string;
  readonly variant?: string;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly rootfs?: { readonly type: string; readonly diff_ids: readonly string[] };
  readonly history?: readonly unknown[];
  readonly [field: string]: unknown;
}

export interface BaseImage {
  readonly config: ImageConfig;
  readonly layers: readonly Blob[];
}

export const layerType = "application/vnd.oci.image.layer.v1.tar";

/** An image that has nothing in it. */
export const scratch: BaseImage = { config: { architecture: "amd64", os: "linux" }, layers: [] };

export function digestOf(content: Uint8Array): string {
  return `sha256:${createHash("sha256").update(content).digest("hex")}`;
}

/** Reads one; `platform` is `linux/arm64`, of a base for several, or what a base for one must be for. */
export function readBaseImage(path: string, platform?: string): BaseImage {
  if (!existsSync(path)) throw new UsageError(`--base ${path}: there is no such file or folder`);
  const read = statSync(path).isDirectory() ? folderReader(path) : archiveReader(path);
  const index = read("index.json");
  const manifest = read("manifest.json");
  if (index) return checked(fromLayout(read, index, platform ?? usualPlatform), platform);
  if (manifest) return checked(fromDocker(read, manifest), platform);
  throw new UsageError(`--base ${path} is neither an OCI layout nor an archive of docker save`);
}

const usualPlatform = "linux/amd64";

/** A base that does not say in its index what it is for says so itself. */
function checked(base: BaseImage, platform: string | undefined): BaseImage {
  if (platform !== undefined && base.config.os !== undefined && !isFor(base.config, platform))
    throw otherPlatform(platform, [platformName(base.config)]);
  return base;
}

interface Platform {
  readonly os?: string;
  readonly architecture?: string;
  readonly variant?: string;
}

const platformName = ({ os = "?", architecture = "?", variant }: Platform): string =>
  [os, architecture, variant].filter((part) => part !== undefined).join("/");

/** `linux/arm64` is any variant of it. */
const isFor = (own: Platform, wanted: string): boolean =>
  platformName(own) === wanted || `${own.os}/${own.architecture}` === wanted;

const otherPlatform = (wanted: string, there: readonly string[]): UsageError =>
  new UsageError(
    `the base image is not for ${wanted} but for ${there.join(", ")}; choose another with --platform`,
  );

type Read = (name: string) => Uint8Array | undefined;

const folderReader =
  (folder: string): Read =>
  (name) => {
    const file = join(folder, name);
    return existsSync(file) ? readFileSync(file) : undefined;
  };

function archiveReader(path: string): Read {
  const bytes = readFileSync(path);
  const files = readTar(bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes);
  return (name) => files.get(name);
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly platform?: Platform;
}

function fromLayout(read: Read, index: Uint8Array, platform: string): BaseImage {
  const blob = ({ digest, mediaType }: Descriptor): Blob => {
    const content = read(`blobs/${digest.replace(":", "/")}`);
    if (!content) throw new UsageError(`the base image lacks ${digest}`);
    if (digestOf(content) !== digest)
      throw new UsageError(`the base image is damaged: ${digest} is not what it says`);
    return { mediaType, digest, size: content.length, content };
  };
  const manifest = chosenManifest(json<{ manifests: Descriptor[] }>(index).manifests, platform, blob);
  const { config, layers } = json<{ config: Descriptor; layers: Descriptor[] }>(manifest.content);
  return { config: json<ImageConfig>(blob(config).content), layers: layers.map(blob) };
}

/** Indexes may point at indexes, a few levels deep. */
function chosenManifest(
  manifests: readonly Descriptor[],
  platform: string,
  blob: (of: Descriptor) => Blob,
  depth = 0,
): Blob {
  const found = manifests.find(({ platform: own }) => !own || isFor(own, platform));
  if (depth > 3) throw new UsageError("the base image cannot be read: its indexes are nested too deeply");
  if (!found)
    throw otherPlatform(
      platform,
      // Attestations stand beside images under a platform that is none.
      manifests.flatMap(({ platform: own }) => (own?.os && own.os !== "unknown" ? [platformName(own)] : [])),
    );
  const content = blob(found);
  if (!/index|manifest\.list/.test(found.mediaType)) return content;
  return chosenManifest(
    json<{ manifests: Descriptor[] }>(content.content).manifests,
    platform,
    blob,
    depth + 1,
  );
}

function fromDocker(read: Read, manifest: Uint8Array): BaseImage {
  const [first] = json<{ Config: string; Layers: string[] }[]>(manifest);
  if (!first) throw new UsageError("the base image's archive is empty");
  const content = (name: string): Uint8Array => {
    const found = read(name);
    if (!found) throw new UsageError(`the base image lacks ${name}`);
    return found;
  };
  const layers = first.Layers.map((name): Blob => {
    const layer = content(name);
    const isZipped = layer[0] === 0x1f && layer[1] === 0x8b;
    return {
      mediaType: `${layerType}${isZipped ? "+gzip" : ""}`,
      digest: digestOf(layer),
      size: layer.length,
      content: layer,
    };
  });
  return { config: json<ImageConfig>(content(first.Config)), layers };
}

/** The shape is that of a format; what is missing shows when it is looked for. */
function json<T>(content: Uint8Array): T {
  try {
    return JSON.parse(Buffer.from(content).toString("utf8"));
  } catch {
    throw new UsageError("the base image cannot be read: its JSON is broken");
  }
}
