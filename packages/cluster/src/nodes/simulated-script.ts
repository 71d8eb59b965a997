// Reads the command of a container as far as a simulation needs it: what it prints, how long it sleeps and how it exits.
// Anything it does not know runs for ever, as servers do.
import type { Container } from "@kubewright/api";

export type ScriptStep =
  | { readonly does: "print"; readonly text: string }
  | { readonly does: "sleep"; readonly milliseconds: number }
  | { readonly does: "exit"; readonly code: number }
  | { readonly does: "serve" };

/** Programs that do something small and end well. */
const quick = new Set(
  "basename cat cd chmod chown cp cut date dd df dirname du env export find grep head hostname id install ln ls mkdir mv ps pwd rm rmdir sed set sort stat sync tail tar tee test touch tr true uname uniq wc which whoami [ :".split(
    " ",
  ),
);
const shells = new Set(["sh", "bash", "ash", "dash"]);
const base = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** What a container does, step by step; the last step is an exit or `serve`. */
export function scriptOf(container: Container): readonly ScriptStep[] {
  const { command = [], args = [] } = container;
  const words = [...command, ...args];
  if (words.length === 0 && endsAtOnce(container)) return [{ does: "exit", code: 0 }];
  if (command.length === 0) return [{ does: "serve" }];
  const flag = words.findIndex((word) => /^-[a-z]*c$/.test(word));
  const text = words[flag + 1];
  if (shells.has(base(words[0] ?? "")) && flag !== -1 && text !== undefined) return shellSteps(text);
  return [...simpleSteps(words)];
}

/** Images whose own command is a shell, which ends when there is nothing to read. */
const shellImages = new Set(["alpine", "bash", "busybox", "debian", "fedora", "ubuntu", "hello-world"]);

function endsAtOnce({ image = "", stdin, tty }: Container): boolean {
  const name = base(image.replace(/@.*$/, "")).replace(/:.*$/, "");
  return shellImages.has(name) && !stdin && !tty;
}

/** How long the steps take, in milliseconds; what goes on for ever counts as nothing. */
export function scriptTime(steps: readonly ScriptStep[]): number {
  return steps.reduce((time, step) => time + (step.does === "sleep" ? step.milliseconds : 0), 0);
}

function shellSteps(text: string): readonly ScriptStep[] {
  const steps: ScriptStep[] = [];
  for (const part of text.split(/&&|;|\n/)) {
    const words = part.trim().match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
    if (words.length === 0) continue;
    const found = simpleSteps(words.map((word) => word.replace(/^(["'])(.*)\1$/s, "$2")));
    const last = found.at(-1);
    const isEnd = last?.does === "serve" || words[0] === "exit" || (last?.does === "exit" && last.code !== 0);
    steps.push(...(isEnd ? found : found.filter(({ does }) => does !== "exit")));
    if (isEnd) return steps;
  }
  return [...steps, { does: "exit", code: 0 }];
}

function simpleSteps([program = "", ...rest]: readonly string[]): readonly ScriptStep[] {
  const number = Number(rest[0]);
  const name = base(program);
  // `tail -f` is what containers without work of their own do.
  if (quick.has(name) && !(name === "tail" && rest.some((word) => /^-[a-zA-Z]*[fF]|^--follow/.test(word))))
    return [{ does: "exit", code: 0 }];
  switch (name) {
    case "false":
      return [{ does: "exit", code: 1 }];
    case "echo":
      return [
        { does: "print", text: rest.join(" ") },
        { does: "exit", code: 0 },
      ];
    case "exit":
      return [{ does: "exit", code: Number.isInteger(number) ? number & 255 : 0 }];
    case "sleep":
      return sleepSteps(rest[0]);
    default:
      return [{ does: "serve" }];
  }
}

const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function sleepSteps(duration = ""): readonly ScriptStep[] {
  const [, number, unit = "s"] = /^([0-9]+(?:\.[0-9]+)?)([smhd]?)$/.exec(duration) ?? [];
  if (number === undefined) return [{ does: "serve" }];
  const milliseconds = Number(number) * (units[unit || "s"] ?? 1000);
  return [
    { does: "sleep", milliseconds },
    { does: "exit", code: 0 },
  ];
}
