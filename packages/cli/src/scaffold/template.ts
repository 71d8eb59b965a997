// Templates are files under templates/, with {{names}} for what differs from project to project.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const suffix = ".tmpl";

/** The folder of this package, from its sources or from its bundle. */
export function packageDirectory(): string {
  for (let directory = dirname(fileURLToPath(import.meta.url)); ; directory = dirname(directory)) {
    if (readdirSync(directory).includes("templates")) return directory;
    if (directory === dirname(directory))
      throw new Error("the templates of kubewright are missing; install it again");
  }
}

/** Fills in a template; a line that holds nothing but names without a value is left out. */
export function render(path: string, values: Readonly<Record<string, string>>): string {
  return fill(readFileSync(join(packageDirectory(), "templates", path + suffix), "utf8"), values, path);
}

/** The templates under a folder, as the paths they are written to. */
export function templatesUnder(folder: string): readonly string[] {
  const root = join(packageDirectory(), "templates", folder);
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(suffix))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).slice(0, -suffix.length))
    .sort();
}

/** Replaces `{{name}}`; throws for a name that has no value. */
export function fill(text: string, values: Readonly<Record<string, string>>, path = "a template"): string {
  const lines = text.split("\n").flatMap((line) => {
    const names = [...line.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = ""]) => name);
    const filled = line.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      if (value === undefined) throw new Error(`${path}: there is no value for {{${name}}}`);
      return value;
    });
    return names.length > 0 && filled.trim() === "" ? [] : [filled];
  });
  return lines.join("\n");
}
