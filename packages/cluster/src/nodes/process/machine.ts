// The capabilities of this machine for running pods: programs, privileges, namespaces. They are found out by trying, so that a
// refusal names the one that is missing.
import { spawn } from "node:child_process";
import { accessSync, constants, readFileSync } from "node:fs";
import { platform } from "node:os";
import { delimiter, join } from "node:path";

/** Process nodes cannot run here; the message says what is missing and how to go on. */
export class ProcessNodesError extends Error {
  override readonly name = "ProcessNodesError";
}

/** Programs of this machine, by absolute path. */
export interface Tools {
  readonly sh: string;
  readonly unshare: string;
  readonly nsenter: string;
  readonly mount: string;
  readonly umount: string;
  readonly pivotRoot: string;
  readonly setpriv: string;
  /** For networks of pods; absent where there is none. */
  readonly ip: string | undefined;
  /** For `exec -t`; absent where there is none. */
  readonly script: string | undefined;
}

/** How pods are kept apart on this machine. */
export interface Isolation {
  readonly tools: Tools;
  /** Whether a user namespace stands in for the privileges of root. */
  readonly userNamespace: boolean;
  /** Whether programs can run as other users. */
  readonly otherUsers: boolean;
  /**
   * Where pods have their addresses: on a bridge, each in a network namespace of its own; or, where there are no network namespaces, at
   * loopback addresses of this machine, which the nodes map them to.
   */
  readonly network: NetworkKind;
  /** Why pods have no network namespaces; undefined where they have them, or where loopback addresses were asked for. */
  readonly noBridge?: string | undefined;
}

export type NetworkKind = "bridge" | "loopback";

const usualPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** The program of that name on a path; undefined when there is none. */
export function findOnPath(name: string, path: string = usualPath): string | undefined {
  for (const folder of [...path.split(delimiter), ...usualPath.split(":")]) {
    const file = join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // The next folder may have it.
    }
  }
  return undefined;
}

const packages: Readonly<Record<string, string>> = { setpriv: "setpriv or util-linux" };

function findTools(path: string | undefined): Tools {
  const missing: string[] = [];
  const find = (name: string): string => {
    const found = findOnPath(name, path);
    if (found === undefined) missing.push(`${name} (package ${packages[name] ?? "util-linux"})`);
    return found ?? "";
  };
  const tools = {
    sh: find("sh"),
    unshare: find("unshare"),
    nsenter: find("nsenter"),
    mount: find("mount"),
    umount: find("umount"),
    pivotRoot: find("pivot_root"),
    setpriv: find("setpriv"),
    ip: findOnPath("ip", path),
    script: findOnPath("script", path),
  };
  if (missing.length > 0)
    throw new ProcessNodesError(`process nodes need ${missing.join(", ")}; install them, or ${goOn}`);
  return tools;
}

const goOn = "go on with simulated nodes (--runtime simulated, the default)";

export interface IsolationOptions {
  /** Where programs are looked for. Default: the usual folders. */
  readonly path?: string | undefined;
  /** Uses a user namespace even where there are privileges. Default: only where there are none. */
  readonly userNamespace?: boolean | undefined;
  /** Where pods have their addresses. Default: on a bridge where that is possible, else at loopback addresses. */
  readonly network?: NetworkKind | undefined;
  /** The operating system, as Node.js names it. Default: this one. */
  readonly system?: string | undefined;
}

/** Finds out how pods can be kept apart here; throws a ProcessNodesError when they cannot be. */
export async function findIsolation({
  path,
  userNamespace,
  network,
  system = platform(),
}: IsolationOptions = {}): Promise<Isolation> {
  if (system !== "linux")
    throw new ProcessNodesError(`process nodes need Linux, and this is ${system}; ${goOn}`);
  const tools = findTools(path);
  let problems: string[] = [];
  for (const kind of network ? [network] : (["bridge", "loopback"] as const)) {
    const noBridge = problems.length > 0 ? problems.join("; ") : undefined;
    problems = [];
    for (const user of userNamespace ? [true] : [false, true]) {
      const problem = await attempt(tools, user, kind);
      if (problem === undefined)
        return { tools, userNamespace: user, otherUsers: !user && hasOtherUsers(), network: kind, noBridge };
      problems.push(`${user ? "in a user namespace" : "as this user"}: ${problem}`);
    }
  }
  throw new ProcessNodesError(
    `process nodes need Linux namespaces, which could not be made (${problems.join("; ")}). Run as root, or allow user namespaces` +
      ` (sysctl kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0), or ${goOn}`,
  );
}

/** Root may be so in a user namespace only, without any other users in it. */
function hasOtherUsers(): boolean {
  const ranges = readFileSync("/proc/self/uid_map", "utf8").trim().split("\n");
  return ranges.some((range) => Number(range.trim().split(/\s+/)[2]) > 1);
}

/** Flags of `unshare` for what every pod hangs on. */
export const rootFlags = (userNamespace: boolean): readonly string[] =>
  userNamespace ? ["--user", "--map-root-user"] : [];

/** Makes all that pods need, once; why it cannot be, or undefined. */
async function attempt(tools: Tools, user: boolean, network: NetworkKind): Promise<string | undefined> {
  const { ip } = tools;
  const hasBridge = network === "bridge";
  if (hasBridge && ip === undefined) return "ip is missing (package iproute2)";
  const options = user ? ",userxattr" : "";
  const script = [
    "set -e",
    `${tools.mount} --make-rprivate /`,
    `${tools.mount} -t tmpfs tmpfs /mnt`,
    "mkdir /mnt/u /mnt/w /mnt/r",
    `${tools.mount} -t overlay overlay -o lowerdir=/usr,upperdir=/mnt/u,workdir=/mnt/w${options} /mnt/r`,
    ...(hasBridge ? [`${ip} link add br0 type bridge`, `${ip} link add v0 type veth peer name v1`] : []),
  ].join("\n");
  const namespaces = [...(hasBridge ? ["--net"] : []), "--mount", "--pid", "--uts", "--ipc"];
  const flags = [...rootFlags(user), ...namespaces, "--fork", "--kill-child"];
  const { code, stderr } = await runTool(tools.unshare, [...flags, "--", tools.sh, "-c", script]);
  return code === 0 ? undefined : (stderr.trim().split("\n")[0] ?? `exit ${code}`);
}

/** Runs a program of this machine to its end. */
export function runTool(
  file: string,
  args: readonly string[],
  input?: string,
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const child = spawn(file, args, { stdio: "pipe" });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  return new Promise((resolve) => {
    child.on("error", (error) => resolve({ code: 127, stdout, stderr: error.message }));
    child.on("close", (code) => resolve({ code: code ?? 1, stdout, stderr }));
  });
}
