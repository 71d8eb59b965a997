// Publishes the packages to npm, those that others need first: node scripts/publish.mjs --tag-name v1.2.3 [--dry-run]
// It can be run again after a failure: what the registry has already is left out.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const { values } = parseArgs({
  options: { "tag-name": { type: "string" }, "dry-run": { type: "boolean", default: false } },
});
const packages = inOrder(publishedPackages());
const version = values["tag-name"]?.replace(/^v/, "");
const others = packages.filter(({ manifest }) => manifest.version !== version);
if (others.length > 0) {
  const named = others.map(({ manifest }) => `${manifest.name}@${manifest.version}`).join(", ");
  console.error(`--tag-name ${values["tag-name"]}: these packages have another version: ${named}`);
  process.exit(2);
}

const registry = (
  process.env.npm_config_registry ?? npm(["config", "get", "registry"], { encoding: "utf8" }).stdout.trim()
).replace(/\/$/, "");
for (const { directory, manifest } of packages) {
  const name = `${manifest.name}@${manifest.version}`;
  if (await isPublished(manifest)) console.log(`${name} is published already`);
  else if (values["dry-run"]) console.log(`${name} would be published`);
  else publish(directory, name);
}

function publish(directory, name) {
  // Pre-releases do not become what `npm install` takes by default. The packages are built already.
  const tag = version.includes("-") ? "next" : "latest";
  // publishConfig has access and provenance; an environment without OpenID Connect can turn the latter off (NPM_CONFIG_PROVENANCE).
  const provenance = process.env.NPM_CONFIG_PROVENANCE === "false" ? "--no-provenance" : "--provenance";
  const { status } = npm(["publish", provenance, "--ignore-scripts", "--tag", tag], {
    cwd: directory,
    stdio: "inherit",
  });
  if (status !== 0) {
    console.error(`${name} was not published; run this again when the reason is gone`);
    process.exit(1);
  }
  console.log(`published ${name}`);
}

async function isPublished({ name, version: wanted }) {
  const answer = await fetch(`${registry}/${name.replace("/", "%2f")}`, {
    headers: { accept: "application/vnd.npm.install-v1+json" },
  });
  if (answer.status === 404) return false;
  if (!answer.ok) throw new Error(`${registry} answers ${answer.status} for ${name}`);
  return wanted in ((await answer.json()).versions ?? {});
}

function publishedPackages() {
  return readdirSync(join(root, "packages"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(root, "packages", name))
    .map((directory) => ({
      directory,
      manifest: JSON.parse(readFileSync(join(directory, "package.json"), "utf8")),
    }))
    .filter(({ manifest }) => !manifest.private);
}

/** Dependencies before dependents, so that nobody can install a package whose dependencies are not there yet. */
function inOrder(all) {
  const byName = new Map(all.map((each) => [each.manifest.name, each]));
  const ordered = new Set();
  const add = (each) => {
    for (const name of Object.keys(each.manifest.dependencies ?? {}))
      if (byName.has(name) && !ordered.has(byName.get(name))) add(byName.get(name));
    ordered.add(each);
  };
  for (const each of all) add(each);
  return [...ordered];
}

function npm(words, options) {
  return spawnSync("npm", words, { cwd: root, ...options });
}
