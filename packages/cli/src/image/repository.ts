// A repository of a registry, by the OCI distribution API: reads that are bounded and checked, uploads that are tried again.
import {
  type Blob,
  type Descriptor,
  digestOf,
  ImageError,
  limits,
  type MadeBlob,
  mediaTypes,
  verified,
} from "./blob.js";
import type { Credentials } from "./credentials.js";
import { originOf } from "./reference.js";
import { failure, loginRemedy, RegistrySession, reasonOf } from "./registry-session.js";
import { type Pause, retried, TemporaryError } from "./retry.js";

export interface RepositoryOptions {
  readonly credentials?: Credentials | undefined;
  /** Registries that are reached by HTTP. */
  readonly insecure?: ReadonlySet<string> | undefined;
  /** `pull`, or `pull,push`. */
  readonly actions: string;
  /** Other repositories of the registry that blobs are mounted from. */
  readonly mounts?: readonly string[] | undefined;
  readonly pause?: Pause | undefined;
}

const manifestTypes = [
  mediaTypes.index,
  mediaTypes.manifest,
  "application/vnd.docker.distribution.manifest.list.v2+json",
  "application/vnd.docker.distribution.manifest.v2+json",
].join(", ");

export class Repository {
  readonly registry: string;
  readonly name: string;
  readonly #base: string;
  readonly #session: RegistrySession;
  readonly #options: RepositoryOptions;

  constructor(registry: string, name: string, options: RepositoryOptions) {
    this.registry = registry;
    this.name = name;
    this.#options = options;
    const origin = originOf(registry, options.insecure);
    this.#base = `${origin}/v2/${name}`;
    this.#session = new RegistrySession(origin, {
      credentials: options.credentials,
      scopes: [
        `repository:${name}:${options.actions}`,
        ...(options.mounts ?? []).map((other) => `repository:${other}:pull`),
      ],
    });
  }

  /** A manifest or an index by its tag or digest; nothing where there is none. */
  async manifest(reference: string): Promise<MadeBlob | undefined> {
    return this.#retried(async () => {
      const response = await this.#call(`/manifests/${reference}`, { headers: { accept: manifestTypes } });
      if (response.status === 404) {
        await response.body?.cancel();
        return undefined;
      }
      await this.#expect(response, [200], `${this.name}:${reference}`);
      const content = await this.#read(response, limits.json, reference);
      const digest = digestOf(content);
      const header = response.headers.get("docker-content-digest") ?? "";
      const claimed = [reference, header].find((text) => text.startsWith("sha256:")) ?? digest;
      if (claimed !== digest)
        throw new ImageError(
          `${this.registry} is not to be trusted: what it calls ${claimed} of ${this.name} has the digest ${digest}`,
        );
      const mediaType = (response.headers.get("content-type") ?? "").split(";")[0]?.trim() ?? "";
      return { mediaType, digest, size: content.length, content, read: async () => content };
    });
  }

  /** A blob; what is not as its descriptor says is an error. */
  async blob(descriptor: Descriptor): Promise<Uint8Array> {
    return this.#retried(async () => {
      const response = await this.#call(`/blobs/${descriptor.digest}`);
      await this.#expect(response, [200], descriptor.digest);
      const content = await this.#read(response, descriptor.size, descriptor.digest);
      // A connection that ended early is worth another try; other content under the digest is not.
      if (content.length < descriptor.size)
        throw new TemporaryError(
          `${this.registry} sent ${content.length} of the ${descriptor.size} bytes of ${descriptor.digest}`,
        );
      return verified(content, descriptor, `${this.registry}/${this.name}`);
    });
  }

  /** Uploads a blob, unless it is there or can be mounted. */
  async pushBlob(blob: Blob): Promise<"sent" | "mounted" | "there"> {
    return this.#retried(async () => {
      const there = await this.#call(`/blobs/${blob.digest}`, { method: "HEAD" });
      if (there.status === 200) return "there";
      if (there.status !== 404) await this.#expect(there, [200], blob.digest);
      const begun = await this.#beginUpload(blob);
      if (begun === undefined) return "mounted";
      const response = await this.#session.call(begun, {
        method: "PUT",
        headers: { "content-type": "application/octet-stream" },
        body: Buffer.from(await blob.read()),
      });
      await this.#expect(response, [201], blob.digest);
      await response.body?.cancel();
      return "sent";
    });
  }

  /** Where to send a blob; nothing when the registry has mounted it from a repository that has it. */
  async #beginUpload({ digest, origin }: Blob): Promise<string | undefined> {
    const mount =
      origin?.registry === this.registry && origin.repository !== this.name
        ? `?mount=${digest}&from=${encodeURIComponent(origin.repository)}`
        : "";
    const begun = await this.#call(`/blobs/uploads/${mount}`, { method: "POST" });
    await this.#expect(begun, mount === "" ? [202] : [201, 202], digest);
    await begun.body?.cancel();
    if (begun.status === 201) return undefined;
    const location = new URL(begun.headers.get("location") ?? "", `${this.#base}/blobs/uploads/`);
    // What is there stays as it was written: it may be signed.
    location.search += `${location.search === "" ? "?" : "&"}digest=${digest}`;
    return location.href;
  }

  /** Stores a manifest under a tag or its digest. Resolves whether the registry has taken note of its subject. */
  async pushManifest(reference: string, { mediaType, content }: MadeBlob): Promise<boolean> {
    return this.#retried(async () => {
      const response = await this.#call(`/manifests/${reference}`, {
        method: "PUT",
        headers: { "content-type": mediaType },
        body: Buffer.from(content),
      });
      await this.#expect(response, [201], `the manifest ${this.name}:${reference}`);
      await response.body?.cancel();
      return response.headers.has("oci-subject");
    });
  }

  #retried<T>(operation: () => Promise<T>): Promise<T> {
    return retried(operation, this.#options.pause);
  }

  #call(path: string, init?: RequestInit): Promise<Response> {
    return this.#session.call(`${this.#base}${path}`, init);
  }

  async #expect(response: Response, statuses: readonly number[], what: string): Promise<void> {
    if (statuses.includes(response.status)) return;
    const text = Buffer.from(await this.#read(response, 4096, what, true)).toString("utf8");
    const isRefused = response.status === 401 || response.status === 403;
    const remedy = isRefused ? loginRemedy(this.#options.credentials) : "";
    const detail = printable(text);
    throw failure(
      response,
      `${this.registry} answers ${response.status} to ${what}${remedy}${detail === "" ? "" : `: ${detail}`}`,
    );
  }

  /** The body, up to a number of bytes; what is longer is an error, or cut. */
  async #read(response: Response, limit: number, what: string, isCut = false): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    const body: AsyncIterable<Uint8Array> | null = response.body;
    try {
      for await (const chunk of body ?? []) {
        size += chunk.length;
        if (size > limit && isCut) break;
        if (size > limit)
          throw new ImageError(`${this.registry} sends more than the ${limit} bytes that ${what} may have`);
        chunks.push(chunk);
      }
    } catch (error) {
      if (error instanceof ImageError) throw error;
      throw new TemporaryError(`${this.registry} broke off ${what}: ${reasonOf(error)}`, { cause: error });
    }
    return Buffer.concat(chunks);
  }
}

/** The text of a stranger on one line, without what terminals would obey. */
const printable = (text: string): string =>
  text
    .replaceAll(/\p{Cc}+/gu, " ")
    .trim()
    .slice(0, 300);
