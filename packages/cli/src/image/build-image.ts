// Builds the image of a project around its bundled file, writes it and pushes it, as the command line asks.
import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { isObject } from "@kubewright/api";
import { UsageError } from "../command.js";
import { projectManifest } from "../manifests/manifest-settings.js";
import { writeWhole } from "../write-whole.js";
import { type Base, imagesFor } from "./base-image.js";
import { BlobCache, cacheFolder } from "./blob-cache.js";
import { type Credentials, credentialsFor, parsePassword } from "./credentials.js";
import { defaultBase, findBase } from "./find-base.js";
import { fixedTime, imageOf } from "./image.js";
import { imageLabels } from "./labels.js";
import { writeArchive, writeLayout } from "./layout.js";
import { parsePlatforms, platformName } from "./platform.js";
import { pushImage } from "./push.js";
import { parseReference, parseTarget, type Reference, referenceText } from "./reference.js";
import { bundledPackages, sbomOf, spdxDocument } from "./sbom.js";

/** What the command line says of the image. */
export interface ImageOptions {
  readonly name?: string | undefined;
  readonly push: boolean;
  readonly base?: string | undefined;
  readonly platform?: string | undefined;
  readonly layout?: string | undefined;
  readonly tarball?: string | undefined;
  readonly "insecure-registry"?: string | undefined;
}

/** The same, read and checked. */
export interface ImageRequest {
  readonly name: string | undefined;
  /** Where it is pushed to, if it is. */
  readonly target: (Reference & { readonly tag: string }) | undefined;
  readonly base: string | undefined;
  readonly platforms: readonly string[] | undefined;
  readonly layout: string | undefined;
  readonly tarball: string | undefined;
  readonly insecure: ReadonlySet<string>;
}

export function imageRequest(options: ImageOptions): ImageRequest {
  const { name, push, base, platform, layout, tarball } = options;
  if (name !== undefined && !parseReference(name))
    throw new UsageError(
      `--image ${name} is not an image name such as registry.example.com/team/operator:1.0`,
    );
  return {
    name,
    target: push && name !== undefined ? parseTarget(name) : undefined,
    base,
    platforms: platform === undefined ? undefined : parsePlatforms(platform),
    layout: layout ?? (push || tarball !== undefined ? undefined : join("dist", "image")),
    tarball,
    insecure: new Set(options["insecure-registry"]?.split(",") ?? []),
  };
}

export interface Built {
  readonly root: string;
  readonly manager: string;
  readonly program: Uint8Array;
  /** The files of the bundle, for the SBOM. */
  readonly inputs: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Called for each blob that was downloaded or pushed. */
  readonly onProgress?: ((text: string) => unknown) | undefined;
}

/** What was built, as `-o json` shows it. */
export interface BuiltImage {
  readonly digest: string;
  readonly base: string;
  readonly platforms: readonly string[];
  readonly layout?: string | undefined;
  readonly tarball?: string | undefined;
  readonly sbom: string;
  readonly pushed?: string | undefined;
  readonly warnings: readonly string[];
}

export async function buildImage(request: ImageRequest, built: Built): Promise<BuiltImage> {
  const { root, manager, program, env, onProgress } = built;
  const { target, insecure } = request;
  const credentials = (registry: string) => credentialsOf(registry, target, env);
  const baseName = request.base ?? baseSetting(root) ?? defaultBase;
  const base = await findBase(baseName, {
    insecure,
    cache: new BlobCache(cacheFolder(env)),
    credentialsFor: credentials,
    onDownload: ({ digest, size }) => onProgress?.(`downloaded ${digest} (${Math.ceil(size / 1024)} KiB)`),
  });
  const created = creationTime(env);
  const bases = await imagesFor(base, request.platforms);
  const image = imageOf({ bases, program, created, labels: imageLabels(root, manager, base) });
  const packages = bundledPackages(root, built.inputs);
  const document = spdxDocument({ name: manager, program, packages, base, created });
  const sbomFile = resolve(root, "dist", "sbom.spdx.json");
  writeWhole(sbomFile, document);
  const sbom = sbomOf(image, document, created);
  const name = request.name ?? `${manager}:latest`;
  const layout = request.layout && resolve(root, request.layout);
  if (layout) await writeLayout(layout, image, name, sbom);
  const tarball = request.tarball && resolve(root, request.tarball);
  if (tarball) await writeArchive(tarball, image, name, process.arch === "x64" ? "amd64" : process.arch);
  const warnings = pinWarnings(base, baseName);
  if (target)
    await pushImage(image, target, {
      sbom,
      insecure,
      credentials: await credentials(target.registry),
      onBlob: (digest, outcome) => onProgress?.(`${digest}: ${outcome}`),
      onWarning: (text) => warnings.push(text),
    });
  const { digest } = image.manifest;
  return {
    digest,
    base: base.reference ? `${base.reference.name}@${base.reference.digest}` : base.source,
    platforms: image.parts.map(({ platform }) => platformName(platform)),
    ...(layout ? { layout: relative(root, layout) } : {}),
    ...(tarball ? { tarball: relative(root, tarball) } : {}),
    sbom: relative(root, sbomFile),
    ...(target ? { pushed: referenceText({ ...target, digest }) } : {}),
    warnings,
  };
}

/** `REGISTRY_AUTH` is for the registry that the image is pushed to, and for no other. */
function credentialsOf(registry: string, target: Reference | undefined, env: Built["env"]) {
  const own = env["REGISTRY_AUTH"];
  const found: Promise<Credentials | undefined> =
    own && registry === target?.registry
      ? Promise.resolve(parsePassword(own, "REGISTRY_AUTH"))
      : credentialsFor(registry, env);
  return found;
}

/** A tag may mean something else tomorrow. */
function pinWarnings({ reference }: Base, name: string): string[] {
  if (!reference || name.includes("@")) return [];
  return [
    `the base image is named by a tag, so another build may differ; pin it: npm pkg set kubewright.base=${reference.name}@${reference.digest}`,
  ];
}

/** The base that package.json names; a file is named from the folder of the project. */
function baseSetting(root: string): string | undefined {
  const own = projectManifest(root)["kubewright"];
  const base = isObject(own) ? own["base"] : undefined;
  if (base === undefined) return undefined;
  if (typeof base !== "string" || base === "")
    throw new UsageError("package.json: kubewright.base: the name of an image is needed");
  const file = resolve(root, base);
  return existsSync(file) ? file : base;
}

/** `SOURCE_DATE_EPOCH`, in seconds, as other reproducible builds take it. */
function creationTime(env: Built["env"]): string {
  const seconds = env["SOURCE_DATE_EPOCH"];
  if (seconds === undefined || seconds === "") return fixedTime;
  const time = new Date(Number(seconds) * 1000);
  if (Number.isNaN(time.getTime()))
    throw new UsageError("SOURCE_DATE_EPOCH is not a number of seconds since 1970");
  return time.toISOString().replace(".000Z", "Z");
}
