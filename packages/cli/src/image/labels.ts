// Labels by the OCI image specification: what the image is, from package.json, and what it was built on.
import { isObject } from "@kubewright/api";
import { projectManifest } from "../manifests/manifest-settings.js";
import type { Base } from "./base-image.js";

/** The labels of a project's image. */
export function imageLabels(root: string, manager: string, base: Base): Readonly<Record<string, string>> {
  const manifest = projectManifest(root);
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
