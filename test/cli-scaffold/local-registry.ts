// A registry of npm packages on this machine, as much of one as `npm install` needs: our own as they were packed, all others as they are
// installed here.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const repository = join(import.meta.dirname, "../..");

interface Manifest {
  readonly name: string;
  readonly version: string;
}

interface Version {
  readonly manifest: Manifest;
  tarball(): Buffer;
}

export interface LocalRegistry {
  readonly url: string;
  /** The packages that were fetched. */
  readonly fetched: ReadonlySet<string>;
  close(): void;
}

/** Serves packed packages, by the folder each was unpacked to. */
export async function startRegistry(packed: ReadonlyMap<string, string>): Promise<LocalRegistry> {
  const versions = [...ownVersions(packed), ...installedVersions()];
  const fetched = new Set<string>();
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "", "http://registry").pathname).slice(1);
    const [, id] = /^-\/(.+)\.tgz$/.exec(path) ?? [];
    const found = versions.filter(({ manifest }) => manifest.name === path || idOf(manifest) === id);
    const [first] = found;
    if (!first) response.writeHead(404).end("{}");
    else if (id === undefined) response.end(JSON.stringify(documentOf(found, url)));
    else {
      fetched.add(first.manifest.name);
      // What npm has fetched once it need not fetch again.
      response.setHeader("cache-control", "public, max-age=3600, immutable");
      response.end(first.tarball());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
  return { url, fetched, close: () => void server.close() };
}

const idOf = ({ name, version }: Manifest): string => `${name}@${version}`;

/** What npm reads before it fetches anything. */
function documentOf(versions: readonly Version[], url: string): object {
  const all = versions.map(({ manifest }) => ({
    ...manifest,
    dist: { tarball: `${url}/-/${encodeURIComponent(idOf(manifest))}.tgz` },
  }));
  return {
    name: all[0]?.name,
    "dist-tags": { latest: all[0]?.version },
    versions: Object.fromEntries(all.map((each) => [each.version, each])),
  };
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;

const ownVersions = (packed: ReadonlyMap<string, string>): readonly Version[] =>
  [...packed].map(([file, folder]) => ({ manifest: manifestOf(folder), tarball: () => readFileSync(file) }));

/** By the lock file; what is for other platforms is not here, and optional. */
function installedVersions(): readonly Version[] {
  const { packages } = JSON.parse(readFileSync(join(repository, "package-lock.json"), "utf8")) as {
    packages: Readonly<Record<string, { readonly link?: boolean }>>;
  };
  const seen = new Map<string, Version>();
  for (const [path, { link }] of Object.entries(packages)) {
    const folder = join(repository, path);
    if (link || !path.includes("node_modules/") || !existsSync(join(folder, "package.json"))) continue;
    const manifest = manifestOf(folder);
    seen.set(idOf(manifest), { manifest, tarball: () => packFolder(folder) });
  }
  return [...seen.values()];
}

/** Not made smaller: it stays on this machine. */
function packFolder(folder: string): Buffer {
  const archive = execFileSync(
    "tar",
    ["cf", "-", "--exclude=./node_modules", "--transform=s,^\\./,package/,", "-C", folder, "."],
    { maxBuffer: 512 * 1024 * 1024 },
  );
  return gzipSync(archive, { level: 0 });
}
