// Pushes an image to a registry, by the distribution API. What the registry has already is not sent again.
import { UsageError } from "../command.js";
import type { Blob } from "./base-image.js";
import type { Image } from "./image.js";
import { RegistrySession } from "./registry-session.js";

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

/** The blobs first, then what refers to them. */
export async function pushImage(
  { manifest, parts, blobs }: Image,
  to: Reference,
  options: PushOptions = {},
): Promise<void> {
  const base = `${to.origin}/v2/${to.repository}`;
  const session = new RegistrySession(to.origin, {
    credentials: options.credentials,
    scope: `repository:${to.repository}:pull,push`,
  });
  const call: Call = (url, init) => session.call(url, init);
  for (const blob of blobs) {
    const outcome = await pushBlob(call, base, blob);
    options.onBlob?.(blob.digest, outcome);
  }
  for (const part of parts) await pushManifest(call, `${base}/manifests/${part.digest}`, part);
  await pushManifest(call, `${base}/manifests/${to.tag}`, manifest);
}

async function pushManifest(call: Call, url: string, { mediaType, content }: Blob): Promise<void> {
  const headers = { "content-type": mediaType };
  await demand(await call(url, { method: "PUT", headers, body: Buffer.from(content) }), 201, "the manifest");
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
