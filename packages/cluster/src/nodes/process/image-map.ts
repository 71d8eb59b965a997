// The image map: the programs of this machine that stand for container images.
import { patternMatcher } from "../rules/name-pattern.js";
import { findOnPath } from "./machine.js";

/** An image, and the programs of this machine that are in it. */
export interface ImageProgram {
  /**
   * Which images: `*` stands for any characters. Without a slash only the last part of an image's name counts, without a tag every
   * tag does: `etcd` means `quay.io/coreos/etcd:v3.5.21`, too.
   */
  readonly image: string;
  /** Programs of this machine by the name or absolute path they have in the image; names are put in `/usr/local/bin`. */
  readonly programs?: Readonly<Record<string, string>> | undefined;
  /** The command of a container without `command`. */
  readonly entrypoint?: readonly string[] | undefined;
  /** The arguments of a container without `args`. */
  readonly command?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly workingDir?: string | undefined;
}

/** The image map; later entries override earlier ones. */
export class ImageMap {
  readonly #entries: readonly {
    readonly matches: (image: string) => boolean;
    readonly program: ImageProgram;
  }[];

  constructor(programs: readonly ImageProgram[]) {
    this.#entries = programs.map((program) => ({ program, matches: imageMatcher(program.image) })).reverse();
  }

  /** The program of an image; undefined when there is none. */
  find(image: string): ImageProgram | undefined {
    return this.#entries.find(({ matches }) => matches(image))?.program;
  }
}

function imageMatcher(pattern: string): (image: string) => boolean {
  const hasTag = /[:@]/.test(pattern.slice(pattern.lastIndexOf("/") + 1));
  const matches = patternMatcher(pattern);
  return (image) => {
    const relevant = pattern.includes("/") ? image : image.slice(image.lastIndexOf("/") + 1);
    const slash = relevant.lastIndexOf("/") + 1;
    const name = relevant.slice(0, slash) + relevant.slice(slash).replace(/[:@].*$/, "");
    return matches(hasTag ? relevant : name);
  };
}

/** Images whose program is often on the PATH, by the name of the program. */
const usual: readonly (ImageProgram & { readonly needs: string; readonly also?: readonly string[] })[] = [
  ...["busybox", "alpine", "debian", "ubuntu", "fedora", "bash"].map((image) => ({
    image,
    needs: "sh",
    command: ["sh"],
  })),
  { image: "pause", needs: "sleep", entrypoint: ["sleep", "infinity"] },
  { image: "node", needs: "node", command: ["node"], also: ["npm", "npx"] },
  { image: "python", needs: "python3", command: ["python3"] },
  { image: "etcd", needs: "etcd", command: ["etcd"], also: ["etcdctl", "etcdutl"] },
  { image: "redis", needs: "redis-server", command: ["redis-server"], also: ["redis-cli"] },
  { image: "nginx", needs: "nginx", command: ["nginx", "-g", "daemon off;"] },
  { image: "curl", needs: "curl", entrypoint: ["curl"] },
];

/** The built-in entries whose program is there, of all or of the named ones; `node` is the one that runs this. */
export function builtInImages(
  path: string | undefined,
  names: readonly string[] = usual.map(({ image }) => image),
): readonly ImageProgram[] {
  const wanted = usual.filter(({ image }) => names.includes(image));
  return wanted.flatMap(({ needs, also = [], ...entry }) => {
    const find = (name: string): string | undefined =>
      name === "node" ? process.execPath : findOnPath(name, path);
    const found = [needs, ...also].flatMap((name) => {
      const file = find(name);
      return file === undefined ? [] : [[name, file] as const];
    });
    if (!found.some(([name]) => name === needs)) return [];
    return [{ ...entry, programs: Object.fromEntries(found.filter(([, file]) => !isUsual(file))) }];
  });
}

/** Programs in the usual folders are found there in every image. */
const isUsual = (file: string): boolean => /^(?:\/usr(?:\/local)?)?\/s?bin\/[^/]+$/.test(file);
