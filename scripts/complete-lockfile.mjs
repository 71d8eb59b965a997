// Completes package-lock.json with the platform packages that npm left out because the registry at hand does not carry
// them. Without them `npm ci` refuses the lock file; with them it skips what is not for the machine it runs on. Run it after
// every `npm install` that changed the lock file: node scripts/complete-lockfile.mjs
import { readFileSync, writeFileSync } from "node:fs";

const file = new URL("../package-lock.json", import.meta.url);
const lock = JSON.parse(readFileSync(file, "utf8"));
let added = 0;

for (const [path, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (`${path}/node_modules/${name}` in lock.packages || `node_modules/${name}` in lock.packages) continue;
    lock.packages[`node_modules/${name}`] = {
      version,
      ...platformOf(name),
      ...(entry.dev ? { dev: true } : {}),
      optional: true,
    };
    added++;
  }
}

lock.packages = Object.fromEntries(
  Object.entries(lock.packages).sort(([left], [right]) => (left < right ? -1 : 1)),
);
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(
  added === 0 ? "package-lock.json is complete" : `added ${added} platform packages to package-lock.json`,
);

/** Platform packages carry their platform in their name: `cli-linux-x64-musl`, `binding-win32-arm64-msvc`. */
function platformOf(name) {
  const systems = [
    "aix",
    "android",
    "darwin",
    "freebsd",
    "linux",
    "netbsd",
    "openbsd",
    "openharmony",
    "sunos",
    "win32",
  ];
  const words = name.split(/[/-]/);
  const os = systems.find((system) => words.includes(system));
  const cpus = ["arm64", "arm", "ia32", "loong64", "mips64el", "ppc64", "riscv64", "s390x", "wasm32", "x64"];
  const cpu = cpus.find((candidate) => words.includes(candidate));
  const libc = words.includes("musl") ? ["musl"] : words.includes("gnu") ? ["glibc"] : undefined;
  return { ...(os ? { os: [os] } : {}), ...(cpu ? { cpu: [cpu] } : {}), ...(libc ? { libc } : {}) };
}
