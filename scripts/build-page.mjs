// Bundles the page of the dashboard for browsers.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const page = join(dirname(fileURLToPath(import.meta.url)), "..", "packages", "dashboard", "page");

/** Does nothing in a tree without the page. */
export async function buildPage(outdir) {
  if (!existsSync(page)) return;
  mkdirSync(outdir, { recursive: true });
  for (const file of ["index.html", "icon.svg"]) copyFileSync(join(page, file), join(outdir, file));
  await build({
    absWorkingDir: page,
    entryPoints: { app: "main.tsx" },
    outdir,
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: ["chrome123", "firefox120", "safari17.5"],
    jsx: "automatic",
    jsxImportSource: "preact",
    logLevel: "warning",
    legalComments: "none",
  });
}

/** The files by name, compressed and in base64; null in a tree without the page. */
export async function packedPage() {
  if (!existsSync(page)) return null;
  const folder = mkdtempSync(join(tmpdir(), "kubewright-page-"));
  try {
    await buildPage(folder);
    const packed = (file) => gzipSync(readFileSync(join(folder, file)), { level: 9 }).toString("base64");
    return Object.fromEntries(readdirSync(folder).map((file) => [file, packed(file)]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
