// A base image from its registry. A tag is resolved to a digest once; everything below is read by digest and checked.
import { type Base, type BlobSource, imagesIn } from "./base-image.js";
import { type Descriptor, digestOf, ImageError } from "./blob.js";
import type { BlobCache } from "./blob-cache.js";
import { type Reference, referenceText } from "./reference.js";
import { Repository, type RepositoryOptions } from "./repository.js";

export interface PullOptions extends Omit<RepositoryOptions, "actions" | "mounts"> {
  readonly cache: BlobCache;
  /** Called when a layer was downloaded, and not found in the cache. */
  readonly onDownload?: ((layer: Descriptor) => void) | undefined;
}

/** Finds a base; its layers are downloaded when they are read. */
export async function pullBase(reference: Reference, options: PullOptions): Promise<Base> {
  const { registry, repository: name } = reference;
  const repository = new Repository(registry, name, { ...options, actions: "pull" });
  const origin = { registry, repository: name };
  const manifest = (digest: string) => options.cache.read({ digest }, () => findManifest(repository, digest));
  const source: BlobSource = {
    name: referenceText(reference),
    // Manifests and configurations are at different addresses; only manifests have these types.
    json: (descriptor) =>
      isManifest(descriptor)
        ? manifest(descriptor.digest)
        : options.cache.read(descriptor, () => repository.blob(descriptor)),
    layer: (descriptor) => ({
      ...descriptor,
      origin,
      read: () =>
        options.cache.read(descriptor, async () => {
          const content = await repository.blob(descriptor);
          options.onDownload?.(descriptor);
          return content;
        }),
    }),
  };
  const content = reference.digest
    ? await manifest(reference.digest)
    : await findManifest(repository, reference.tag ?? "latest");
  const digest = digestOf(content);
  // What was read by its tag need not be read again by its digest.
  const known: BlobSource = {
    ...source,
    json: async (descriptor) => (descriptor.digest === digest ? content : source.json(descriptor)),
  };
  const root = { mediaType: "", digest, size: content.length };
  return {
    source: source.name,
    reference: { name: referenceText({ ...reference, digest: undefined }), digest },
    images: await imagesIn(known, root),
  };
}

const isManifest = ({ mediaType }: Descriptor): boolean => /manifest|index/.test(mediaType);

async function findManifest(repository: Repository, reference: string): Promise<Uint8Array> {
  const found = await repository.manifest(reference);
  if (found) return found.content;
  const separator = reference.startsWith("sha256:") ? "@" : ":";
  throw new ImageError(
    `${repository.registry} has no image ${repository.name}${separator}${reference}; is it spelled right?`,
  );
}
