// An image on disk: an OCI layout, in a folder or as a tar archive.
import { join } from "node:path";
import { writeWhole } from "../write-whole.js";
import { type Blob, descriptorOf } from "./blob.js";
import type { Image } from "./image.js";
import { parseReference, referenceText } from "./reference.js";
import { type Sbom, sbomType } from "./sbom.js";
import { writeTar } from "./tar.js";

/** Writes a folder, which podman, skopeo, crane and containerd read; the SBOM is in it as a referrer of the image. */
export async function writeLayout(folder: string, image: Image, name: string, sbom?: Sbom): Promise<void> {
  for (const blob of blobsOf(image, sbom)) writeWhole(join(folder, blobPath(blob.digest)), await blob.read());
  writeWhole(join(folder, "oci-layout"), layoutVersion);
  writeWhole(join(folder, "index.json"), indexText(image, name, sbom));
}

/**
 * Writes an archive that `docker load`, `podman load`, `kind load image-archive` and `ctr images import` read: the layout, and for older
 * versions of Docker the description of the image for one platform.
 */
export async function writeArchive(
  file: string,
  image: Image,
  name: string,
  architecture: string,
): Promise<void> {
  const files = new Map<string, Uint8Array>();
  for (const blob of blobsOf(image)) files.set(blobPath(blob.digest), await blob.read());
  const part = image.parts.find(({ platform }) => platform.architecture === architecture) ?? image.parts[0];
  const docker = {
    Config: blobPath(part?.config.digest ?? ""),
    RepoTags: [name],
    Layers: part?.layers.map(({ digest }) => blobPath(digest)) ?? [],
  };
  const text = (path: string, content: string) => ({ path, content: Buffer.from(content) });
  const archive = writeTar([
    text("oci-layout", layoutVersion),
    text("index.json", indexText(image, name)),
    text("manifest.json", `${JSON.stringify([docker])}\n`),
    ...[...files].map(([path, content]) => ({ path, content })),
  ]);
  writeWhole(file, archive);
}

const layoutVersion = '{"imageLayoutVersion":"1.0.0"}\n';

const blobPath = (digest: string): string => `blobs/${digest.replace(":", "/")}`;

/** Everything an image is made of, each once. */
function blobsOf({ manifest, parts, blobs }: Image, sbom?: Sbom): readonly Blob[] {
  const all = [...blobs, ...parts.map((part) => part.manifest), manifest];
  const attached = sbom ? [...sbom.blobs, sbom.manifest] : [];
  return [...new Map([...all, ...attached].map((blob) => [blob.digest, blob])).values()];
}

/** Podman takes the name from one annotation, containerd from the other, in full. */
function indexText({ manifest }: Image, name: string, sbom?: Sbom): string {
  const reference = parseReference(name);
  const annotations = {
    "org.opencontainers.image.ref.name": name,
    ...(reference ? { "io.containerd.image.name": referenceText(reference) } : {}),
  };
  const attached = sbom ? [{ ...descriptorOf(sbom.manifest), artifactType: sbomType }] : [];
  const manifests = [{ ...descriptorOf(manifest), annotations }, ...attached];
  return `${JSON.stringify({ schemaVersion: 2, manifests })}\n`;
}
