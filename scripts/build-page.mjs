// Bundles the page of the dashboard for browsers.
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

/** Writes to `outdir`; without one beside the package's other files. */
export async function buildPage(directory, outdir = join(directory, "dist", "page")) {
  const page = join(directory, "page");
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
