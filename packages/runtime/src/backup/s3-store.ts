// Snapshots in a bucket of S3-compatible storage, by path-style addresses, which every such storage understands.
import { createReadStream, createWriteStream } from "node:fs";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { pipeline } from "node:stream/promises";
import { emptyHash, type S3Credentials, signed } from "./s3-signature.js";
import type { SnapshotStore } from "./snapshot-store.js";

/** A folder of a bucket. */
export interface S3Place {
  readonly endpoint: string;
  readonly bucket: string;
  readonly prefix: string;
  readonly region: string;
  /** The CA of the endpoint, in PEM, where it is no public one. */
  readonly ca?: string | undefined;
}

const silence = 60_000;

/** Snapshots in a bucket. */
export class S3Store implements SnapshotStore {
  readonly #place: S3Place;
  readonly #credentials: S3Credentials;

  constructor(place: S3Place, credentials: S3Credentials) {
    this.#place = place;
    this.#credentials = credentials;
  }

  async put(name: string, file: string, size: number, sha256: string): Promise<void> {
    const headers = { "content-length": String(size), "content-type": "application/octet-stream" };
    await this.#send("PUT", this.#key(name), { headers, payloadHash: sha256, file });
  }

  async get(name: string, file: string): Promise<void> {
    const response = await this.#request("GET", this.#url(this.#key(name)), {});
    await pipeline(response, createWriteStream(file, { flush: true }));
  }

  async list(): Promise<readonly string[]> {
    const prefix = this.#key("");
    const names: string[] = [];
    for (let token: string | undefined = ""; token !== undefined; ) {
      const query = { "list-type": "2", prefix, ...(token ? { "continuation-token": token } : {}) };
      const text = await this.#send("GET", "", { query });
      for (const [, key = ""] of text.matchAll(/<Key>([^<]*)<\/Key>/g))
        names.push(unescaped(key).slice(prefix.length));
      const next = /<NextContinuationToken>([^<]*)</.exec(text)?.[1];
      token = next === undefined ? undefined : unescaped(next);
    }
    return names;
  }

  async delete(name: string): Promise<void> {
    await this.#send("DELETE", this.#key(name), {});
  }

  #key(name: string): string {
    const { prefix } = this.#place;
    return prefix === "" ? name : `${prefix.replace(/\/$/, "")}/${name}`;
  }

  #url(key: string, query: Readonly<Record<string, string>> = {}): URL {
    const { endpoint, bucket } = this.#place;
    const path = [bucket, ...key.split("/")].map(encodeURIComponent).join("/");
    const url = new URL(`${endpoint.replace(/\/$/, "")}/${path}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return url;
  }

  async #send(
    method: string,
    key: string,
    { query, ...options }: RequestOptions & { query?: Readonly<Record<string, string>> },
  ): Promise<string> {
    return textOf(await this.#request(method, this.#url(key, query), options));
  }

  /** Rejects with what the storage answered; that names no secret. */
  async #request(method: string, url: URL, options: RequestOptions): Promise<IncomingMessage> {
    const { headers = {}, payloadHash = emptyHash, file } = options;
    const request = { method, url, headers, payloadHash };
    const all = signed(request, this.#credentials, this.#place.region, new Date());
    const send = url.protocol === "https:" ? requestHttps : requestHttp;
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const outgoing = send(
        url,
        { method, headers: all, timeout: silence, ...(this.#place.ca ? { ca: this.#place.ca } : {}) },
        resolve,
      );
      outgoing.once("timeout", () => outgoing.destroy(new Error(`no answer within ${silence} ms`)));
      outgoing.once("error", reject);
      if (file === undefined) outgoing.end();
      else pipeline(createReadStream(file), outgoing).catch(reject);
    });
    const { statusCode = 0 } = response;
    if (statusCode >= 200 && statusCode < 300) return response;
    const text = (await textOf(response)).slice(0, 300);
    throw new Error(`${method} ${url.pathname}: HTTP ${statusCode}: ${text}`);
  }
}

interface RequestOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly payloadHash?: string;
  readonly file?: string;
}

async function textOf(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const unescaped = (text: string): string =>
  text.replaceAll(/&(\w+);/g, (whole, name: string) => entities[name] ?? whole);
