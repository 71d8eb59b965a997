// The files of a project that are ours to move forward: those that are still as some version of this command wrote them. History
// has, for each, a hash of every template there has been, the newest last; "none" stands for the time before there was one.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageDirectory, render } from "./template.js";

/** By the name of a template (`project/Makefile`, `with/e2e/test/e2e/kind.sh`): its hashes, oldest first. */
export type History = Readonly<Record<string, readonly string[]>>;

/** Of every template that is the same for all projects but for their name. */
export function templateHistory(): History {
  const file = join(packageDirectory(), "templates", "history.json");
  const content: unknown = JSON.parse(readFileSync(file, "utf8"));
  return isHistory(content) ? content : {};
}

const isHistory = (value: unknown): value is History =>
  typeof value === "object" && value !== null && Object.values(value).every(Array.isArray);

/** The hash by which a template is known. */
export const templateHash = (text: string): string =>
  createHash("sha256").update(text).digest("hex").slice(0, 16);

/** Where a project has what a template writes. */
export const pathOfTemplate = (template: string): string => template.replace(/^(project|with\/[^/]+)\//, "");

/** The newest text of a file, and whether the one that is there may give way to it. */
export interface Renewal {
  readonly text: string;
  readonly state: "current" | "older" | "edited" | "removed";
}

/** What is to be done about a file of a project. */
export function renewalOf(
  template: string,
  now: string | undefined,
  projectName: string,
  known: readonly string[],
): Renewal {
  const text = render(template, { projectName });
  if (now === undefined) return { text, state: known.includes("none") ? "older" : "removed" };
  if (now === text) return { text, state: "current" };
  const unfilled = now.replaceAll(projectName, "{{projectName}}");
  const isOlder = [now, unfilled].some((each) => known.includes(templateHash(each)));
  return { text, state: isOlder ? "older" : "edited" };
}
