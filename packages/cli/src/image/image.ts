// The image of an operator: the layers of its base, and one with the bundled file. The same inputs give the same digest.
import { join } from "node:path";
import { writeWhole } from "../write-whole.js";
import { type BaseImage, type Blob, digestOf, layerType } from "./base-image.js";
import { writeTar } from "./tar.js";

export interface Image {
  /** Of the image, or the index of those for several platforms. */
  readonly manifest: Blob;
  /** The manifests that an index refers to; none without one. */
  readonly parts: readonly Blob[];
  /** The configurations and the layers. */
  readonly blobs: readonly Blob[];
}

const manifestType = "application/vnd.oci.image.manifest.v1+json";
const indexType = "application/vnd.oci.image.index.v1+json";
const configType = "application/vnd.oci.image.config.v1+json";
/** Images have a time; one that does not change keeps the image the same. */
const created = "1970-01-01T00:00:00Z";

/** The program on top of its base, or of one for each platform: a program of JavaScript is the same on all of them. */
export function imageOf(bases: readonly BaseImage[], program: Uint8Array): Image {
  const images = bases.map((base) => ({ base, image: imageOn(base, program) }));
  const [only, ...others] = images;
  if (only && others.length === 0) return only.image;
  const manifests = images.map(({ base, image }) => ({
    ...descriptor(image.manifest),
    platform: { os: base.config.os, architecture: base.config.architecture, variant: base.config.variant },
  }));
  const blobs = new Map(images.flatMap(({ image }) => image.blobs).map((blob) => [blob.digest, blob]));
  return {
    manifest: jsonBlob(indexType, { schemaVersion: 2, mediaType: indexType, manifests }),
    parts: images.map(({ image }) => image.manifest),
    blobs: [...blobs.values()],
  };
}

/** Puts the program on top of the base, to run as nobody in particular. */
function imageOn(base: BaseImage, program: Uint8Array): Image {
  const layer = blobOf(
    layerType,
    writeTar([
      { path: "app/main.js", content: program },
      { path: "app/package.json", content: Buffer.from('{"type":"module"}\n') },
    ]),
  );
  const diffs = base.config.rootfs?.diff_ids ?? [];
  const config = {
    ...base.config,
    created,
    config: {
      ...base.config.config,
      Cmd: undefined,
      Entrypoint: [nodeOf(base), "/app/main.js"],
      User: "65532:65532",
      WorkingDir: "/app",
    },
    rootfs: { type: "layers", diff_ids: [...diffs, layer.digest] },
    history: [...(base.config.history ?? []), { created, created_by: "kubewright build" }],
  };
  const configuration = jsonBlob(configType, config);
  const layers = [...base.layers, layer];
  const manifest = jsonBlob(manifestType, {
    schemaVersion: 2,
    mediaType: manifestType,
    config: descriptor(configuration),
    layers: layers.map((each) => ({ ...descriptor(each), mediaType: ociType(each.mediaType) })),
  });
  return { manifest, parts: [], blobs: [configuration, ...layers] };
}

/** Where the base has Node: where its own entry point says, or on the path. */
function nodeOf({ config }: BaseImage): string {
  const entry: unknown = config.config?.["Entrypoint"];
  const [first]: unknown[] = Array.isArray(entry) ? entry : [];
  return typeof first === "string" && /(^|\/)node$/.test(first) ? first : "node";
}

/** Writes it as an OCI layout, which podman, skopeo, crane and containerd read. */
export function writeLayout(folder: string, { manifest, parts, blobs }: Image, name: string): void {
  for (const { digest, content } of [...blobs, ...parts, manifest])
    writeWhole(join(folder, "blobs", digest.replace(":", "/")), content);
  const annotations = { "org.opencontainers.image.ref.name": name };
  const index = { schemaVersion: 2, manifests: [{ ...descriptor(manifest), annotations }] };
  writeWhole(join(folder, "oci-layout"), '{"imageLayoutVersion":"1.0.0"}\n');
  writeWhole(join(folder, "index.json"), `${JSON.stringify(index)}\n`);
}

/** Docker's names for what is the same thing. */
const ociType = (mediaType: string): string =>
  mediaType.includes("docker") ? `${layerType}${mediaType.endsWith("gzip") ? "+gzip" : ""}` : mediaType;

const descriptor = ({ mediaType, digest, size }: Blob) => ({ mediaType, digest, size });

function blobOf(mediaType: string, content: Uint8Array): Blob {
  return { mediaType, digest: digestOf(content), size: content.length, content };
}

const jsonBlob = (mediaType: string, value: unknown): Blob =>
  blobOf(mediaType, Buffer.from(JSON.stringify(value)));
