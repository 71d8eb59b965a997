// The file system of a container: the machine's own folders, each under a layer in memory that takes what is written, with the
// volumes of the pod in their places. Made by a script that becomes the container's program in the end.
import { readdirSync, readlinkSync } from "node:fs";
import { type Isolation, rootFlags, runTool } from "./machine.js";

export interface ContainerMount {
  /** On this machine. */
  readonly source: string;
  /** In the container. */
  readonly target: string;
  readonly isFile: boolean;
  readonly readOnly: boolean;
}

export interface ContainerPlan {
  /** An empty folder of this machine that the file system is made in, out of everyone else's sight. */
  readonly base: string;
  readonly mounts: readonly ContainerMount[];
  /** Programs of this machine, by the absolute path they have in the container. */
  readonly programs: ReadonlyMap<string, string>;
  readonly workingDir: string;
  readonly command: readonly string[];
  /** Flags of `setpriv`. */
  readonly privileges: readonly string[];
  readonly isReadOnly: boolean;
  /** The file of a control group to be a member of. */
  readonly group: string | undefined;
}

/** Something at the root of this machine. */
export interface RootEntry {
  readonly name: string;
  /** Where a link leads; undefined for a folder. */
  readonly link: string | undefined;
  /** Whether a layer over it takes what is written; else it is there as it is. */
  readonly isLayered: boolean;
}

/** Made anew in every container. */
const own = new Set(["proc", "sys", "dev", "run", "tmp", "lost+found"]);
const devices = ["null", "zero", "full", "random", "urandom", "tty"];

/** Whether a file of this machine is in a folder that containers have anew. */
const isHidden = (file: string): boolean => own.has(file.split("/")[1] ?? "");

/**
 * What there is at the root of this machine, and what a layer can be put over: folders with others mounted in them may refuse it. It is tried
 * in an empty folder.
 */
export async function findRootEntries(isolation: Isolation, base: string): Promise<readonly RootEntry[]> {
  const found = readdirSync("/", { withFileTypes: true }).filter(
    ({ name }) => !own.has(name) && /^[\w.+-]+$/.test(name),
  );
  const folders = found.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const layered = await layeredFolders(folders, isolation, base);
  return found.flatMap((entry): RootEntry[] => {
    const { name } = entry;
    if (entry.isSymbolicLink()) return [{ name, link: readlinkSync(`/${name}`), isLayered: false }];
    return entry.isDirectory() ? [{ name, link: undefined, isLayered: layered.has(name) }] : [];
  });
}

async function layeredFolders(
  names: readonly string[],
  { tools, userNamespace }: Isolation,
  base: string,
): Promise<ReadonlySet<string>> {
  const attempts = names.map((name) => {
    const layers = quote(layerOptions(name, base, userNamespace));
    return `mkdir u/${name} w/${name} r/${name} && ${tools.mount} -t overlay overlay -o ${layers} r/${name} 2>/dev/null && echo ${name}`;
  });
  const script = [
    `${tools.mount} -t tmpfs tmpfs ${quote(base)} && cd ${quote(base)} && mkdir u w r`,
    ...attempts,
    "true",
  ].join("\n");
  const flags = [...rootFlags(userNamespace), "--mount", "--propagation", "private", "--"];
  const { stdout } = await runTool(tools.unshare, [...flags, tools.sh, "-c", script]);
  return new Set(stdout.split("\n").filter(Boolean));
}

const layerOptions = (name: string, base: string, userNamespace: boolean): string =>
  `lowerdir=/${name},upperdir=${base}/u/${name},workdir=${base}/w/${name}${userNamespace ? ",userxattr" : ""}`;

/** As a word of a script. */
export const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** As a field of a table of mounts. */
const field = (text: string): string =>
  text.replace(/[\\ \t\n]/g, (sign) => `\\${sign.charCodeAt(0).toString(8).padStart(3, "0")}`);

/** Mounts many things with one program: starting one for each would take most of a container's start. */
function mountAll(lines: readonly string[], mount: string): readonly string[] {
  return ["cat > .mounts <<'END'", ...lines, "END", `${mount} -a -T ./.mounts`, "rm .mounts"];
}

/**
 * The script: makes the file system, reports on descriptor 3 the number that the machine knows its process by, and runs the program. Where
 * it fails before, nothing is reported.
 */
export function containerScript(
  plan: ContainerPlan,
  { tools, userNamespace }: Isolation,
  entries: readonly RootEntry[],
): string {
  const { mount, umount, pivotRoot, setpriv } = tools;
  const { base } = plan;
  const folders = entries.filter(({ link }) => link === undefined);
  const links = entries.flatMap(({ name, link }) => (link === undefined ? [] : [{ name, link }]));
  const parts = folders.flatMap(({ name }) => [`u/${name}`, `w/${name}`, `r/${name}`]);
  const programs = [...plan.programs].filter(([path, file]) => path !== file || isHidden(file));
  const linked = programs.filter(([, file]) => !isHidden(file));
  const bound = programs.filter(([, file]) => isHidden(file));
  return [
    "set -e",
    "read -r pid rest < /proc/self/stat",
    ...(plan.group === undefined ? [] : [`echo 0 > ${quote(plan.group)}`]),
    `${mount} -t tmpfs -o mode=755 tmpfs ${quote(base)}`,
    `cd ${quote(base)}`,
    `mkdir -p u w r/.machine r/proc r/sys r/dev r/run r/tmp ${parts.map(quote).join(" ")}`,
    "chmod 1777 r/tmp",
    ...links.map(({ name, link }) => `ln -s ${quote(link)} ${quote(`r/${name}`)}`),
    ...mountAll(
      [
        ...folders.map(({ name, isLayered }) =>
          isLayered
            ? `overlay ${field(`${base}/r/${name}`)} overlay ${field(layerOptions(name, base, userNamespace))} 0 0`
            : `/${name} ${field(`${base}/r/${name}`)} none rbind 0 0`,
        ),
        `proc ${field(`${base}/r/proc`)} proc defaults 0 0`,
        `/sys ${field(`${base}/r/sys`)} none rbind 0 0`,
        `${field(`${base}/r`)} ${field(`${base}/r`)} none rbind 0 0`,
      ],
      mount,
    ),
    `cd ${quote(`${base}/r`)}`,
    "mkdir dev/pts dev/shm && chmod 1777 dev/shm",
    `for each in ${devices.join(" ")}; do : > dev/$each; done`,
    "ln -s pts/ptmx dev/ptmx; ln -s /proc/self/fd dev/fd; ln -s fd/0 dev/stdin; ln -s fd/1 dev/stdout; ln -s fd/2 dev/stderr",
    `${pivotRoot} . .machine`,
    "cd /",
    ...(programs.length === 0
      ? []
      : [`mkdir -p ${[...new Set(programs.map(([path]) => quote(folderOf(path))))].join(" ")}`]),
    ...linked.map(([path, file]) => `ln -sf ${quote(file)} ${quote(path)}`),
    ...bound.map(([path]) => `[ -e ${quote(path)} ] || : > ${quote(path)}`),
    ...plan.mounts.map(({ target, isFile }) =>
      isFile
        ? `mkdir -p ${quote(folderOf(target))}; [ -e ${quote(target)} ] || : > ${quote(target)}`
        : `mkdir -p ${quote(target)}`,
    ),
    ...mountAll(
      [
        ...devices.map((name) => `/.machine/dev/${name} /dev/${name} none bind 0 0`),
        // Terminals of its own: those of the machine cannot be made from another place in the tree.
        "devpts /dev/pts devpts newinstance,ptmxmode=0666,mode=0620 0 0",
        ...bound.map(([path, file]) => `${field(`/.machine${file}`)} ${field(path)} none bind,ro 0 0`),
        ...plan.mounts.map(
          ({ source, target, readOnly }) =>
            `${field(`/.machine${source}`)} ${field(target)} none bind${readOnly ? ",ro" : ""} 0 0`,
        ),
      ],
      mount,
    ),
    ...(plan.isReadOnly
      ? ["", ...folders.map(({ name }) => name)].map(
          (name) => `${mount} -o remount,bind,ro ${quote(`/${name}`)} 2>/dev/null || true`,
        )
      : []),
    `${umount} -l /.machine`,
    `mkdir -p ${quote(plan.workingDir)} 2>/dev/null || true`,
    `cd ${quote(plan.workingDir)}`,
    'echo "$pid" >&3',
    "exec 3>&-",
    `exec ${setpriv} ${plan.privileges.map(quote).join(" ")} -- ${plan.command.map(quote).join(" ")}`,
  ].join("\n");
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/")) || "/";
