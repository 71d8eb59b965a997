// The software bill of materials of an image: the npm packages in its bundled file, and its base, as SPDX 2.3 in JSON.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isObject } from "@kubewright/api";
import type { Base } from "./base-image.js";
import { blobOf, descriptorOf, digestOf, jsonBlob, type MadeBlob, mediaTypes } from "./blob.js";
import { fixedTime, type Image } from "./image.js";

/** A package of which files are in the bundle. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  readonly license: string | undefined;
}

export const sbomType = "application/spdx+json";

/** The packages that the files of a bundle belong to, by name and version. */
export function bundledPackages(root: string, files: readonly string[]): readonly BundledPackage[] {
  const byFolder = new Map<string, BundledPackage | undefined>();
  const found = new Map<string, BundledPackage>();
  for (const file of files) {
    const owner = packageAbove(dirname(resolve(root, file)), byFolder);
    if (owner) found.set(`${owner.name}@${owner.version}`, owner);
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
}

/** The nearest package.json with a name: some folders have one that only sets the type of modules. */
function packageAbove(
  folder: string,
  known: Map<string, BundledPackage | undefined>,
): BundledPackage | undefined {
  if (known.has(folder)) return known.get(folder);
  const parent = dirname(folder);
  const found = packageIn(folder) ?? (parent === folder ? undefined : packageAbove(parent, known));
  known.set(folder, found);
  return found;
}

function packageIn(folder: string): BundledPackage | undefined {
  const file = join(folder, "package.json");
  if (!existsSync(file)) return undefined;
  const manifest: unknown = JSON.parse(readFileSync(file, "utf8"));
  if (!isObject(manifest)) return undefined;
  const { name, version, license } = manifest;
  if (typeof name !== "string") return undefined;
  return {
    name,
    version: typeof version === "string" ? version : "0.0.0",
    license: typeof license === "string" ? license : undefined,
  };
}

export interface SbomContent {
  /** The operator. */
  readonly name: string;
  readonly program: Uint8Array;
  readonly packages: readonly BundledPackage[];
  readonly base: Base;
  readonly created?: string | undefined;
}

/** The document; the same for the same contents, its namespace included. */
export function spdxDocument({ name, program, packages, base, created = fixedTime }: SbomContent): string {
  const listed = packages.map((each, index) => npmPackage(each, `SPDXRef-Package-${index + 1}`));
  const bases = base.reference ? [basePackage(base.reference)] : [];
  const digest = digestOf(program).replace("sha256:", "");
  const main = {
    SPDXID: "SPDXRef-Program",
    name: `${name}/app/main.js`,
    downloadLocation: "NOASSERTION",
    filesAnalyzed: false,
    primaryPackagePurpose: "APPLICATION",
    checksums: [{ algorithm: "SHA256", checksumValue: digest }],
  };
  const document = {
    spdxVersion: "SPDX-2.3",
    dataLicense: "CC0-1.0",
    SPDXID: "SPDXRef-DOCUMENT",
    name,
    documentNamespace: `https://spdx.org/spdxdocs/${encodeURIComponent(name)}-${digest}`,
    creationInfo: { created, creators: ["Tool: kubewright"] },
    packages: [main, ...listed, ...bases],
    relationships: [
      related("SPDXRef-DOCUMENT", "DESCRIBES", main),
      ...listed.map((each) => related(main.SPDXID, "CONTAINS", each)),
      ...bases.map((each) => related(main.SPDXID, "DEPENDS_ON", each)),
    ],
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

const related = (spdxElementId: string, relationshipType: string, { SPDXID }: { SPDXID: string }) => ({
  spdxElementId,
  relationshipType,
  relatedSpdxElement: SPDXID,
});

const npmPackage = ({ name, version, license }: BundledPackage, SPDXID: string) => ({
  SPDXID,
  name,
  versionInfo: version,
  downloadLocation: "NOASSERTION",
  filesAnalyzed: false,
  licenseDeclared: license !== undefined && isLicense(license) ? license : "NOASSERTION",
  externalRefs: [purl(`pkg:npm/${name.replace("@", "%40")}@${version}`)],
});

function basePackage({ name, digest }: { readonly name: string; readonly digest: string }) {
  const [repository = name] = /^(?:[^/]+\/)?[^:]+(?=:[^:/]+$|$)/.exec(name) ?? [];
  const last = repository.slice(repository.lastIndexOf("/") + 1);
  return {
    SPDXID: "SPDXRef-Base",
    name,
    versionInfo: digest,
    downloadLocation: "NOASSERTION",
    filesAnalyzed: false,
    primaryPackagePurpose: "CONTAINER",
    externalRefs: [
      purl(`pkg:oci/${last}@${encodeURIComponent(digest)}?repository_url=${encodeURIComponent(repository)}`),
    ],
  };
}

const purl = (referenceLocator: string) => ({
  referenceCategory: "PACKAGE-MANAGER",
  referenceType: "purl",
  referenceLocator,
});

/** An SPDX expression, and not `SEE LICENSE IN …`. */
const isLicense = (text: string): boolean => /^[\w.+() -]+$/.test(text) && !/^(see |unlicensed$)/i.test(text);

/** A manifest that attaches the document to an image: a referrer of its manifest or index. */
export interface Sbom {
  readonly manifest: MadeBlob;
  readonly blobs: readonly MadeBlob[];
}

export function sbomOf({ manifest }: Image, document: string, created = fixedTime): Sbom {
  const empty = jsonBlob(mediaTypes.empty, {});
  const layer = blobOf(sbomType, Buffer.from(document));
  return {
    manifest: jsonBlob(mediaTypes.manifest, {
      schemaVersion: 2,
      mediaType: mediaTypes.manifest,
      artifactType: sbomType,
      config: { ...descriptorOf(empty), data: "e30=" },
      layers: [descriptorOf(layer)],
      subject: descriptorOf(manifest),
      annotations: { "org.opencontainers.image.created": created },
    }),
    blobs: [empty, layer],
  };
}
