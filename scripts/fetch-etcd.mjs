// Unpacks Debian's etcd into .kubewright/etcd/VERSION, without root: npm run etcd:fetch [-- FILE.deb|URL…]. Without arguments the packages
// are those of this machine's own Debian or Ubuntu release (apt-get download). Tests find them there; ETCD_BINARIES names another folder.
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const target = join(root, ".kubewright", "etcd");
const programs = ["etcd", "etcdctl", "etcdutl"];
const scratch = mkdtempSync(join(tmpdir(), "kubewright-etcd-"));

try {
  const packages = process.argv.length > 2 ? await given(process.argv.slice(2)) : downloaded();
  const versions = new Map();
  for (const file of packages) {
    const [, name, version] = /^(etcd(?:-server|-client)?)_(\d+\.\d+\.\d+)/.exec(basename(file)) ?? [];
    if (!version)
      throw new Error(`${file}: the name of a package such as etcd-server_3.5.30-2_amd64.deb is needed`);
    const folder = join(scratch, `${name}-${version}`);
    run("dpkg-deb", ["-x", file, folder]);
    versions.set(version, [...(versions.get(version) ?? []), join(folder, "usr", "bin")]);
  }
  for (const [version, folders] of versions) install(version, folders);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** The files named, fetched where they are addresses. */
async function given(places) {
  const files = [];
  for (const place of places) {
    if (!/^https?:/.test(place)) {
      files.push(resolve(place));
      continue;
    }
    const response = await fetch(place);
    if (!response.ok) throw new Error(`${place}: HTTP ${response.status}`);
    const file = join(scratch, basename(new URL(place).pathname));
    writeFileSync(file, Buffer.from(await response.arrayBuffer()));
    files.push(file);
  }
  return files;
}

function downloaded() {
  const folder = join(scratch, "packages");
  mkdirSync(folder);
  run("apt-get", ["download", "etcd-server", "etcd-client"], folder);
  return readdirSync(folder).map((name) => join(folder, name));
}

function install(version, folders) {
  const folder = join(target, version);
  mkdirSync(folder, { recursive: true });
  const found = programs.filter((program) => {
    const file = folders.map((each) => join(each, program)).find((each) => existsSync(each));
    if (file) copyFileSync(file, join(folder, program));
    return file !== undefined;
  });
  console.log(`etcd ${version}: ${found.join(", ")} in ${folder}`);
}

function run(program, args, cwd) {
  const { status, stderr, error } = spawnSync(program, args, { cwd, encoding: "utf8" });
  if (error) throw new Error(`${program} is needed, and cannot be run: ${error.message}`);
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${stderr.trim()}`);
}
