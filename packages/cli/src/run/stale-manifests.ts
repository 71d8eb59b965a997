// Whether the manifests of a project still follow from its code: they are written only when they are asked for.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { planManifests } from "../manifests/generate.js";
import type { Project } from "./load-project.js";

/** The line that says so; undefined for a project without manifests, and where they are up to date. */
export function staleManifests({
  root,
  definition,
}: Pick<Project, "root" | "definition">): string | undefined {
  if (!existsSync(join(root, "config"))) return undefined;
  const { write, remove } = planManifests(root, definition, { check: true });
  const count = write.size + remove.length;
  if (count === 0) return undefined;
  return `config/ is out of date (${count} file${count === 1 ? "" : "s"}); npx kubewright manifests updates it`;
}
