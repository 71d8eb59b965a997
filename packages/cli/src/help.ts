// The texts of --help.
import type { Help } from "./arguments.js";
import type { Command, CommandEntry } from "./command.js";
import { coloursFor } from "./terminal.js";

const exitStatuses = [
  "  0    success",
  "  1    failure; the last line has the reason",
  "  2    invalid command line or project; nothing was changed",
  "  3    a check found problems (manifests --check, doctor, torture, uninstall with objects left)",
  "  130  interrupted at a prompt, or by a second Ctrl-C",
];

/** The text of `kubewright COMMAND --help`. */
export function helpOf(
  { name, summary, aliases = [] }: CommandEntry,
  command: Command,
  help: Exclude<Help, "none">,
): string {
  const { bold } = coloursFor();
  const usage = ["Usage: kubewright", name, command.positionals?.usage, "[options]"];
  return [
    summary,
    "",
    usage.filter(Boolean).join(" "),
    ...(aliases.length > 0 ? [`Also:  ${aliases.map((alias) => `kubewright ${alias}`).join(", ")}`] : []),
    ...(command.description === undefined ? [] : ["", command.description]),
    "",
    bold("Options:"),
    ...optionRows(command, help),
    "",
    bold("Exit status:"),
    ...exitStatuses,
    "",
    bold("Example:"),
    ...command.example.split("\n").map((line) => `  ${line}`),
  ].join("\n");
}

function optionRows({ options }: Command, help: Help): string[] {
  const all = Object.entries(options);
  const shown = all.filter(([, { advanced = false }]) => help === "all" || !advanced);
  const hidden = all.length - shown.length;
  const rows = shown.map(([name, { value, description, short, choices }]) => {
    const flag = `${short ? `-${short}, ` : ""}--${name}${value ? ` ${value}` : ""}`;
    return [
      flag,
      choices && !description.includes(choices[0] ?? "")
        ? `${description}: ${choices.join(", ")}`
        : description,
    ];
  });
  return table([
    ...rows,
    ["-h, --help", "show this help"],
    ...(hidden > 0 ? [["--help-all", `show ${hidden} more options`]] : []),
  ]);
}

/** The text of `kubewright --help`. */
export function overview(entries: readonly CommandEntry[]): string {
  const { bold } = coloursFor();
  const titles = [...new Set(entries.map(({ group }) => group))];
  return [
    "Build, run and test Kubernetes operators in TypeScript.",
    "",
    "Usage: kubewright COMMAND [options]",
    ...titles.flatMap((title) => [
      "",
      bold(`${title}:`),
      ...table(entries.filter(({ group }) => group === title).map(({ name, summary }) => [name, summary])),
    ]),
    "",
    bold("Exit status:"),
    ...exitStatuses,
    "",
    bold("Example:"),
    "  kubewright init shop --domain example.com && cd shop && npm install",
    "  npx kubewright create api --group shop --version v1 --kind Order",
    "  npm test && npx kubewright dev",
    "",
    "kubewright COMMAND --help describes a command; kubewright --version prints the version.",
  ].join("\n");
}

/** The text of `kubewright create --help`, of a first word that several commands share. */
export function helpOfGroup(word: string, entries: readonly CommandEntry[]): string {
  return [
    `Usage: kubewright ${word} …`,
    "",
    ...table(entries.map(({ name, summary }) => [name, summary])),
    "",
    `kubewright ${entries[0]?.name ?? word} --help describes a command.`,
  ].join("\n");
}

function table(rows: readonly (readonly string[])[]): string[] {
  const width = Math.max(0, ...rows.map(([first = ""]) => (first.length > 32 ? 0 : first.length))) + 2;
  return rows.map(
    ([first = "", second = ""]) => `  ${first.padEnd(width)}${first.length > 32 ? "  " : ""}${second}`,
  );
}
