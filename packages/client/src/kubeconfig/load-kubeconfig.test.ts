import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadKubeConfig } from "./load-kubeconfig.js";

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "kubeconfig-"));
  await mkdir(join(home, ".kube"));
  await writeFile(join(home, ".kube", "config"), config("home"));
});
afterAll(() => rm(home, { recursive: true }));

function config(name: string, extra = ""): string {
  return `
current-context: ${name}
contexts: [{ name: ${name}, context: { cluster: ${name}, user: shared } }]
clusters: [{ name: ${name}, cluster: { server: https://${name} } }]
users: [{ name: shared, user: { token: of-${name} } }]
${extra}`;
}

async function file(name: string, text: string): Promise<string> {
  const path = join(home, name);
  await writeFile(path, text);
  return path;
}

describe("loadKubeConfig", () => {
  it("reads ~/.kube/config", async () => {
    expect((await loadKubeConfig({ env: { HOME: home } })).currentContext).toBe("home");
  });

  it("prefers KUBECONFIG, and an explicit path to both", async () => {
    const a = await file("a", config("a"));
    const b = await file("b", config("b"));
    const env = { HOME: home, KUBECONFIG: a };
    expect((await loadKubeConfig({ env })).currentContext).toBe("a");
    expect((await loadKubeConfig({ env, path: b })).currentContext).toBe("b");
  });

  it("merges the files of KUBECONFIG: the first to name something has the say", async () => {
    const a = await file("a", config("a"));
    const b = await file("b", config("b"));
    const missing = join(home, "missing");
    const merged = await loadKubeConfig({ env: { KUBECONFIG: ["", a, missing, b, a].join(delimiter) } });
    expect(merged.currentContext).toBe("a");
    expect([...merged.contexts.keys()].sort()).toEqual(["a", "b"]);
    expect(merged.users.get("shared")?.token).toBe("of-a");
    expect(merged.files).toEqual([a, b]);
  });

  it("takes current-context from the first file that has one", async () => {
    const none = await file("none", "users: []");
    const b = await file("b", config("b"));
    expect((await loadKubeConfig({ env: { KUBECONFIG: `${none}${delimiter}${b}` } })).currentContext).toBe(
      "b",
    );
  });

  it("lets the caller choose the context", async () => {
    expect((await loadKubeConfig({ env: { HOME: home }, context: "other" })).currentContext).toBe("other");
  });

  it("reports a path that does not exist, and one that cannot be read", async () => {
    await expect(loadKubeConfig({ path: join(home, "nope") })).rejects.toThrow("there is no such kubeconfig");
    await expect(loadKubeConfig({ path: home })).rejects.toThrow(`cannot read the kubeconfig ${home}`);
  });

  it("reports that there is none, with the remedy", async () => {
    const failure = loadKubeConfig({ env: { HOME: join(home, "nobody") } });
    await expect(failure).rejects.toMatchObject({ name: "ConfigError" });
    await expect(failure).rejects.toThrow(
      /there is no kubeconfig at .*nobody.*; set KUBECONFIG or give a path/,
    );
  });

  it("falls back to the pod it runs in", async () => {
    const env = {
      HOME: join(home, "nobody"),
      KUBERNETES_SERVICE_HOST: "10.0.0.1",
      KUBERNETES_SERVICE_PORT: "443",
    };
    expect((await loadKubeConfig({ env })).currentContext).toBe("in-cluster");
  });
});
