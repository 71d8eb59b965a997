// The image of an operator: the layers of its base, and one with the bundled file. The same inputs give the same digest.
import type { BaseImage } from "./base-image.js";
import { type Blob, blobOf, descriptorOf, jsonBlob, type MadeBlob, mediaTypes } from "./blob.js";
import type { Platform } from "./platform.js";
import { writeTar } from "./tar.js";

export interface Image {
  /** Of the image, or the index of those for several platforms. */
  readonly manifest: MadeBlob;
  /** The image for each platform; one where there is no index. */
  readonly parts: readonly ImagePart[];
  /** The configurations and the layers, each once. */
  readonly blobs: readonly Blob[];
}

/** The image for one platform. */
export interface ImagePart {
  readonly platform: Platform;
  readonly manifest: MadeBlob;
  readonly config: MadeBlob;
  readonly layers: readonly Blob[];
}

export interface ImageContent {
  /** One for each platform: a program of JavaScript is the same on all of them. */
  readonly bases: readonly BaseImage[];
  readonly program: Uint8Array;
  /** Labels of the configuration, and annotations of the manifests. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** When it was made; a fixed time by default, which keeps the image the same. */
  readonly created?: string | undefined;
}

/** The time of everything that must have one and should not change. */
export const fixedTime = "1970-01-01T00:00:00Z";

/** An image, or an index of images where there are several bases. */
export function imageOf(content: ImageContent): Image {
  const parts = content.bases.map((base) => partOn(base, content));
  const blobs = new Map<string, Blob>();
  for (const { config, layers } of parts)
    for (const blob of [config, ...layers]) blobs.set(blob.digest, blob);
  const [only, ...others] = parts;
  if (!only) throw new Error("an image needs a base");
  return {
    manifest: others.length === 0 ? only.manifest : indexOf(parts, content.labels),
    parts,
    blobs: [...blobs.values()],
  };
}

const indexOf = (parts: readonly ImagePart[], annotations: ImageContent["labels"]): MadeBlob =>
  jsonBlob(mediaTypes.index, {
    schemaVersion: 2,
    mediaType: mediaTypes.index,
    manifests: parts.map(({ manifest, platform }) => ({ ...descriptorOf(manifest), platform })),
    annotations,
  });

/** Puts the program on top of the base, to run as a user without rights. */
function partOn(base: BaseImage, { program, labels, created = fixedTime }: ImageContent): ImagePart {
  const layer = programLayer(program);
  const layers = [...base.layers, layer];
  const config = jsonBlob(mediaTypes.config, {
    ...base.config,
    created,
    config: {
      ...base.config.config,
      Cmd: undefined,
      Entrypoint: [nodeOf(base), "/app/main.js"],
      Env: environmentOf(base),
      Labels: { ...labelsOf(base), ...labels },
      User: "65532:65532",
      WorkingDir: "/app",
    },
    rootfs: { type: "layers", diff_ids: [...(base.config.rootfs?.diff_ids ?? []), layer.digest] },
    history: [...(base.config.history ?? []), { created, created_by: "kubewright build" }],
  });
  const manifest = jsonBlob(mediaTypes.manifest, {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config: descriptorOf(config),
    layers: layers.map((each) => ({ ...descriptorOf(each), mediaType: ociType(each.mediaType) })),
    annotations: labels,
  });
  const { os, architecture, variant } = base.config;
  return {
    platform: { ...(os && { os }), ...(architecture && { architecture }), ...(variant && { variant }) },
    manifest,
    config,
    layers,
  };
}

/** Not compressed: the digest would depend on the version of zlib. */
const programLayer = (program: Uint8Array): MadeBlob =>
  blobOf(
    mediaTypes.layer,
    writeTar([
      { path: "app/main.js", content: program },
      { path: "app/package.json", content: Buffer.from('{"type":"module"}\n') },
    ]),
  );

/** Where the base has Node: where its own entry point says, or on the path. */
function nodeOf({ config }: BaseImage): string {
  const entry: unknown = config.config?.["Entrypoint"];
  const [first]: unknown[] = Array.isArray(entry) ? entry : [];
  return typeof first === "string" && /(^|\/)node$/.test(first) ? first : "node";
}

function environmentOf({ config }: BaseImage): readonly unknown[] {
  const own: unknown = config.config?.["Env"];
  const others = Array.isArray(own) ? own.filter((each) => !/^NODE_ENV=/.test(String(each))) : [];
  return [...others, "NODE_ENV=production"];
}

/** Those of the base that say what the base is would be wrong of the image. */
function labelsOf({ config }: BaseImage): Readonly<Record<string, unknown>> {
  const own = Object.entries(config.config?.["Labels"] ?? {});
  return Object.fromEntries(own.filter(([name]) => !name.startsWith("org.opencontainers.image.")));
}

/** Docker's names for what is the same thing. */
const ociType = (mediaType: string): string =>
  mediaType.includes("docker")
    ? `${mediaTypes.layer}${mediaType.endsWith("gzip") ? "+gzip" : ""}`
    : mediaType;
