// Access to metrics and timelines that are served without TLS, on a developer's machine. Any program there, and any page in a browser whose
// name is made to lead to this machine (DNS rebinding), can reach the port: the first is asked for a token, the second shows by its Host.
import { createHash, timingSafeEqual } from "node:crypto";
import { type Access, bearerToken, type GuardedHeaders } from "./bearer-guard.js";

const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i;
const loopbackAddress = /^(localhost|127\..*|::1)$/i;

export class LocalGuard {
  readonly #isLocal: boolean;
  readonly #token: Buffer | undefined;

  /** `host` is where it listens; the Host of requests is checked where that is loopback. Without a token none is asked for. */
  constructor(host: string, token: string | undefined) {
    this.#isLocal = loopbackAddress.test(host);
    this.#token = token === undefined ? undefined : digest(token);
  }

  async check({ authorization, host }: GuardedHeaders, _path: string): Promise<Access> {
    if (this.#isLocal && !loopback.test(host ?? ""))
      return { status: 403, message: "Forbidden: unknown host" };
    const given = bearerToken(authorization);
    if (!this.#token || (given !== undefined && timingSafeEqual(digest(given), this.#token)))
      return { status: 200 };
    return { status: 401, message: "Unauthorized" };
  }
}

const digest = (token: string): Buffer => createHash("sha256").update(token).digest();
