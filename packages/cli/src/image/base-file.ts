// A base image on disk: an OCI layout, in a folder or a tar archive, or what `docker save` wrote.
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { gunzipSync } from "node:zlib";
import { isObject } from "@kubewright/api";
import { UsageError } from "../command.js";
import { type Base, type BlobSource, checkedImage, imagesOfIndex } from "./base-image.js";
import { type Blob, blobOf, type Descriptor, ImageError, mediaTypes, parseJson, verified } from "./blob.js";
import { readTar } from "./tar.js";

/** Reads one from a path that exists. */
export async function readBaseFile(path: string): Promise<Base> {
  const read = statSync(path).isDirectory() ? folderReader(path) : archiveReader(path);
  const index = read("index.json");
  const manifest = read("manifest.json");
  if (index) return { source: path, images: await imagesOfLayout(path, read, index) };
  if (manifest) return { source: path, images: imagesOfDocker(path, read, manifest) };
  throw new UsageError(`--base ${path} is neither an OCI layout nor an archive of docker save`);
}

type Read = (name: string) => Uint8Array | undefined;

const folderReader =
  (folder: string): Read =>
  (name) => {
    const file = join(folder, name);
    if (!existsSync(file)) return undefined;
    // The files of an image name others: an image from elsewhere must not reach the files of this machine.
    if (!realpathSync(file).startsWith(`${realpathSync(folder)}${sep}`))
      throw new ImageError(`${folder} cannot be used: ${name} leads out of it`);
    return readFileSync(file);
  };

function archiveReader(path: string): Read {
  const bytes = readFileSync(path);
  const files = readTar(isGzip(bytes) ? gunzipSync(bytes) : bytes);
  return (name) => files.get(name);
}

const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

async function imagesOfLayout(path: string, read: Read, index: Uint8Array) {
  const content = (descriptor: Descriptor): Uint8Array => {
    const found = read(`blobs/${descriptor.digest.replace(":", "/")}`);
    if (!found) throw new ImageError(`${path} lacks ${descriptor.digest}`);
    return verified(found, descriptor, path);
  };
  const source: BlobSource = {
    name: path,
    json: async (descriptor) => content(descriptor),
    layer: (descriptor) => ({ ...descriptor, read: async () => content(descriptor) }),
  };
  const { manifests } = parseJson(index, path);
  return imagesOfIndex(source, Array.isArray(manifests) ? manifests : []);
}

function imagesOfDocker(path: string, read: Read, manifest: Uint8Array) {
  const { config, layers } = parseDockerManifest(manifest, path);
  const content = (name: string): Uint8Array => {
    const found = read(name);
    if (!found) throw new ImageError(`${path} lacks ${name}`);
    return found;
  };
  const blobs = layers.map((name): Blob => {
    const layer = content(name);
    return blobOf(`${mediaTypes.layer}${isGzip(layer) ? "+gzip" : ""}`, layer);
  });
  const image = checkedImage(content(config), blobs, path);
  return [{ platform: image.config, read: async () => image }];
}

/** The first image of an archive of `docker save`. */
function parseDockerManifest(content: Uint8Array, path: string) {
  const broken = new ImageError(`${path} cannot be read: its manifest.json is not that of docker save`);
  let images: unknown;
  try {
    images = JSON.parse(Buffer.from(content).toString("utf8"));
  } catch {
    throw broken;
  }
  const first: unknown = Array.isArray(images) ? images[0] : undefined;
  if (!isObject(first)) throw broken;
  const { Config: config, Layers: layers } = first;
  if (typeof config !== "string" || !Array.isArray(layers)) throw broken;
  const names = layers.filter((name) => typeof name === "string");
  if (names.length !== layers.length) throw broken;
  return { config, layers: names };
}
