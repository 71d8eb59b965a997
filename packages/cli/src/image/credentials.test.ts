import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { credentialsFor } from "./credentials.js";

const folder = mkdtempSync(join(tmpdir(), "kubewright-credentials-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const registry = "registry.example.com";
const auth = Buffer.from("me:se:cret").toString("base64");
const password = { kind: "password", username: "me", password: "se:cret" };

/** An environment with a config.json and credential helpers. */
function machine(config: unknown, helpers: Readonly<Record<string, string>> = {}) {
  const home = mkdtempSync(join(folder, "home-"));
  const file = join(home, ".docker", "config.json");
  mkdirSync(dirname(file));
  writeFileSync(file, typeof config === "string" ? config : JSON.stringify(config));
  for (const [name, script] of Object.entries(helpers)) {
    const program = join(home, `docker-credential-${name}`);
    writeFileSync(program, `#!/bin/sh\n${script}\n`);
    chmodSync(program, 0o755);
  }
  return { HOME: home, PATH: `${home}:${process.env["PATH"]}` };
}

/** A helper that has something for one registry. */
const helper = (answer: object): string =>
  `read -r host; if [ "$1 $host" = "get ${registry}" ]; then echo '${JSON.stringify(answer)}'; else echo "credentials not found in native keychain"; exit 1; fi`;

describe("credentials", () => {
  test.each([
    ["under the host", { auths: { [registry]: { auth } } }, password],
    ["under a URL", { auths: { [`https://${registry}/v1/`]: { auth } } }, password],
    ["as two fields", { auths: { [registry]: { username: "me", password: "se:cret" } } }, password],
    [
      "as an identity token",
      { auths: { [registry]: { auth, identitytoken: "it" } } },
      { kind: "identity-token", token: "it" },
    ],
    [
      "as a registry token",
      { auths: { [registry]: { registrytoken: "rt" } } },
      { kind: "registry-token", token: "rt" },
    ],
    ["for others only", { auths: { "other.example.com": { auth } } }, undefined],
    ["for none", {}, undefined],
  ])("in config.json %s are found", async (_, config, expected) => {
    expect(await credentialsFor(registry, machine(config))).toEqual(expected);
  });

  test("of Docker Hub are under its own name", async () => {
    const env = machine({ auths: { "https://index.docker.io/v1/": { auth } } });
    expect(await credentialsFor("docker.io", env)).toEqual(password);
  });

  test("are asked of the helper of the registry, then of the store of all registries", async () => {
    const own = helper({ ServerURL: registry, Username: "me", Secret: "se:cret" });
    const token = helper({ Username: "<token>", Secret: "it" });
    const helpers = { own, token };
    const config = { credHelpers: { [registry]: "own" }, credsStore: "token", auths: { [registry]: {} } };
    expect(await credentialsFor(registry, machine(config, helpers))).toEqual(password);
    const store = { credsStore: "token", auths: { [registry]: {} } };
    expect(await credentialsFor(registry, machine(store, helpers))).toEqual({
      kind: "identity-token",
      token: "it",
    });
    expect(await credentialsFor("other.example.com", machine(store, helpers))).toBeUndefined();
  });

  test("of podman are found where there are none of Docker", async () => {
    const file = join(folder, "auth.json");
    writeFileSync(file, JSON.stringify({ auths: { [registry]: { auth } } }));
    expect(await credentialsFor(registry, { ...machine({}), REGISTRY_AUTH_FILE: file })).toEqual(password);
  });

  test("of a folder that DOCKER_CONFIG names come before those of the home", async () => {
    const other = machine({ auths: { [registry]: { username: "you", password: "x" } } });
    const env = {
      ...machine({ auths: { [registry]: { auth } } }),
      DOCKER_CONFIG: join(other.HOME, ".docker"),
    };
    expect(await credentialsFor(registry, env)).toEqual({ kind: "password", username: "you", password: "x" });
  });

  test.each([
    ["a file that is broken", `{"auths": ${auth}`, {}, "is not the JSON of docker login"],
    ["a helper that is missing", { credsStore: "gone" }, {}, "docker-credential-gone, which"],
    ["a helper that is a path", { credsStore: "../x" }, {}, "no program name"],
    ["a helper that fails", { credsStore: "bad" }, { bad: "echo secret; exit 3" }, "fails with status 3"],
    ["a helper that babbles", { credsStore: "bad" }, { bad: "echo secret" }, "does not answer with JSON"],
    [
      "a password without a user",
      { auths: { [registry]: { auth: "c2VjcmV0" } } },
      {},
      "is not user:password",
    ],
  ])("of %s are an error that names the file and no secret", async (_, config, helpers, text) => {
    const env = machine(config, helpers);
    const found = credentialsFor(registry, env).then(
      () => "none",
      (error: Error) => error.message,
    );
    expect(await found).toContain(text);
    expect(await found).toContain(join(env.HOME, ".docker", "config.json"));
    expect(await found).not.toMatch(/secret|c2VjcmV0|bWU6/);
  });
});
