// Runs every benchmark of this folder, one after the other: node bench/run.mjs [name…]. With QUICK=1 those that can do less do less.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const wanted = process.argv.slice(2);
const built = spawnSync(process.execPath, [join(here, "../scripts/build.mjs")], { stdio: "inherit" });
if (built.status !== 0) process.exit(built.status ?? 1);

let failed = 0;
for (const file of readdirSync(here)
  .filter((name) => name.endsWith(".mjs") && name !== "run.mjs")
  .sort()) {
  const name = file.replace(/\.mjs$/, "");
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.log(`\n== ${name}`);
  const { status } = spawnSync(process.execPath, ["--expose-gc", join(here, file)], { stdio: "inherit" });
  if (status !== 0) failed++;
}
process.exit(failed > 0 ? 1 : 0);
