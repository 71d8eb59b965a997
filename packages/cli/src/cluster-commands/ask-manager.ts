// Asks a manager for a page: one that runs on this machine, or one in a pod, through the API server.
import { request } from "node:http";
import type { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import type { Client } from "@kubewright/client";
import type { Operator } from "../manifests/operator.js";
import { ports } from "../manifests/operator.js";
import { managerPods } from "./deployed-operator.js";

export interface Page {
  readonly status: number;
  readonly body: string;
}

/** From an address such as `http://127.0.0.1:8080`. */
export async function askAddress(
  origin: string,
  path: string,
  {
    token,
    timeout = 15_000,
  }: { readonly token?: string | undefined; readonly timeout?: number | undefined } = {},
): Promise<Page> {
  const signal = AbortSignal.timeout(timeout);
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  try {
    const response = await fetch(new URL(path, origin), { signal, headers });
    return { status: response.status, body: await response.text() };
  } catch (error) {
    const why = signal.aborted ? `does not answer within ${timeout / 1000} s` : "cannot be reached";
    throw new Error(`the manager at ${origin} ${why}; kubewright run starts one`, { cause: error });
  }
}

export interface PodQuestion {
  /** Whose token is shown, of the manager's namespace. Default: the manager's own. */
  readonly serviceAccount: string | undefined;
  /** How long to wait for the answer, in milliseconds. Default: 15 s. */
  readonly timeout?: number | undefined;
}

/** From the pod that leads, or any that is ready: over TLS, with a short-lived token, through a forwarded port. */
export async function askPod(
  client: Client,
  operator: Operator,
  path: string,
  { serviceAccount, timeout = 15_000 }: PodQuestion,
): Promise<Page> {
  const { namespace } = operator.settings;
  const [pod] = await managerPods(client, operator);
  const name = pod?.metadata?.name;
  if (name === undefined)
    throw new Error(
      `${operator.names.manager} neither runs from this folder nor has a pod in ${namespace}; kubewright run or deploy starts it`,
    );
  const account = serviceAccount ?? operator.names.serviceAccount;
  const { status } = await client.createToken(account, { expirationSeconds: 600 }, { namespace });
  const unanswered = new Error(
    `pod ${namespace}/${name} does not answer on port ${ports.metrics} within ${timeout / 1000} s; kubewright doctor says whether it runs`,
  );
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unanswered), timeout);
  });
  // The API server can be slow to open the port, too.
  const opening = client.pods.portForward(name, ports.metrics, { namespace });
  try {
    const stream = await Promise.race([opening, late]);
    return await Promise.race([overTls(stream, path, status?.token ?? ""), late]);
  } finally {
    clearTimeout(timer);
    opening.then(
      (stream) => stream.destroy(),
      () => undefined,
    );
  }
}

/** The certificate is made by the manager for itself; that it is the manager is known from the way through the API server. */
function overTls(stream: Duplex, path: string, token: string): Promise<Page> {
  return new Promise((resolve, reject) => {
    stream.on("error", reject);
    const socket = connectTls({ socket: stream, rejectUnauthorized: false });
    const headers = { authorization: `Bearer ${token}`, host: "localhost" };
    const asked = request({ path, headers, createConnection: () => socket, timeout: 10_000 }, (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        body += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
    });
    asked.on("error", reject);
    asked.on("timeout", () => asked.destroy(new Error("the manager does not answer")));
    asked.end();
  });
}
