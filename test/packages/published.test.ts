// What the page of a package on npm shows and what its users get: metadata, files, links; and how packages get there.
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";

const root = join(import.meta.dirname, "../..");
const address = "https://github.com/kubewright/kubewright";
const packages = readdirSync(join(root, "packages"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name: folder }) => {
    const manifest = JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8"));
    return { folder, name: manifest.name as string, manifest };
  });
const version = packages[0]!.manifest.version as string;

describe.each(packages)("$name", ({ folder, manifest }) => {
  test("has the metadata that npm shows and provenance needs", () => {
    expect(manifest).toMatchObject({
      version,
      license: "Apache-2.0",
      type: "module",
      engines: { node: ">=20.19" },
      homepage: `${address}/tree/main/packages/${folder}#readme`,
      bugs: `${address}/issues`,
      repository: { type: "git", url: `git+${address}.git`, directory: `packages/${folder}` },
      publishConfig: { access: "public", provenance: true },
      sideEffects: folder === "cli" || folder === "cluster" ? expect.any(Array) : false,
    });
    expect(manifest.description.length).toBeGreaterThan(20);
    expect(manifest.keywords).toEqual(expect.arrayContaining(["kubernetes", "operator", "typescript"]));
    expect(new Set(manifest.keywords).size).toBe(manifest.keywords.length);
    expect(manifest.files).toContain("dist");
    expect(manifest.scripts).toBeUndefined();
  });

  test("has types for every entry, before the code they describe", () => {
    for (const entry of Object.values<Record<string, string>>(manifest.exports)) {
      // A program that is started by its path is found by require.resolve, which does not take "import".
      const code = "default" in entry ? "default" : "import";
      expect(Object.keys(entry)).toEqual(["kubewright-source", "types", code]);
      expect(entry["types"]).toBe(entry[code]?.replace(/\.js$/, ".d.ts"));
      expect(existsSync(join(root, "packages", folder, entry["kubewright-source"] ?? ""))).toBe(true);
    }
  });

  test("depends on exact versions, its sisters in its own", () => {
    for (const [name, range] of Object.entries<string>(manifest.dependencies ?? {})) {
      expect(range, name).toMatch(/^\d+\.\d+\.\d+$/);
      if (packages.some((each) => each.name === name)) expect(range, name).toBe(version);
    }
  });

  test("has a README whose links work outside the repository", () => {
    const readme = readFileSync(join(root, "packages", folder, "README.md"), "utf8");
    expect(readme).toMatch(new RegExp(`^# ${manifest.name}\n`));
    const links = [...readme.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
    expect(links.filter((target) => !/^(https:\/\/|#)/.test(target))).toEqual([]);
    for (const target of links.filter((each) => each.startsWith(address))) {
      const [, path = "", heading] = /\/(?:blob|tree)\/main\/([^#]+)(?:#(.*))?$/.exec(target) ?? [];
      expect(existsSync(join(root, path)), target).toBe(true);
      if (heading) expect(headingsOf(path), target).toContain(heading);
    }
  });
});

/** As GitHub makes anchors of them. */
const headingsOf = (path: string): readonly string[] =>
  [...readFileSync(join(root, path), "utf8").matchAll(/^#+ (.*)$/gm)].map(([, text = ""]) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );

/** A registry that has some packages, and takes others. */
async function registryWith(published: ReadonlySet<string>) {
  const taken: { name: string; attachments: number; access: string; tags: object }[] = [];
  const server = createServer(async (request, response) => {
    const name = decodeURIComponent(new URL(request.url ?? "", "http://registry").pathname.slice(1));
    if (request.method === "PUT") {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = JSON.parse(Buffer.concat(chunks).toString());
      const attachments = Object.keys(body._attachments).length;
      taken.push({ name, attachments, access: body.access, tags: body["dist-tags"] });
      response.writeHead(201).end("{}");
    } else if (published.has(name)) response.end(JSON.stringify({ name, versions: { [version]: {} } }));
    else response.writeHead(404).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { host: `127.0.0.1:${port}`, taken, [Symbol.dispose]: close };
}

describe("scripts/publish.mjs", () => {
  const publish = (host: string, ...words: string[]) =>
    promisify(execFile)(process.execPath, [join(root, "scripts/publish.mjs"), ...words], {
      cwd: root,
      env: {
        ...process.env,
        npm_config_registry: `http://${host}/`,
        [`npm_config_//${host}/:_authToken`]: "token-of-a-test",
        NPM_CONFIG_PROVENANCE: "false", // There is no OpenID Connect here.
      },
    });

  test("publishes what the registry lacks, after what it depends on", async () => {
    using all = await registryWith(new Set());
    const { stdout } = await publish(all.host, "--tag-name", `v${version}`, "--dry-run");
    const order = stdout
      .trim()
      .split("\n")
      .map((line) => line.split("@").slice(0, -1).join("@"));
    expect(order.toSorted()).toEqual(packages.map(({ name }) => name).toSorted());
    for (const { name, manifest } of packages)
      for (const dependency of Object.keys(manifest.dependencies))
        if (order.includes(dependency)) expect(order.indexOf(dependency)).toBeLessThan(order.indexOf(name));
    expect(all.taken).toEqual([]);
    using most = await registryWith(new Set(order.slice(0, -1)));
    await publish(most.host, "--tag-name", `v${version}`);
    expect(most.taken).toEqual([
      { name: "kubewright", attachments: 1, access: "public", tags: { latest: version } },
    ]);
  }, 120_000);

  test("refuses a tag of another version", async () => {
    await expect(publish("127.0.0.1:1", "--tag-name", "v99.0.0")).rejects.toThrow("have another version");
  });
});

test("the release workflow publishes on a tag, with provenance, after all tests", () => {
  const workflow = parse(readFileSync(join(root, ".github/workflows/release.yml"), "utf8"));
  expect(workflow.on.push.tags).toEqual(["v*"]);
  expect(workflow.permissions).toEqual({ contents: "read", "id-token": "write" });
  const commands = workflow.jobs.publish.steps.flatMap(({ run }: { run?: string }) => run ?? []);
  expect(commands).toEqual([
    ".ci/run",
    "npm run build",
    'node scripts/publish.mjs --tag-name "$GITHUB_REF_NAME"',
  ]);
});

test("the CI workflow tests the packed packages on Node.js 20, 22 and 24", () => {
  const { jobs } = parse(readFileSync(join(root, ".github/workflows/ci.yml"), "utf8"));
  expect(jobs.packages.strategy.matrix.node).toEqual([20, 22, 24]);
});
