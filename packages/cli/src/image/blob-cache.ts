// Blobs of base images on disk, by their digests, so that a base is downloaded once. What was not used for a month is removed.
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { writeWhole } from "../write-whole.js";
import { type Descriptor, digestOf } from "./blob.js";

const month = 30 * 24 * 60 * 60 * 1000;

/** Where caches are kept on this machine. */
export const cacheFolder = (env: Readonly<Record<string, string | undefined>>): string =>
  join(env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "kubewright", "blobs");

export class BlobCache {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The content with a digest, from here or, the first time, from where it is loaded. */
  async read({ digest }: Pick<Descriptor, "digest">, load: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const found = this.#find(digest);
    if (found) return found;
    const content = await load();
    this.#keep(digest, content);
    return content;
  }

  /** What is damaged counts as missing. */
  #find(digest: string): Uint8Array | undefined {
    const file = this.#file(digest);
    if (!existsSync(file)) return undefined;
    const content = readFileSync(file);
    if (digestOf(content) !== digest) return undefined;
    const now = new Date();
    utimesSync(file, now, now);
    return content;
  }

  /** A cache that cannot be written costs time and nothing else. */
  #keep(digest: string, content: Uint8Array): void {
    try {
      writeWhole(this.#file(digest), content);
      for (const name of readdirSync(this.#folder)) {
        const file = join(this.#folder, name);
        if (Date.now() - statSync(file).mtimeMs > month) rmSync(file, { force: true });
      }
    } catch {
      // The next build downloads it again.
    }
  }

  #file(digest: string): string {
    return join(this.#folder, digest.replace(":", "-"));
  }
}
