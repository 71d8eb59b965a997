// Which kinds of a project are somebody else's: they are used, and looked after even, but neither installed nor deleted by it.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { findProject, fullGroup } from "./project-file.js";

/** `Certificate.cert-manager.io` of each kind that PROJECT records as imported. */
export function importedKinds(root: string): ReadonlySet<string> {
  if (!existsSync(join(root, "PROJECT"))) return new Set();
  const { project } = findProject(root);
  return new Set(
    project.resources
      .filter(({ external }) => external)
      .map((resource) => `${resource.kind}.${fullGroup(resource)}`),
  );
}
