// Brings config/ up to date after the project was edited by a command, where the project can be loaded.
import { loadProject } from "../run/load-project.js";
import { carryOut } from "./file-plan.js";
import { planManifests } from "./generate.js";

/** What was done about config/, for people: a project that cannot be loaded yet is told what to do when it can. */
export async function refreshManifests(directory: string): Promise<string> {
  try {
    const { root, definition } = await loadProject(directory);
    const plan = planManifests(root, definition);
    carryOut(root, plan);
    const count = plan.write.size + plan.remove.length;
    return count === 0 ? "config/ is up to date" : `config/ was brought up to date (${count} files)`;
  } catch {
    return "config/ was not updated; run npx kubewright manifests when the project can be loaded";
  }
}
