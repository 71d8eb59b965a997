// The kubewright command. Commands are loaded when used, so that --help and --version are quick.
import { type Command, helpOf, parseArguments, UsageError } from "./command.js";

const commands: Readonly<Record<string, () => Promise<Command>>> = {
  cluster: async () => (await import("./commands/cluster.js")).clusterCommand,
};

/** Runs a command line and returns its exit status. */
export async function main(argv: readonly string[]): Promise<number> {
  const [name, ...rest] = argv;
  if (name === undefined || name === "--help" || name === "-h" || name === "help") return overview();
  if (name === "--version" || name === "version") return version();
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!load) {
    process.stderr.write(`kubewright: there is no command "${name}"; kubewright --help lists them\n`);
    return 2;
  }
  const command = await load();
  try {
    const parsed = parseArguments(command, rest);
    if (parsed.values["help"]) return print(helpOf(command));
    return await command.run(parsed);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    process.stderr.write(`kubewright ${name}: ${text}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

async function overview(): Promise<number> {
  const loaded = await Promise.all(Object.values(commands).map((load) => load()));
  const rows = loaded.map(({ name, summary }) => `  ${name.padEnd(14)}${summary}`);
  return print(
    [
      "Build, run and test Kubernetes operators in TypeScript.",
      "",
      "Commands:",
      ...rows,
      "",
      "kubewright COMMAND --help says more.",
    ].join("\n"),
  );
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
  return 0;
}
