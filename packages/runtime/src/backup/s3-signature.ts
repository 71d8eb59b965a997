// Signature version 4 of S3: signs the method, path, query and headers of a request with a key that is good for a day, region and service.
import { createHash, createHmac } from "node:crypto";

/** A key of S3-compatible storage. */
export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

export interface SignedRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** The hash of the body, in hexadecimal. */
  readonly payloadHash: string;
}

export const emptyHash: string = createHash("sha256").update("").digest("hex");

/** The headers of a request with those that sign it. */
export function signed(
  { method, url, headers, payloadHash }: SignedRequest,
  { accessKeyId, secretAccessKey, sessionToken }: S3Credentials,
  region: string,
  now: Date,
): Readonly<Record<string, string>> {
  const time = now.toISOString().replaceAll(/[-:]|\.\d{3}/g, "");
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
  const all: Record<string, string> = {
    ...headers,
    host: url.host,
    "x-amz-content-sha256": payloadHash,
    "x-amz-date": time,
    ...(sessionToken ? { "x-amz-security-token": sessionToken } : {}),
  };
  const names = Object.keys(all).toSorted();
  const canonical = [
    method,
    url.pathname
      .split("/")
      .map((part) => escaped(decodeURIComponent(part)))
      .join("/"),
    [...url.searchParams]
      .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
      .toSorted()
      .join("&"),
    ...names.map((name) => `${name}:${all[name]?.trim()}`),
    "",
    names.join(";"),
    payloadHash,
  ].join("\n");
  const toSign = ["AWS4-HMAC-SHA256", time, scope, createHash("sha256").update(canonical).digest("hex")].join(
    "\n",
  );
  const key = scope
    .split("/")
    .reduce<Buffer | string>(
      (from, part) => createHmac("sha256", from).update(part).digest(),
      `AWS4${secretAccessKey}`,
    );
  const signature = createHmac("sha256", key).update(toSign).digest("hex");
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names.join(";")}, Signature=${signature}`;
  return { ...all, authorization };
}

/** As S3 escapes: everything but letters, digits, dash, underscore, dot and tilde. */
const escaped = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
