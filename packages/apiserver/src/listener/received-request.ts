// An HTTP request as the request function takes it.

import type { RequestBody, TransportRequest } from "@kubewright/api";
import { headerValueSeparator } from "../auth/impersonation/wanted-user.js";
import type { Incoming } from "./exchange.js";

const methods: readonly string[] = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"];

/** Made once: hundreds of watches may end in the same moment, and where an error comes from takes longer to find out than all the rest. */
const over = new DOMException("This operation was aborted", "AbortError");

/** One request. Its signal is made when first asked for: most requests are answered before anyone does. */
export class ReceivedRequest implements TransportRequest {
  readonly method: TransportRequest["method"];
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  #body: RequestBody | undefined;
  #controller: AbortController | undefined;
  #isOver = false;

  constructor(incoming: Incoming, target: RequestTarget) {
    this.method = target.method;
    this.path = target.path;
    this.query = new URLSearchParams(target.query);
    this.headers = headersOf(incoming);
  }

  get body(): RequestBody | undefined {
    return this.#body;
  }

  /** Takes the body, which is read after the headers were judged. */
  receive(body: Uint8Array): void {
    this.#body = body.length > 0 ? { kind: "bytes", bytes: body } : undefined;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isOver) this.#controller.abort(over);
    return this.#controller.signal;
  }

  /** The client has its answer, or is gone. */
  end(): void {
    this.#isOver = true;
    this.#controller?.abort(over);
  }
}

/** The first line of a request. */
export interface RequestTarget {
  readonly method: TransportRequest["method"];
  readonly path: string;
  readonly query: string;
}

/** Reads the first line; answers with the status of the refusal where it cannot be served. */
export function targetOf({ method = "GET", url = "/", rawHeaders }: Incoming): RequestTarget | 400 | 405 {
  if (!isMethod(method)) return 405;
  if (hasTwoHosts(rawHeaders)) return 400;
  const target = url.startsWith("/") ? url : withoutOrigin(url);
  const question = target.indexOf("?");
  const path = question === -1 ? target : target.slice(0, question);
  // Paths stay as they are: `..` is a name like any other, and names that cannot be decoded are nobody's.
  if (path === "" || (path.includes("%") && /%(?![0-9a-f]{2})/i.test(path))) return 400;
  return { method, path, query: question === -1 ? "" : target.slice(question + 1) };
}

/** Of two, a proxy may have looked at the other. */
function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  return hosts > 1;
}

const isMethod = (method: string): method is TransportRequest["method"] => methods.includes(method);

/** Proxies are sent whole URLs; what is neither URL nor path is nothing. */
function withoutOrigin(url: string): string {
  return /^https?:\/\/[^/?#]+(.*)$/i.exec(url)?.[1] ?? "";
}

function headersOf(incoming: Incoming): Record<string, string> {
  const { headers } = incoming;
  const flat: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    // Names of groups may hold commas, so what was sent separately has to stay apart.
    if (name.startsWith("impersonate-"))
      flat[name] = incoming.headersDistinct[name]?.join(headerValueSeparator) ?? "";
    else if (typeof value === "string") flat[name] = value;
    else if (value) flat[name] = value.join(", ");
  }
  return flat;
}
