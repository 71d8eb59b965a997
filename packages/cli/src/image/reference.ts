// References to images: `registry.example.com:5000/team/shop:1.0@sha256:…`. Without a registry they mean Docker Hub, as everywhere.
import { UsageError } from "../command.js";

export interface Reference {
  /** Host and port, as people write them: `docker.io` is not where Docker Hub answers. */
  readonly registry: string;
  readonly repository: string;
  readonly tag?: string | undefined;
  readonly digest?: string | undefined;
}

const component = "[a-z0-9]+(?:(?:\\.|_{1,2}|-+)[a-z0-9]+)*";
const pattern = new RegExp(
  `^([a-z0-9.-]+(?::\\d+)?|\\[[0-9a-f:]+\\](?::\\d+)?)/(${component}(?:/${component})*)(?::([\\w][\\w.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$`,
);

/** The parts of a reference; nothing where it is none. */
export function parseReference(text: string): Reference | undefined {
  const slash = text.indexOf("/");
  const first = slash === -1 ? "" : text.slice(0, slash);
  const hasRegistry = /[.:]/.test(first) || first === "localhost";
  const match = pattern.exec(hasRegistry ? text : `docker.io/${text}`);
  const [, registry, repository, tag, digest] = match ?? [];
  if (registry === undefined || repository === undefined) return undefined;
  if (registry !== "docker.io") return { registry, repository, tag, digest };
  return {
    registry,
    repository: repository.includes("/") ? repository : `library/${repository}`,
    tag,
    digest,
  };
}

/** Where an image is pushed to: its registry and tag must be named. */
export function parseTarget(text: string): Reference & { readonly tag: string } {
  const reference = parseReference(text);
  const { tag } = reference ?? {};
  const namesRegistry = reference !== undefined && text.startsWith(`${reference.registry}/`);
  if (!reference || tag === undefined || reference.digest !== undefined || !namesRegistry)
    throw new UsageError(
      `--image ${text}: a registry, a name and a tag are needed, as in registry.example.com/team/operator:1.0`,
    );
  return { ...reference, tag };
}

export const referenceText = ({ registry, repository, tag, digest }: Reference): string =>
  `${registry}/${repository}${tag === undefined ? "" : `:${tag}`}${digest === undefined ? "" : `@${digest}`}`;

/** Registries on this machine, and those that the user named, are reached by HTTP, all others by HTTPS. */
export function originOf(registry: string, insecure: ReadonlySet<string> = new Set()): string {
  const host = registry === "docker.io" ? "registry-1.docker.io" : registry;
  const { hostname } = new URL(`http://${host}`);
  return `${insecure.has(registry) || isLoopback(hostname) ? "http" : "https"}://${host}`;
}

/** Whether a host name of a URL means this machine. */
export const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
