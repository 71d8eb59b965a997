// Where a project's packages come from: the checkout this command runs from, or the version that was published.
import { existsSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { packageDirectory } from "./template.js";

/** Says what stands behind a package of ours in a package.json. */
export interface PackageSource {
  readonly version: string;
  readonly isCheckout: boolean;
  /** The value for `dependencies`: a version, or `file:` and a path. */
  specifier(name: string): string;
}

const folders: Readonly<Record<string, string>> = { kubewright: "cli" };

/** The source of packages for a project in a folder. */
export function packageSource(projectDirectory: string, cli = packageDirectory()): PackageSource {
  const { version } = readManifest(join(cli, "package.json"));
  const checkout = join(cli, "..", "..");
  const manifest = join(checkout, "package.json");
  const isCheckout = existsSync(manifest) && readManifest(manifest).name === "kubewright-repository";
  return {
    version,
    isCheckout,
    specifier: (name) => (isCheckout ? fileSpecifier(checkout, name, projectDirectory) : version),
  };
}

/** Relative inside the checkout, so that the whole can be moved. */
function fileSpecifier(checkout: string, name: string, projectDirectory: string): string {
  const folder = folders[name] ?? name.replace("@kubewright/", "");
  const target = join(checkout, "packages", folder);
  const isInside = projectDirectory.startsWith(checkout + sep);
  return `file:${isInside ? relative(projectDirectory, target).split(sep).join("/") : target}`;
}

function readManifest(file: string): { readonly name: string; readonly version: string } {
  const content: unknown = JSON.parse(readFileSync(file, "utf8"));
  const record = typeof content === "object" && content !== null ? content : {};
  const field = (name: string): string =>
    String(Object.entries(record).find(([key]) => key === name)?.[1] ?? "");
  return { name: field("name"), version: field("version") };
}
