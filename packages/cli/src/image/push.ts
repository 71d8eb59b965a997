// Pushes an image to a registry, by the distribution API. What the registry has already is not sent again.
import { UsageError } from "../command.js";
import type { Blob } from "./base-image.js";
import type { Image } from "./image.js";

/** `registry.example.com:5000/team/modelbox:1.0`, taken apart. */
export interface Reference {
  readonly origin: string;
  readonly repository: string;
  readonly tag: string;
}

/** Registries on this machine speak HTTP, all others TLS. */
export function parseReference(text: string): Reference {
  const match = /^([a-z0-9.-]+(?::\d+)?)\/([a-z0-9]+(?:[._/-][a-z0-9]+)*):([\w][\w.-]{0,127})$/.exec(text);
  const [, host = "", repository = "", tag = ""] = match ?? [];
  if (!match || !/[.:]|^localhost/.test(host))
    throw new UsageError(
      `--image ${text}: a registry, a name and a tag are needed, as in registry.example.com/team/operator:1.0`,
    );
  const isLocal = /^(localhost|127\.0\.0\.1)(:|$)/.test(host);
  return { origin: `${isLocal ? "http" : "https"}://${host}`, repository, tag };
}

export interface PushOptions {
  /** `user:password`. */
  readonly credentials?: string | undefined;
  readonly onBlob?: ((digest: string, outcome: "sent" | "there") => void) | undefined;
}

export async function pushImage(
  { manifest, blobs }: Image,
  to: Reference,
  options: PushOptions = {},
): Promise<void> {
  const base = `${to.origin}/v2/${to.repository}`;
  const authorization = options.credentials && `Basic ${Buffer.from(options.credentials).toString("base64")}`;
  const call = (url: string, init: RequestInit = {}): Promise<Response> =>
    fetch(url, { ...init, headers: { ...init.headers, ...(authorization ? { authorization } : {}) } });
  for (const blob of blobs) {
    const outcome = await pushBlob(call, base, blob);
    options.onBlob?.(blob.digest, outcome);
  }
  const { mediaType, content } = manifest;
  const answer = await call(`${base}/manifests/${to.tag}`, {
    method: "PUT",
    headers: { "content-type": mediaType },
    body: Buffer.from(content),
  });
  await demand(answer, 201, "the manifest");
}

type Call = (url: string, init?: RequestInit) => Promise<Response>;

async function pushBlob(call: Call, base: string, { digest, content }: Blob): Promise<"sent" | "there"> {
  const there = await call(`${base}/blobs/${digest}`, { method: "HEAD" });
  if (there.status === 200) return "there";
  const begun = await call(`${base}/blobs/uploads/`, { method: "POST" });
  await demand(begun, 202, digest);
  const location = new URL(begun.headers.get("location") ?? "", `${base}/`);
  location.searchParams.set("digest", digest);
  const sent = await call(location.href, {
    method: "PUT",
    headers: { "content-type": "application/octet-stream" },
    body: Buffer.from(content),
  });
  await demand(sent, 201, digest);
  return "sent";
}

async function demand(answer: Response, status: number, what: string): Promise<void> {
  if (answer.status === status) return;
  const text = (await answer.text()).slice(0, 300);
  const remedy = answer.status === 401 ? "; give REGISTRY_AUTH=user:password" : "";
  throw new Error(
    `the registry answers ${answer.status} to ${what}${remedy}${text === "" ? "" : `: ${text}`}`,
  );
}
