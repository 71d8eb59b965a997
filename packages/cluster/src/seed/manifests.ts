// A cluster that begins with the objects of a folder of YAML or JSON files: namespaces and CRDs first, then the rest
// in the order of the files.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { CustomResourceDefinition, type KubeObject } from "@kubewright/api";
import { type Client, hasCondition, waitFor } from "@kubewright/client";
import { parseAllDocuments } from "yaml";

/** A file that cannot be read, or an object the server does not take. */
export class ManifestError extends Error {
  override readonly name = "ManifestError";
}

interface Manifest {
  readonly object: KubeObject & {
    readonly apiVersion: string;
    readonly kind: string;
    readonly [field: string]: unknown;
  };
  /** `web.yaml, document 2` */
  readonly where: string;
}

/** Every object in the files of a folder and its folders, or of one file. */
export function readManifests(path: string): readonly Manifest[] {
  return filesOf(path).flatMap((file) => documentsOf(file));
}

/** Applies them all; throws a ManifestError that names file and document. */
export async function applyManifests(client: Client, manifests: readonly Manifest[]): Promise<void> {
  const isFirst = ({ object: { kind } }: Manifest) =>
    kind === "Namespace" || kind === "CustomResourceDefinition";
  const ordered = [...manifests.filter(isFirst), ...manifests.filter((manifest) => !isFirst(manifest))];
  for (const manifest of ordered) {
    try {
      await apply(client, manifest.object);
    } catch (cause) {
      throw new ManifestError(`${manifest.where}: ${messageOf(cause)}`, { cause });
    }
  }
}

async function apply(client: Client, object: Manifest["object"]): Promise<void> {
  const { apiVersion, kind, metadata } = object;
  const resource = await client.resource({ apiVersion, kind });
  const place = resource.scope === "Namespaced" ? { namespace: metadata?.namespace ?? "default" } : {};
  const name = metadata?.name;
  if (name === undefined) await client.create(resource, { ...object, metadata: { ...metadata, ...place } });
  else
    await client.apply(resource, { ...object, metadata: { ...metadata, ...place, name } }, { force: true });
  if (kind === "CustomResourceDefinition")
    await waitFor(client, CustomResourceDefinition, name ?? "", hasCondition("Established"));
}

function filesOf(path: string): readonly string[] {
  let stats: ReturnType<typeof statSync>;
  try {
    stats = statSync(path);
  } catch (cause) {
    throw new ManifestError(`${path}: there is no such file or folder`, { cause });
  }
  if (!stats.isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const inside = join(path, entry.name);
      if (entry.isDirectory()) return filesOf(inside);
      return [".yaml", ".yml", ".json"].includes(extname(entry.name)) ? [inside] : [];
    });
}

function documentsOf(file: string): readonly Manifest[] {
  return parseAllDocuments(readFileSync(file, "utf8")).flatMap((document, index) => {
    const where = `${file}, document ${index + 1}`;
    const [error] = document.errors;
    if (error) throw new ManifestError(`${where}: ${error.message}`, { cause: error });
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    return value === null || value === undefined ? [] : objectsOf(value, where);
  });
}

function objectsOf(value: unknown, where: string): readonly Manifest[] {
  if (!isObject(value)) throw new ManifestError(`${where}: an object with apiVersion and kind is needed`);
  const items: unknown = value["items"];
  if (!value.kind.endsWith("List") || !Array.isArray(items)) return [{ object: value, where }];
  return items.flatMap((item: unknown, index) => objectsOf(item, `${where}, item ${index + 1}`));
}

function isObject(value: unknown): value is Manifest["object"] {
  if (typeof value !== "object" || value === null) return false;
  return (
    "apiVersion" in value &&
    typeof value.apiVersion === "string" &&
    "kind" in value &&
    typeof value.kind === "string"
  );
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
