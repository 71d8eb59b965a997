// The command of a simulated container: the one its pod names, or a shell where the image is one.
import type { Container } from "@kubewright/api";

/** Images without an entrypoint, whose own command is a shell: `args` alone are the program. */
const shellImages = new Set(["alpine", "bash", "busybox", "debian", "fedora", "ubuntu", "hello-world"]);

/**
 * The program and its arguments, before variables are put in; `nothing` for a shell with nothing to read, which ends at once, and
 * `unknown` for a program that only the image knows.
 */
export function commandOf(container: Container): readonly string[] | "nothing" | "unknown" {
  const { image = "", command = [], args = [], stdin, tty } = container;
  if (command.length > 0) return [...command, ...args];
  const name = image.replace(/@.*$/, "").replace(/^.*\//, "").replace(/:.*$/, "");
  if (!shellImages.has(name)) return "unknown";
  if (args.length > 0) return args;
  return stdin || tty ? "unknown" : "nothing";
}
