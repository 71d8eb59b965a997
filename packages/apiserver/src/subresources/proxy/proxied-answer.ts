// Answers that come through a proxy: redirects and the links of pages lead back through it.
import { Readable } from "node:stream";
import { createGunzip, gunzipSync, gzipSync } from "node:zlib";
import type { TransportResponse } from "@kubewright/api";
import { type LinkContext, rewriteHtml, rewriteLink } from "./rewrite-links.js";

/** Larger pages pass as they are. */
const maxPageBytes = 8 * 1024 * 1024;

/** Answers of the API server are not cached, wherever they come from. */
const uncached = "no-cache, private";

/** The answer as it was before it was compressed. */
export function uncompressed(answer: TransportResponse): TransportResponse {
  const { "content-encoding": encoding, "content-length": _length, ...headers } = answer.headers;
  const { body } = answer;
  if (encoding !== "gzip" || (body.kind !== "bytes" && body.kind !== "stream")) return answer;
  const compressed = Readable.from(body.kind === "bytes" ? [body.bytes] : body.chunks);
  return { ...answer, headers, body: { kind: "stream", chunks: compressed.compose(createGunzip()) } };
}

export async function withLinks(found: TransportResponse, links: LinkContext): Promise<TransportResponse> {
  const own = found.headers["cache-control"];
  const caching = own === undefined ? uncached : `${uncached}, ${own}`;
  const answer: TransportResponse = { ...found, headers: { ...found.headers, "cache-control": caching } };
  const { location, "content-type": type, "content-encoding": encoding = "" } = answer.headers;
  if (typeof location === "string" && location !== "")
    return { ...answer, headers: { ...answer.headers, location: rewriteLink(location, links) } };
  const isHtml =
    String(type ?? "")
      .split(";", 1)[0]
      ?.trim() === "text/html";
  if (!isHtml || (encoding !== "" && encoding !== "gzip")) return answer;
  const { pages, rest } = await beginning(answer.body);
  const page = rest ? undefined : decoded(pages, encoding);
  const body = page === undefined ? pages : encoded(rewriteHtml(page, links), encoding);
  const { "content-length": length, ...headers } = answer.headers;
  return {
    ...answer,
    headers: rest && length !== undefined ? { ...headers, "content-length": length } : headers,
    body: { kind: "stream", chunks: chain(body, rest) },
  };
}

const decoded = (bytes: Buffer, encoding: string | readonly string[]): string | undefined => {
  if (encoding === "") return bytes.toString("latin1");
  try {
    return gunzipSync(bytes, { maxOutputLength: maxPageBytes }).toString("latin1");
  } catch {
    return undefined;
  }
};

/** Bytes are characters here: tags and links are ASCII in every encoding that pages have, and nothing else is touched. */
function encoded(page: string, encoding: string | readonly string[]): Buffer {
  const bytes = Buffer.from(page, "latin1");
  return encoding === "" ? bytes : gzipSync(bytes);
}

type Rest = AsyncIterator<Uint8Array>;

/** The body up to the limit, and the rest of it where there is more. */
async function beginning(
  body: TransportResponse["body"],
): Promise<{ readonly pages: Buffer; readonly rest: Rest | undefined }> {
  if (body.kind === "bytes") return { pages: Buffer.from(body.bytes), rest: undefined };
  if (body.kind !== "stream") return { pages: Buffer.alloc(0), rest: undefined };
  const chunks: Uint8Array[] = [];
  const rest = body.chunks[Symbol.asyncIterator]();
  let size = 0;
  for (let next = await rest.next(); !next.done; next = await rest.next()) {
    chunks.push(next.value);
    size += next.value.length;
    if (size > maxPageBytes) return { pages: Buffer.concat(chunks), rest };
  }
  return { pages: Buffer.concat(chunks), rest: undefined };
}

async function* chain(first: Buffer, rest: Rest | undefined): AsyncGenerator<Uint8Array> {
  yield first;
  if (!rest) return;
  try {
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
