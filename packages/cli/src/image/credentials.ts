// Credentials for registries, from where `docker login` and `podman login` keep them: in config.json itself, or with a credential helper,
// a program that is asked for them.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "@kubewright/api";
import { UsageError } from "../command.js";

/** A password, a token that other tokens are asked for with, or a token for the registry itself. */
export type Credentials =
  | { readonly kind: "password"; readonly username: string; readonly password: string }
  | { readonly kind: "identity-token"; readonly token: string }
  | { readonly kind: "registry-token"; readonly token: string };

type Environment = Readonly<Record<string, string | undefined>>;

/** The credentials for a registry; nothing for anonymous access. */
export async function credentialsFor(registry: string, env: Environment): Promise<Credentials | undefined> {
  for (const file of configFiles(env)) {
    const found = existsSync(file) ? await credentialsIn(file, registry, env) : undefined;
    if (found) return found;
  }
  return undefined;
}

/** Docker's, then podman's. */
function configFiles({ DOCKER_CONFIG, HOME, USERPROFILE, REGISTRY_AUTH_FILE, XDG_RUNTIME_DIR }: Environment) {
  const home = HOME ?? USERPROFILE;
  const docker = DOCKER_CONFIG ?? (home && join(home, ".docker"));
  return [
    ...(docker ? [join(docker, "config.json")] : []),
    ...(REGISTRY_AUTH_FILE ? [REGISTRY_AUTH_FILE] : []),
    ...(XDG_RUNTIME_DIR ? [join(XDG_RUNTIME_DIR, "containers", "auth.json")] : []),
  ];
}

async function credentialsIn(file: string, registry: string, env: Environment) {
  const config = readConfig(file);
  const helpers = isObject(config["credHelpers"]) ? config["credHelpers"] : {};
  const names = registryNames(registry);
  const helper = names.map((name) => helpers[name]).find((name) => name !== undefined);
  if (helper !== undefined) return askHelper(helper, names, file, env);
  const own = ownCredentials(config, names, file);
  if (own) return own;
  const store = config["credsStore"];
  return store === undefined || store === "" ? undefined : askHelper(store, names, file, env);
}

/** Entries are under the host, or under a URL as older versions wrote it; Docker Hub has a name of its own. */
const registryNames = (registry: string): readonly string[] =>
  registry === "docker.io"
    ? ["https://index.docker.io/v1/", "index.docker.io", "docker.io", "registry-1.docker.io"]
    : [registry, `https://${registry}`, `https://${registry}/v1/`, `https://${registry}/v2/`];

function readConfig(file: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (isObject(value)) return value;
  } catch {
    // The text of the error would show what is in the file.
  }
  throw new UsageError(`${file} is not the JSON of docker login; correct it, or log in again`);
}

function ownCredentials(config: Readonly<Record<string, unknown>>, names: readonly string[], file: string) {
  const auths = isObject(config["auths"]) ? config["auths"] : {};
  for (const name of names) {
    const entry = auths[name];
    const found = isObject(entry)
      ? credentialsOf(entry, `${file}: auths[${JSON.stringify(name)}]`)
      : undefined;
    if (found) return found;
  }
  return undefined;
}

/** An entry may be empty: the password is with the credential store. */
function credentialsOf(entry: Readonly<Record<string, unknown>>, place: string): Credentials | undefined {
  const text = (name: string): string | undefined => {
    const value = entry[name];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const [identity, token, auth] = [text("identitytoken"), text("registrytoken"), text("auth")];
  if (token) return { kind: "registry-token", token };
  if (identity) return { kind: "identity-token", token: identity };
  if (auth) return parsePassword(Buffer.from(auth, "base64").toString("utf8"), `${place}.auth`);
  const [username, password] = [text("username"), text("password")];
  return username && password ? { kind: "password", username, password } : undefined;
}

/** `user:password`; a message names the place and never the value. */
export function parsePassword(text: string, place: string): Credentials {
  const colon = text.indexOf(":");
  if (colon < 1) throw new UsageError(`${place} is not user:password`);
  return { kind: "password", username: text.slice(0, colon), password: text.slice(colon + 1) };
}

async function askHelper(helper: unknown, names: readonly string[], file: string, env: Environment) {
  if (typeof helper !== "string" || !/^[\w-][\w.-]*$/.test(helper))
    throw new UsageError(`${file} names a credential helper that is no program name`);
  for (const name of names) {
    const found = await runHelper(`docker-credential-${helper}`, name, file, env);
    if (found) return found;
  }
  return undefined;
}

const helperTimeout = 30_000;
const longestAnswer = 64 * 1024;

/** Helpers answer with JSON; what they have nothing about, they report as a failure. */
async function runHelper(program: string, server: string, file: string, env: Environment) {
  const { status, stdout } = await answerOf(program, server, file, env);
  if (status !== 0) {
    if (/not found|no credentials/i.test(stdout)) return undefined;
    throw new Error(
      `${program} (of ${file}) fails with status ${status} for ${server}; does it need a login?`,
    );
  }
  let answer: unknown;
  try {
    answer = JSON.parse(stdout);
  } catch {
    throw new Error(`${program} (of ${file}) does not answer with JSON for ${server}`);
  }
  if (!isObject(answer)) return undefined;
  const { Username: username, Secret: secret } = answer;
  if (typeof username !== "string" || typeof secret !== "string" || secret === "") return undefined;
  if (username === "<token>") return { kind: "identity-token", token: secret } as const;
  return { kind: "password", username, password: secret } as const;
}

function answerOf(program: string, server: string, file: string, env: Environment) {
  return new Promise<{ status: number | null; stdout: string }>((resolve, reject) => {
    const child = spawn(program, ["get"], { env, stdio: ["pipe", "pipe", "ignore"], timeout: helperTimeout });
    let stdout = "";
    child.stdout.on("data", (chunk: Buffer) => {
      stdout += chunk.toString();
      if (stdout.length > longestAnswer) child.kill();
    });
    child.once("error", (cause) =>
      reject(new Error(`${program}, which ${file} names, cannot be started; is it installed?`, { cause })),
    );
    child.once("close", (status) => resolve({ status, stdout }));
    child.stdin.on("error", () => undefined); // A helper may end without reading.
    child.stdin.end(server);
  });
}
