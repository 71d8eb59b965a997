import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCluster } from "@kubewright/cluster";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { main } from "./index.js";
import { entries } from "./registry.js";

// Reading the sources of a whole cluster for the first time takes longer than a test may.
beforeAll(async () => void (await import("./commands/cluster.js")), 120_000);

let stdout = "";
let stderr = "";
beforeEach(() => {
  stdout = stderr = "";
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    stdout += String(text);
    return true;
  });
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    stderr += String(text);
    return true;
  });
});
afterEach(() => vi.restoreAllMocks());

test("--help lists the commands, and each says how it is used", async () => {
  expect(await main(["--help"])).toBe(0);
  expect(stdout).toMatch(/cluster\s+Run an embedded cluster/);
  expect(await main(["cluster", "--help"])).toBe(0);
  expect(stdout).toContain("Example:");
});

test("cluster --help shows the eight flags people need, --help-all every one", async () => {
  const flagsShown = () => [...stdout.matchAll(/^ {2}(?:-\w, )?--([\w-]+)/gm)].map(([, name]) => name);
  expect(await main(["cluster", "--help"])).toBe(0);
  expect(flagsShown()).toEqual([
    ...["port", "kubeconfig", "dashboard", "nodes", "controllers", "data-dir", "manifests", "rules"],
    ...["help", "help-all"],
  ]);
  stdout = "";
  expect(await main(["cluster", "--help-all"])).toBe(0);
  expect(flagsShown().length).toBeGreaterThan(25);
  expect(flagsShown()).toContain("audit-webhook-mode");
});

test("--version prints the version of the package", async () => {
  expect(await main(["--version"])).toBe(0);
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

describe("what cannot be done is said in one line, with status 2", () => {
  test.each([
    [["clutser"], 'there is no command "clutser"; did you mean kubewright cluster?'],
    [["frobnicate"], 'there is no command "frobnicate"; kubewright --help lists them'],
    [["--bogus"], "there is no option --bogus"],
    [["__proto__"], 'there is no command "__proto__"'],
    [["cluster", "--bogus"], "unknown option --bogus; --help lists the options"],
    [["cluster", "--prot", "1"], "unknown option --prot; did you mean --port?"],
    [["cluster", "--port"], "--port needs a value"],
    [["cluster", "twice"], 'unexpected argument "twice"'],
    [["cluster", "--port", "x"], "--port x: a number from 0 to 65535 is needed"],
    [["cluster", "--feature-gates", "Nope"], "--feature-gates: unrecognized feature gate: Nope"],
    [
      ["cluster", "--service-cluster-ip-range", "10.0.0.0"],
      '--service-cluster-ip-range: "10.0.0.0" is no range of addresses',
    ],
    [["cluster", "--port", "70000"], "--port 70000: a number from 0 to 65535 is needed"],
    [["cluster", "--nodes", "-1"], "--nodes"],
    [["cluster", "--rules", "no-such-rules.yaml"], "--rules: ENOENT"],
    [["cluster", "--event-ttl", "soon"], "--event-ttl soon: a duration such as 90m or 1h is needed"],
    [["cluster", "--audit-log-maxage", "x"], "--audit-log-maxage x: a number from 0 to 1000000 is needed"],
    [["cluster", "rotate"], "--data-dir is required: the data directory of the cluster"],
    [["cluster", "rotate", "tokn"], "one of ca, service-account-key, token is needed; did you mean token?"],
    [
      ["cluster", "rotate", "--data-dir", "x", "--accept-for", "soon"],
      "--accept-for soon: a duration such as",
    ],
    [
      ["cluster", "--audit-policy", "p.yaml"],
      "p.yaml: an audit policy needs an audit log or an audit webhook",
    ],
    [
      ["cluster", "--audit-webhook-mode", "blocking"],
      "--audit-webhook-mode needs --audit-webhook-config-file",
    ],
    [["cluster", "--audit-webhook-config-file", "no-such.yaml"], "--audit-webhook-config-file: ENOENT"],
    [
      ["cluster", "--audit-webhook-config-file", "x", "--audit-webhook-batch-max-size", "0"],
      "--audit-webhook-batch-max-size 0: a positive number is needed",
    ],
    [
      [
        "cluster",
        "--audit-webhook-config-file",
        "x",
        "--audit-webhook-truncate-enabled",
        "--audit-webhook-truncate-max-batch-size",
        "5",
      ],
      "--audit-webhook-truncate-max-batch-size 5: must be greater than that of one event (102400)",
    ],
    [["cluster", "--audit-webhook-mode", "sometimes"], "one of batch, blocking, blocking-strict is needed"],
  ])("%j", async (argv, message) => {
    expect(await main(argv)).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });
});

test("a port in use is named, with what to do", async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const address = other.address();
  const port = typeof address === "object" && address ? address.port : 0;
  expect(await main(["cluster", "--port", String(port)])).toBe(1);
  expect(stderr).toContain(`port ${port} is in use`);
  expect(stderr).toContain("--port");
  other.close();
});

test("a data directory in use, or of a newer version, and bad manifests are said in one line", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kubewright-"));
  const data = join(folder, "data");
  const owner = await startCluster({ nodes: 0, controllers: "none", dataDir: data });
  expect(await main(["cluster", "--data-dir", data])).toBe(1);
  expect(stderr).toContain(`${data} is in use by process ${process.pid}`);
  await owner.close();
  rmSync(data, { recursive: true });
  mkdirSync(data);
  writeFileSync(join(data, "cluster.snapshot"), '{"format":"kubewright-cluster","version":99}\n');
  expect(await main(["cluster", "--data-dir", data])).toBe(1);
  expect(stderr).toContain("the snapshot has format 99");
  writeFileSync(join(folder, "bad.yaml"), "kind: x\n");
  expect(await main(["cluster", "--manifests", join(folder, "bad.yaml")])).toBe(1);
  expect(stderr).toContain("bad.yaml, document 1: an object with apiVersion and kind is needed");
  rmSync(folder, { recursive: true });
});

test("rules that cannot be are refused with their place in the file", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kubewright-rules-"));
  const file = join(folder, "rules.yaml");
  writeFileSync(file, "- match: {}\n  effects: { crashLoop: { after: soon } }\n");
  expect(await main(["cluster", "--rules", file])).toBe(2);
  expect(stderr).toContain(`--rules: ${file}: rules[0].effects.crashLoop.after: Invalid value: "soon"`);
  rmSync(folder, { recursive: true });
});

describe("commands of two words, and their other names", () => {
  test.each([
    [["create", "api", "--help"], "Usage: kubewright create api [options]"],
    [["add", "controller", "--help"], "Also:  kubewright add api, kubewright add controller"],
    [["help", "create", "api"], "Add a kind and its controller"],
    [["new", "-h"], "Usage: kubewright init [dir] [options]"],
    [["create", "--help"], "create webhook  Add defaulting"],
    [["generate", "k8s", "--help"], "Usage: kubewright manifests"],
  ])("%j", async (argv, text) => {
    expect(await main(argv)).toBe(0);
    expect(stdout).toContain(text);
  });
});

test("every command says how it is used and with which status it ends", async () => {
  for (const { name } of entries) {
    stdout = "";
    expect(await main([...name.split(" "), "--help"])).toBe(0);
    expect(stdout).toContain(`Usage: kubewright ${name}`);
    expect(stdout).toMatch(/Exit status:[\s\S]*Example:\n {2}\S/);
  }
});
