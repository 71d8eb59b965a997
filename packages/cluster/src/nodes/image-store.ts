// Images on simulated nodes: each is pulled once per node, unless its name says that it cannot exist.
import { type ContainerRequest, ImageError, type PulledImage } from "./container-runtime.js";

const missingImage = /(does-?not-?exist|non-?existent|no-such-image|missing-image)/i;
const reference = /^[a-z0-9]([a-zA-Z0-9._:/@-]*[a-zA-Z0-9])?$/;

export class ImageStore {
  /** By node, then by name. */
  readonly #nodes = new Map<string, Map<string, PulledImage>>();

  /** The image on the node; undefined when it has to be pulled. Throws an ImageError when it can never be had. */
  find({ pod, container: { image = "", imagePullPolicy } }: ContainerRequest): PulledImage | undefined {
    if (!reference.test(image))
      throw new ImageError(
        "InvalidImageName",
        `Failed to apply default image tag "${image}": couldn't parse image name "${image}": invalid reference format`,
      );
    const present = this.#nodes.get(pod.spec?.nodeName ?? "")?.get(image);
    if (imagePullPolicy !== "Never") return imagePullPolicy === "Always" ? undefined : present;
    // A pod that forbids pulling expects the image on the node already.
    if (!missingImage.test(image)) return present ?? this.#add(pod.spec?.nodeName ?? "", image);
    throw new ImageError(
      "ErrImageNeverPull",
      `Container image "${image}" is not present with pull policy of Never`,
    );
  }

  /** Whether the layers are there, so that a pull takes no time. */
  has(node: string, image: string): boolean {
    return this.#nodes.get(node)?.has(image) ?? false;
  }

  pull({ pod, container: { image = "" } }: ContainerRequest, error: string | undefined): PulledImage {
    if (error !== undefined) throw new ImageError("ErrImagePull", error);
    if (missingImage.test(image))
      throw new ImageError(
        "ErrImagePull",
        `failed to pull and unpack image "${image}": failed to resolve reference "${image}": not found`,
      );
    return this.#add(pod.spec?.nodeName ?? "", image);
  }

  on(node: string): readonly { readonly name: string; readonly image: PulledImage }[] {
    return [...(this.#nodes.get(node) ?? [])].map(([name, image]) => ({ name, image }));
  }

  #add(node: string, name: string): PulledImage {
    let images = this.#nodes.get(node);
    if (!images) {
      images = new Map();
      this.#nodes.set(node, images);
    }
    const known = images.get(name);
    if (known) return known;
    const hash = digest(name);
    // Some plausible size, always the same for the same image.
    const bytes = 1_000_000 + (Number.parseInt(hash.slice(0, 6), 16) % 90_000_000);
    const image = { id: `${name.split("@")[0]}@sha256:${hash}`, wasPresent: true, bytes };
    images.set(name, image);
    return image;
  }
}

/** The same image always has the same identity: FNV-1a, stretched to the length of a digest. */
function digest(image: string): string {
  let text = "";
  for (let round = 0; text.length < 64; round++) {
    let hash = 0x811c9dc5 ^ round;
    for (let at = 0; at < image.length; at++) hash = Math.imul(hash ^ image.charCodeAt(at), 0x01000193);
    text += (hash >>> 0).toString(16).padStart(8, "0");
  }
  return text;
}
