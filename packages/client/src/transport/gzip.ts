// Lists are large and compress to a fraction; the API server does so for answers over 128 KiB when the client allows it.
import type { ResponseBody } from "@kubewright/api";

/** More than this is not a list but an attack. */
const maxOutputLength = 1024 * 1024 * 1024;

/** The body as it was before compression. */
export async function gunzipBody(body: ResponseBody): Promise<ResponseBody> {
  const zlib = await import("node:zlib");
  if (body.kind === "stream") {
    const { Readable } = await import("node:stream");
    return { kind: "stream", chunks: Readable.from(body.chunks).compose(zlib.createGunzip()) };
  }
  if (body.kind !== "bytes") return body;
  const { bytes } = body;
  return new Promise((resolve, reject) => {
    zlib.gunzip(bytes, { maxOutputLength, chunkSize: chunkSizeFor(bytes) }, (error, result) =>
      error ? reject(error) : resolve({ kind: "bytes", bytes: result }),
    );
  });
}

/**
 * Room for the whole result, which gzip states in its last four bytes. Pieces of the default size would each cost a trip to
 * the thread pool and back, and make it five times as expensive. The stated size is trusted up to a limit.
 */
function chunkSizeFor(bytes: Uint8Array): number {
  const stated =
    bytes.length < 4 ? 0 : Buffer.from(bytes.buffer, bytes.byteOffset + bytes.length - 4, 4).readUInt32LE();
  return Math.min(Math.max(stated + 1, 64 * 1024), 64 * 1024 * 1024);
}
