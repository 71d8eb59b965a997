// One kubeconfig file, from text to KubeConfig.

import { dirname } from "node:path";
import { isObject } from "@kubewright/api";
import { ConfigError } from "../config-error.js";
import { Entry } from "./entry.js";
import type {
  ExecConfig,
  Impersonation,
  KubeCluster,
  KubeConfig,
  KubeContext,
  KubeUser,
} from "./kubeconfig.js";

/** Reads a kubeconfig. `path` is where it came from: for messages, and for the relative paths in it. */
export async function parseKubeConfig(text: string, path: string): Promise<KubeConfig> {
  const root = new Entry(path, dirname(path), await parseText(text, path));
  return {
    currentContext: root.text("current-context"),
    contexts: named(root, "contexts", "context", path, readContext),
    clusters: named(root, "clusters", "cluster", path, readCluster),
    users: named(root, "users", "user", path, readUser),
    files: [path],
  };
}

async function parseText(text: string, path: string): Promise<unknown> {
  try {
    if (text.trimStart().startsWith("{")) return JSON.parse(text);
    const { parse } = await import("yaml");
    return parse(text, { logLevel: "error" });
  } catch (error) {
    // The parser's message quotes the lines around the mistake, which may hold a token; its position is enough.
    throw new ConfigError(`${path} is not valid YAML${positionOf(error)}`);
  }
}

function positionOf(error: unknown): string {
  if (!isObject(error) || !Array.isArray(error["linePos"])) return "";
  const [start] = error["linePos"];
  return isObject(start) ? ` (line ${start["line"]}, column ${start["col"]})` : "";
}

/** A list of `{ name, <what>: {…} }`; the first of a name counts. */
function named<T>(
  root: Entry,
  list: string,
  what: string,
  path: string,
  read: (entry: Entry) => T,
): Map<string, T> {
  const entries = new Map<string, T>();
  for (const item of root.list(list)) {
    const outer = new Entry(`${path}: an entry of ${list}`, dirname(path), item);
    const name = outer.required("name");
    const entry = new Entry(`${path}: ${what} ${JSON.stringify(name)}`, dirname(path), outer.raw(what));
    if (!entries.has(name)) entries.set(name, read(entry));
  }
  return entries;
}

function readContext(entry: Entry): KubeContext {
  return {
    cluster: entry.text("cluster") ?? "",
    user: entry.text("user") ?? "",
    namespace: entry.text("namespace"),
  };
}

function readCluster(entry: Entry): KubeCluster {
  return {
    server: entry.text("server") ?? "",
    ca: entry.pem("certificate-authority"),
    insecureSkipTlsVerify: entry.flag("insecure-skip-tls-verify"),
    tlsServerName: entry.text("tls-server-name"),
    proxyUrl: entry.text("proxy-url"),
    disableCompression: entry.flag("disable-compression"),
    execConfig: execExtension(entry),
  };
}

function execExtension(entry: Entry): unknown {
  const found = entry
    .list("extensions")
    .find((item) => isObject(item) && item["name"] === "client.authentication.k8s.io/exec");
  return isObject(found) ? found["extension"] : undefined;
}

function readUser(entry: Entry): KubeUser {
  const provider = entry.nested("auth-provider");
  const exec = entry.nested("exec");
  return {
    token: entry.text("token"),
    tokenFile: entry.path("tokenFile"),
    username: entry.text("username"),
    password: entry.text("password"),
    cert: entry.pem("client-certificate"),
    key: entry.pem("client-key"),
    exec: exec && readExec(exec),
    authProvider: provider && { name: provider.required("name"), config: textMap(provider.nested("config")) },
    impersonate: readImpersonation(entry),
  };
}

function readExec(entry: Entry): ExecConfig {
  const mode = entry.text("interactiveMode") ?? "IfAvailable";
  if (mode !== "Never" && mode !== "IfAvailable" && mode !== "Always") {
    throw entry.bad("interactiveMode", "Never, IfAvailable or Always");
  }
  return {
    apiVersion: entry.required("apiVersion"),
    command: entry.command("command"),
    args: entry.texts("args"),
    env: Object.fromEntries(entry.list("env").map((item) => variable(entry, item))),
    installHint: entry.text("installHint"),
    provideClusterInfo: entry.flag("provideClusterInfo") ?? false,
    interactiveMode: mode,
  };
}

function variable(entry: Entry, item: unknown): [string, string] {
  if (!isObject(item) || typeof item["name"] !== "string")
    throw entry.bad("env", "a list of names and values");
  return [item["name"], String(item["value"] ?? "")];
}

function readImpersonation(entry: Entry): Impersonation | undefined {
  const user = entry.text("as");
  const uid = entry.text("as-uid");
  const groups = entry.texts("as-groups");
  const extra = entry.nested("as-user-extra");
  if (user === undefined) {
    if (uid === undefined && groups.length === 0 && extra === undefined) return undefined;
    throw new ConfigError(`${entry.where}: as-uid, as-groups and as-user-extra need as`);
  }
  const values = extra?.names().map((name) => [name, extra.texts(name)] as const) ?? [];
  return { user, uid, groups, extra: Object.fromEntries(values) };
}

function textMap(entry: Entry | undefined): Record<string, string> {
  const pairs = entry?.names().map((name) => [name, entry.text(name) ?? ""] as const) ?? [];
  return Object.fromEntries(pairs);
}
