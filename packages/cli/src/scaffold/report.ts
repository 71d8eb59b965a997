// What a scaffolding command tells people.
import { coloursFor } from "../terminal.js";
import { describeChanges } from "./file-plan.js";
import type { Scaffolded } from "./scaffolded.js";

/** A next step: samples are written from the code, so that a new project has none yet. */
export const manifestsStep =
  "npx kubewright manifests   # writes config, with a sample of each kind in config/samples";

/** The files, what is left to do by hand, and what to do next. */
export function report(directory: string, { changes, manual }: Scaffolded, next: readonly string[]): string {
  const colour = coloursFor();
  const told = changes.filter(({ path }) => !path.endsWith(".gitkeep"));
  return [
    describeChanges(directory, told),
    ...(manual.length > 0 ? ["", colour.yellow("To do by hand:"), ...manual.map((line) => `  ${line}`)] : []),
    ...(next.length > 0 ? ["", colour.bold("Next:"), ...next.map((line) => `  ${line}`)] : []),
  ].join("\n");
}
