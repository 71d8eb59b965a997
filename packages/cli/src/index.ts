// The kubewright command.
import { parseArguments } from "./arguments.js";
import { type Command, type CommandEntry, exitStatus, Interrupted, UsageError } from "./command.js";
import { helpOf, helpOfGroup, overview } from "./help.js";
import { suggestion } from "./nearest.js";
import { entries, findCommand } from "./registry.js";
import { withoutControls } from "./terminal.js";

/** Runs a command line and returns its exit status. */
export async function main(argv: readonly string[]): Promise<number> {
  const [first, ...rest] = argv;
  if (first === undefined || first === "--help" || first === "-h") return print(overview(entries));
  if (first === "help") return main([...rest, "--help"]);
  if (first === "--version" || first === "-v" || first === "version") return version();
  const found = findCommand(argv);
  if (found.kind === "command") return runCommand(found.entry, found.rest);
  if (found.kind === "group") {
    const text = helpOfGroup(found.word, found.members);
    if (found.rest.includes("--help") || found.rest.includes("-h")) return print(text);
    const names = found.members.map(({ name }) => name).join(", ");
    return fail("", `${found.word} what? There is ${names}`, exitStatus.usage);
  }
  const isOption = first.startsWith("-");
  const meant = isOption
    ? suggestion(first, ["--help", "--version"])
    : suggestion(found.words, found.known, "kubewright ");
  const what = isOption ? `no option ${first}` : `no command "${found.words}"`;
  return fail(
    "",
    `there is ${what}${meant}${meant ? "" : "; kubewright --help lists them"}`,
    exitStatus.usage,
  );
}

async function runCommand(entry: CommandEntry, argv: readonly string[]): Promise<number> {
  const command: Command = await entry.load();
  try {
    const { help, ...parsed } = parseArguments(command, argv);
    if (help !== "none") return print(helpOf(entry, command, help));
    return await command.run(parsed);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return fail(` ${entry.name}`, text, statusOf(error));
  }
}

function statusOf(error: unknown): number {
  if (error instanceof Interrupted) return exitStatus.interrupted;
  return error instanceof UsageError ? exitStatus.usage : exitStatus.failed;
}

async function version(): Promise<number> {
  const { readFileSync } = await import("node:fs");
  const manifest: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  const found =
    typeof manifest === "object" && manifest !== null && "version" in manifest ? manifest.version : "unknown";
  return print(String(found));
}

function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return exitStatus.done;
}

function fail(name: string, text: string, status: number): number {
  process.stderr.write(`kubewright${name}: ${withoutControls(text)}\n`);
  return status;
}
