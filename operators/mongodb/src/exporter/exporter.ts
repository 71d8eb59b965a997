// The exporter: asks every member when Prometheus asks it, and answers clients that send the password. Passwords and certificates are read anew,
// so that a Secret that changes needs no restart.
import { createHash, timingSafeEqual } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DriverMember } from "../client/driver-member.js";
import { loginIn } from "../client/login-files.js";
import type { Credentials } from "../client/mongo-member.js";
import { type ExporterSettings, exporterFolders, settingsVariable } from "./exporter-settings.js";
import { type MemberAnswers, metricsText } from "./member-metrics.js";

/** In milliseconds. A member that does not answer by then counts as down. */
const timeouts = { connect: 2_000, command: 3_000 } as const;
/** How often the certificate is looked at again, in milliseconds. */
const certificateInterval = 10_000;

type Folders = { readonly [name in keyof typeof exporterFolders]: string };

export interface RunningExporter {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves as the environment says, for good. */
export async function runExporter(env: Readonly<Record<string, string | undefined>>): Promise<void> {
  const settings = JSON.parse(env[settingsVariable] ?? "null") as ExporterSettings | null;
  if (!settings) throw new Error(`${settingsVariable} is not set: exporters are started by the operator`);
  const exporter = await startExporter(settings);
  await new Promise((resolve) => process.once("SIGTERM", resolve));
  await exporter.close();
}

export async function startExporter(
  settings: ExporterSettings,
  folders: Folders = exporterFolders,
): Promise<RunningExporter> {
  const members = new ExportedMembers(settings, folders);
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    answer(settings, folders, members, request).then(
      ({ status, text = "", headers = {} }) => response.writeHead(status, headers).end(text),
      () => response.writeHead(500).end(),
    );
  };
  const certificate = settings.isServedWithTls ? await certificateIn(folders.serving) : undefined;
  const server = certificate ? createTlsServer(certificate, handle) : createServer(handle);
  const renewal = certificate && renewing(server as TlsServer, folders.serving, certificate);
  await listening(server, settings.port);
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      clearInterval(renewal);
      members.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const listening = (server: Server | TlsServer, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, () => resolve());
  });

interface Answer {
  readonly status: number;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function answer(
  { path, username, replicaSet }: ExporterSettings,
  folders: Folders,
  members: ExportedMembers,
  { method, url, headers }: IncomingMessage,
): Promise<Answer> {
  const { pathname } = new URL(url ?? "/", "http://exporter");
  // The kubelet asks without a password, and learns only that the process answers.
  if (pathname === "/healthz") return { status: 200, text: "ok\n" };
  if (pathname !== path) return { status: 404 };
  if (method !== "GET" && method !== "HEAD") return { status: 405 };
  const password = await secretIn(folders.readers, "password");
  if (password === undefined || !isAdmitted(headers.authorization, `${username}:${password}`))
    return { status: 401, headers: { "www-authenticate": 'Basic realm="metrics"' } };
  const text = metricsText(replicaSet, await members.ask());
  return { status: 200, text, headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" } };
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

function isAdmitted(header: string | undefined, expected: string): boolean {
  const given = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(header ?? "")?.[1];
  if (given === undefined) return false;
  return timingSafeEqual(digest(Buffer.from(given, "base64").toString("utf8")), digest(expected));
}

async function secretIn(folder: string, name: string): Promise<string | undefined> {
  const text = await readFile(join(folder, name), "utf8").catch(() => "");
  return text.trim() || undefined;
}

interface Certificate {
  readonly cert: string;
  readonly key: string;
}

async function certificateIn(folder: string): Promise<Certificate> {
  const [cert, key] = [await secretIn(folder, "tls.crt"), await secretIn(folder, "tls.key")];
  if (!cert || !key) throw new Error("the Secret of tlsSecretKeyRef needs tls.crt and tls.key");
  return { cert, key };
}

function renewing(server: TlsServer, folder: string, first: Certificate): NodeJS.Timeout {
  let present = first;
  const look = async (): Promise<void> => {
    const next = await certificateIn(folder);
    if (next.cert === present.cert && next.key === present.key) return;
    server.setSecureContext(next);
    present = next;
  };
  // A Secret that is being written, or holds no certificate, leaves the present one in use.
  return setInterval(() => void look().catch(() => undefined), certificateInterval).unref();
}

/** Connections to the members, which are made anew when the password or the certificate of the exporter's user is another. */
class ExportedMembers {
  readonly #settings: ExporterSettings;
  readonly #folders: Folders;
  /** What the connections were made with. */
  #files: string | undefined;
  #members: readonly { readonly host: string; readonly member: DriverMember }[] = [];

  constructor(settings: ExporterSettings, folders: Folders) {
    this.#settings = settings;
    this.#folders = folders;
  }

  async ask(): Promise<readonly MemberAnswers[]> {
    const { hosts, isSecure, login: who } = this.#settings;
    const login = await loginIn(this.#folders.login, who);
    const ca = isSecure ? await secretIn(this.#folders.tls, "ca.crt") : undefined;
    const files = JSON.stringify([login, ca]);
    if (files !== this.#files) {
      this.close();
      this.#files = files;
      this.#members = hosts.map((host) => ({ host, member: connected(host, login, ca) }));
    }
    return Promise.all(this.#members.map(({ host, member }) => asked(host, member)));
  }

  close(): void {
    for (const { member } of this.#members) member.close();
    this.#members = [];
    this.#files = undefined;
  }
}

const connected = (host: string, login: Credentials, ca: string | undefined): DriverMember =>
  new DriverMember({
    what: host,
    address: async () => host,
    login,
    tls: ca
      ? { ca, certificate: undefined, key: undefined, serverName: host.replace(/:\d+$/, "") }
      : undefined,
    timeouts,
  });

async function asked(host: string, member: DriverMember): Promise<MemberAnswers> {
  const ask = (command: string) => member.command("admin", { [command]: 1 }).catch(() => undefined);
  const [server, set] = await Promise.all([ask("serverStatus"), ask("replSetGetStatus")]);
  return { member: host.split(".")[0] ?? host, server, set };
}
