// Labels by the OCI image specification: what the image is, from package.json, and what it was built on.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "@kubewright/api";
import type { Base } from "./base-image.js";

/** The labels of a project's image. */
export function imageLabels(root: string, manager: string, base: Base): Readonly<Record<string, string>> {
  const file = join(root, "package.json");
  const parsed: unknown = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  const manifest: Readonly<Record<string, unknown>> = isObject(parsed) ? parsed : {};
  const { repository } = manifest;
  const labels = {
    title: manager,
    version: manifest["version"],
    description: manifest["description"],
    licenses: manifest["license"],
    url: manifest["homepage"],
    source: isObject(repository) ? repository["url"] : repository,
    "base.name": base.reference?.name,
    "base.digest": base.reference?.digest,
  };
  const texts = Object.entries(labels).flatMap(([name, value]) =>
    typeof value === "string" && value !== "" ? [[`org.opencontainers.image.${name}`, value] as const] : [],
  );
  return Object.fromEntries(texts);
}
