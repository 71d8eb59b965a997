// A base image: what an image is built on. It may be for several platforms, each with a configuration and layers of its own.
import { isObject } from "@kubewright/api";
import { UsageError } from "../command.js";
import { type Blob, type Descriptor, ImageError, limits, parseDescriptor, parseJson } from "./blob.js";
import { isFor, type Platform, parsePlatform, platformName } from "./platform.js";

/** The configuration of an image, as much of it as is looked at. */
export interface ImageConfig extends Platform {
  readonly config?: Readonly<Record<string, unknown>>;
  readonly rootfs?: { readonly type: string; readonly diff_ids: readonly string[] };
  readonly history?: readonly unknown[];
  readonly [field: string]: unknown;
}

/** The image for one platform. */
export interface BaseImage {
  readonly config: ImageConfig;
  readonly layers: readonly Blob[];
}

/** A base as it was found, before a platform is chosen. */
export interface Base {
  /** For people. */
  readonly source: string;
  /** With its digest, where it comes from a registry. */
  readonly reference?: { readonly name: string; readonly digest: string } | undefined;
  readonly images: readonly PlatformImage[];
}

export interface PlatformImage {
  readonly platform: Platform;
  read(): Promise<BaseImage>;
}

/** Those that clusters have; of what a base is for, these are taken by default. */
const usualPlatforms = ["linux/amd64", "linux/arm64"];

/** The image for each platform. Default: linux/amd64 and linux/arm64, whichever there are. */
export async function imagesFor(
  base: Base,
  platforms: readonly string[] | undefined,
): Promise<readonly BaseImage[]> {
  const found = (platform: string) => base.images.find((image) => isFor(image.platform, platform));
  const there = base.images.map(({ platform }) => platformName(platform)).join(", ");
  const wanted = platforms ?? usualPlatforms.filter(found);
  if (wanted.length === 0)
    throw new UsageError(`${base.source} is for ${there || "no platform"}; choose one with --platform`);
  const images: BaseImage[] = [];
  for (const platform of wanted) {
    const image = found(platform);
    if (!image)
      throw new UsageError(
        `${base.source} is not for ${platform} but for ${there}; choose another with --platform`,
      );
    images.push(await image.read());
  }
  return images;
}

/** Reads what an index or a manifest refers to. */
export interface BlobSource {
  readonly name: string;
  /** Small documents, checked. */
  json(descriptor: Descriptor): Promise<Uint8Array>;
  /** A layer, which is read later. */
  layer(descriptor: Descriptor): Blob;
}

const mostImages = 200;
const deepest = 3;

/** The images of an index or a manifest; an index may refer to others, a few levels deep. */
export async function imagesIn(
  source: BlobSource,
  descriptor: Descriptor,
  platform?: Platform,
  depth = 0,
): Promise<readonly PlatformImage[]> {
  if (depth > deepest) throw new ImageError(`${source.name}: its indexes are nested too deeply`);
  // Attestations stand beside images under a platform that is none; they are never read.
  if (platform?.os === "unknown") return [];
  if (platform && !isIndex(descriptor.mediaType))
    return [{ platform, read: async () => readImage(source, await source.json(descriptor)) }];
  const content = await source.json(descriptor);
  const document = parseJson(content, source.name);
  const manifests = document["manifests"];
  if (Array.isArray(manifests)) return imagesOfIndex(source, manifests, depth);
  const image = await readImage(source, content);
  return [{ platform: platform ?? image.config, read: async () => image }];
}

export async function imagesOfIndex(source: BlobSource, manifests: readonly unknown[], depth = 0) {
  if (manifests.length > mostImages)
    throw new ImageError(`${source.name}: its index has ${manifests.length} images`);
  const found: PlatformImage[] = [];
  for (const entry of manifests) {
    const child = parseDescriptor(entry, limits.json, source.name);
    const platform = isObject(entry) ? parsePlatform(entry["platform"]) : undefined;
    found.push(...(isImage(entry) ? await imagesIn(source, child, platform, depth + 1) : []));
  }
  return found;
}

const isIndex = (mediaType: string): boolean => /index|manifest\.list/.test(mediaType);

/** SBOMs and signatures stand in indexes, too. */
const isImage = (entry: unknown): boolean => isObject(entry) && entry["artifactType"] === undefined;

async function readImage(source: BlobSource, manifest: Uint8Array): Promise<BaseImage> {
  const { config, layers } = parseJson(manifest, source.name);
  const content = await source.json(parseDescriptor(config, limits.json, source.name));
  if (!Array.isArray(layers)) throw new ImageError(`${source.name} has a manifest without layers`);
  const descriptors = layers.map((layer) => parseDescriptor(layer, limits.layer, source.name));
  return checkedImage(
    content,
    descriptors.map((layer) => source.layer(layer)),
    source.name,
  );
}

/** An image whose configuration and layers belong together. */
export function checkedImage(content: Uint8Array, layers: readonly Blob[], source: string): BaseImage {
  const config: ImageConfig = parseJson(content, source);
  const diffs: unknown = config.rootfs?.diff_ids ?? [];
  const isComplete =
    Array.isArray(diffs) && diffs.length === layers.length && diffs.every((each) => typeof each === "string");
  if (!isComplete)
    throw new ImageError(`${source}: its configuration does not have a digest for each of its layers`);
  if (parsePlatform(config) === undefined)
    throw new ImageError(`${source}: its configuration does not name its platform`);
  return { config, layers };
}
