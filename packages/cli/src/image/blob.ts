// Content by its digest, as images are made of: what a descriptor says of it, and the bytes, read when they are needed and checked.
import { createHash } from "node:crypto";
import { isObject } from "@kubewright/api";

/** What a manifest says of a blob that it refers to. */
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

/** A blob whose bytes may still be elsewhere. */
export interface Blob extends Descriptor {
  read(): Promise<Uint8Array>;
  /** The repository of a registry that has it, from where the same registry can mount it. */
  readonly origin?: { readonly registry: string; readonly repository: string } | undefined;
}

/** A blob that was made here. */
export interface MadeBlob extends Blob {
  readonly content: Uint8Array;
}

export const mediaTypes = {
  index: "application/vnd.oci.image.index.v1+json",
  manifest: "application/vnd.oci.image.manifest.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar",
  empty: "application/vnd.oci.empty.v1+json",
} as const;

/** An image that cannot be used: damaged, or not what it claims to be. */
export class ImageError extends Error {
  override readonly name = "ImageError";
}

export const digestOf = (content: Uint8Array): string =>
  `sha256:${createHash("sha256").update(content).digest("hex")}`;

export const descriptorOf = ({ mediaType, digest, size }: Descriptor): Descriptor => ({
  mediaType,
  digest,
  size,
});

export function blobOf(mediaType: string, content: Uint8Array): MadeBlob {
  return {
    mediaType,
    digest: digestOf(content),
    size: content.length,
    content,
    read: () => Promise.resolve(content),
  };
}

/** Members without a value are left out, as JSON does. */
export const jsonBlob = (mediaType: string, value: unknown): MadeBlob =>
  blobOf(mediaType, Buffer.from(JSON.stringify(value)));

/** The content, if it is what the descriptor says. */
export function verified(content: Uint8Array, { digest, size }: Descriptor, source: string): Uint8Array {
  if (content.length !== size)
    throw new ImageError(
      `${source}: ${digest} has ${content.length} bytes, not ${size} as its manifest says`,
    );
  const found = digestOf(content);
  if (found !== digest) throw new ImageError(`${source} is damaged: ${digest} has the digest ${found}`);
  return content;
}

/** The most that is read of each sort; registries take manifests of 4 MiB at most. */
export const limits = { json: 4 * 1024 * 1024, layer: 1024 * 1024 * 1024 } as const;

/** A descriptor of an untrusted document. Its digest becomes part of paths and URLs. */
export function parseDescriptor(value: unknown, limit: number, source: string): Descriptor {
  if (!isObject(value)) throw new ImageError(`${source} has a descriptor that is no object`);
  const { mediaType, digest, size } = value;
  if (typeof digest !== "string" || !isDigest(digest))
    throw new ImageError(`${source} has a descriptor without a SHA-256 digest`);
  if (typeof size !== "number" || !Number.isSafeInteger(size) || size < 0)
    throw new ImageError(`${source}: the size of ${digest} is not a number of bytes`);
  if (size > limit)
    throw new ImageError(
      `${source}: ${digest} has ${size} bytes; more than ${limit} are not read, so use another base image`,
    );
  return { mediaType: typeof mediaType === "string" ? mediaType : "", digest, size };
}

export const isDigest = (text: string): boolean => /^sha256:[0-9a-f]{64}$/.test(text);

/** An untrusted JSON document that must be an object. */
export function parseJson(content: Uint8Array, source: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(content).toString("utf8"));
  } catch {
    throw new ImageError(`${source} cannot be read: its JSON is broken`);
  }
  if (!isObject(value)) throw new ImageError(`${source} cannot be read: its JSON is no object`);
  return value;
}
