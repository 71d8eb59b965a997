// Whether this machine lets a test do something that needs rights or programs of its own.
import { spawnSync } from "node:child_process";

/** Whether a command ends well here. */
export const isAllowed = (command: string, ...args: readonly string[]): boolean =>
  spawnSync(command, args, { stdio: "ignore", timeout: 10_000 }).status === 0;

/** Runs a program as process 1 of a PID namespace of its own, as a container does. */
export const inPidNamespace = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"] as const;

export const mayMakePidNamespaces = isAllowed(inPidNamespace[0], ...inPidNamespace.slice(1), "true");
