// Pushes an image to a registry. What the registry has already is not sent again, and what it has elsewhere is mounted.
import { isObject } from "@kubewright/api";
import { type Descriptor, descriptorOf, jsonBlob, type MadeBlob, mediaTypes, parseJson } from "./blob.js";
import type { Image } from "./image.js";
import type { Reference } from "./reference.js";
import { Repository, type RepositoryOptions } from "./repository.js";
import { type Sbom, sbomType } from "./sbom.js";

export interface PushOptions extends Omit<RepositoryOptions, "actions" | "mounts"> {
  readonly sbom?: Sbom | undefined;
  readonly onBlob?: ((digest: string, outcome: "sent" | "mounted" | "there") => void) | undefined;
  /** Told why the SBOM could not be attached; the image is pushed all the same. */
  readonly onWarning?: ((text: string) => void) | undefined;
}

/** The blobs first, then what refers to them, and the tag last: it never names an image that is not whole. */
export async function pushImage(
  image: Image,
  to: Reference & { readonly tag: string },
  options: PushOptions = {},
): Promise<void> {
  const origins = image.blobs.flatMap(({ origin }) => (origin?.registry === to.registry ? [origin] : []));
  const mounts = [...new Set(origins.map(({ repository }) => repository))];
  const repository = new Repository(to.registry, to.repository, {
    ...options,
    actions: "pull,push",
    mounts: mounts.filter((name) => name !== to.repository),
  });
  for (const blob of image.blobs) {
    const outcome = await repository.pushBlob(blob);
    options.onBlob?.(blob.digest, outcome);
  }
  const isIndex = image.parts.every(({ manifest }) => manifest.digest !== image.manifest.digest);
  for (const { manifest } of isIndex ? image.parts : [])
    await repository.pushManifest(manifest.digest, manifest);
  await repository.pushManifest(to.tag, image.manifest);
  if (options.sbom) await attach(repository, image.manifest, options.sbom, options.onWarning);
}

/** Older registries refuse what refers to an image, or need a list of it under a tag of its own. */
async function attach(
  repository: Repository,
  subject: Descriptor,
  sbom: Sbom,
  onWarning: PushOptions["onWarning"],
): Promise<void> {
  try {
    for (const blob of sbom.blobs) await repository.pushBlob(blob);
    const isListed = await repository.pushManifest(sbom.manifest.digest, sbom.manifest);
    if (!isListed) await listReferrer(repository, subject, sbom.manifest);
  } catch (error) {
    onWarning?.(`the SBOM is not attached: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The referrers tag of the distribution specification: an index of everything that refers to a digest. */
async function listReferrer(repository: Repository, subject: Descriptor, manifest: MadeBlob): Promise<void> {
  const tag = subject.digest.replace(":", "-");
  const present = await repository.manifest(tag);
  const listed: unknown = present ? parseJson(present.content, tag)["manifests"] : [];
  const entries: readonly unknown[] = Array.isArray(listed) ? listed : [];
  if (entries.some((entry) => isObject(entry) && entry["digest"] === manifest.digest)) return;
  const manifests = [...entries, { ...descriptorOf(manifest), artifactType: sbomType }];
  const index = { schemaVersion: 2, mediaType: mediaTypes.index, manifests };
  await repository.pushManifest(tag, jsonBlob(mediaTypes.index, index));
}
