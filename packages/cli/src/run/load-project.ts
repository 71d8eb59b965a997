// Loads the manager of a project. Nothing is started by that: main.ts only says what there is.
import { randomUUID } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ManagerDefinition } from "@kubewright/runtime";
import type { openManager } from "@kubewright/runtime/main";
import type { BuildOptions } from "esbuild";
import { UsageError } from "../command.js";
import { bundle, bundleOptions, requireBanner, runsFromSource } from "./bundle.js";

/** A project, loaded. */
export interface Project {
  readonly root: string;
  readonly definition: ManagerDefinition;
  /** Of the project's own libraries, so that what it throws and what catches it are of one make. */
  readonly openManager: typeof openManager;
}

const entry = `
export * as main from "./src/main.ts";
export { openManager } from "@kubewright/runtime/main";
`;

/** How a project is bundled to be run from here: packages stay imports, unless all of it comes from sources. */
export function loadOptions(root: string): BuildOptions {
  return {
    ...bundleOptions(root, entry),
    sourcemap: "inline",
    // The bundle is loaded from a folder below, and stack traces name files as they are in the project.
    sourceRoot: pathToFileURL(join(root, "/")).href,
    packages: runsFromSource ? "bundle" : "external",
    banner: { js: requireBanner },
  };
}

/** Bundles and loads the project in a folder. */
export async function loadProject(root: string): Promise<Project> {
  return importProject(root, await bundle(loadOptions(root)));
}

/** Loads a project that is bundled already. */
export async function importProject(root: string, code: Uint8Array): Promise<Project> {
  return projectOf(root, await importModule(root, code));
}

/** Loads a bundle as a module of the project. */
export async function importModule(root: string, code: Uint8Array): Promise<unknown> {
  const folder = join(root, ".kubewright");
  // In the project, so that its packages are found; under a new name each time, since Node loads a name only once.
  const file = join(folder, `main-${randomUUID()}.mjs`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, code);
  try {
    return await import(/* @vite-ignore */ pathToFileURL(file).href);
  } catch (error) {
    throw missingZod(error) ?? error;
  } finally {
    rmSync(file, { force: true });
  }
}

/** zod comes with @kubewright/schema; a project that has not declared it cannot import it by its own name. */
function missingZod(error: unknown): Error | undefined {
  if (!(error instanceof Error) || !error.message.startsWith("Cannot find package 'zod'")) return undefined;
  return new UsageError(
    'zod is not a dependency of this project; use import { z } from "@kubewright/schema"',
  );
}

interface Loaded {
  readonly main: { readonly default?: unknown };
  readonly openManager: typeof openManager;
}

/** The project of a module that exports `main` and `openManager`. */
export function projectOf(root: string, module: unknown): Project {
  if (!isLoaded(module))
    throw new Error(
      "@kubewright/runtime of this project and this command have different versions; install the same version of both",
    );
  const definition = module.main.default;
  if (!isManager(definition))
    throw new UsageError(
      "src/main.ts must default-export a manager: export default defineManager({ name, controllers })",
    );
  return { root, definition, openManager: module.openManager };
}

const isLoaded = (value: unknown): value is Loaded =>
  typeof value === "object" &&
  value !== null &&
  "main" in value &&
  "openManager" in value &&
  typeof value.openManager === "function";

const isManager = (value: unknown): value is ManagerDefinition =>
  typeof value === "object" && value !== null && "kind" in value && value.kind === "kubewright.manager";
