// Completion scripts, with the commands and options written into them: Tab starts no process.
import type { Options } from "./command.js";

/** The shells there are scripts for. */
export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

/** A command as completion knows it. */
export interface CompletedCommand {
  /** One word or two. */
  readonly words: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  readonly options: Options;
  /** What its positionals may be, where that is known. */
  readonly choices: readonly string[];
}

/** The script for a shell. */
export function completionScript(shell: Shell, commands: readonly CompletedCommand[]): string {
  if (shell === "fish") return fish(commands);
  return shell === "bash" ? bash(commands) : zsh(commands);
}

/** Bash's script, through zsh's emulation. As a file in $fpath it is a function itself, which must complete when it is first called. */
const zsh = (commands: readonly CompletedCommand[]): string => `#compdef kubewright npx
autoload -U +X bashcompinit && bashcompinit
${bash(commands)}if [ "$funcstack[1]" = _kubewright ]; then
  case "$words[1]" in
    npx) _bash_complete -o filenames -F _kubewright_npx ;;
    *) _bash_complete -o filenames -F _kubewright ;;
  esac
fi
`;

const namesOf = ({ words, aliases }: CompletedCommand): readonly string[] => [words, ...aliases];
const flagsOf = ({ options }: CompletedCommand): readonly string[] => [
  ...Object.keys(options).map((name) => `--${name}`),
  "--help",
];

/** Works in zsh, too, through its emulation of bash's completion. */
function bash(commands: readonly CompletedCommand[]): string {
  const all = commands.flatMap((command) => namesOf(command).map((name) => ({ ...command, words: name })));
  const firsts = unique(all.map(({ words }) => words.split(" ")[0] ?? words));
  const groups = firsts.filter((first) => all.some(({ words }) => words.startsWith(`${first} `)));
  const cases = (lines: readonly (readonly [pattern: string, words: readonly string[]])[]): string =>
    lines
      .map(([pattern, words]) => `    ${JSON.stringify(pattern)}) words=${quote(words.join(" "))} ;;`)
      .join("\n");
  const values = all.flatMap((command) =>
    Object.entries(command.options).flatMap(([name, { choices }]) =>
      choices ? [[`${command.words} --${name}`, choices] as const] : [],
    ),
  );
  return `# kubewright completion
_kubewright() {
  local current="\${COMP_WORDS[COMP_CWORD]}" last="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}" words=""
  COMPREPLY=()
  case " ${groups.join(" ")} " in *" $command "*) case "\${COMP_WORDS[2]}" in -*) ;; ?*) command="$command \${COMP_WORDS[2]}" ;; esac ;; esac
  if (( COMP_CWORD == 1 )); then
    COMPREPLY=( $(compgen -W ${quote([...firsts, "--help", "--version"].join(" "))} -- "$current") )
    return
  fi
  if (( COMP_CWORD == 2 )); then
    case "\${COMP_WORDS[1]}" in
${groups.map((group) => `    ${group}) COMPREPLY=( $(compgen -W ${quote(secondWords(all, group).join(" "))} -- "$current") ); return ;;`).join("\n")}
    esac
  fi
  case "$command $last" in
${cases(values)}
  esac
  if [ -z "$words" ]; then case "$command" in
${cases(all.flatMap((command) => (command.choices.length > 0 ? [[command.words, command.choices] as const] : [])))}
  esac; fi
  case "$current" in -*) case "$command" in
${cases(all.map((command) => [command.words, flagsOf(command)] as const))}
  esac ;; esac
  if [ -n "$words" ]; then COMPREPLY=( $(compgen -W "$words" -- "$current") )
  else COMPREPLY=( $(compgen -f -- "$current") ); fi
}
complete -o filenames -F _kubewright kubewright
# npx kubewright …: the same without the first word. Other packages complete file names, as before.
_kubewright_npx() {
  if [ "\${COMP_WORDS[1]}" != kubewright ] || (( COMP_CWORD < 2 )); then
    COMPREPLY=( $(compgen -W kubewright -f -- "\${COMP_WORDS[COMP_CWORD]}") )
    return
  fi
  COMP_WORDS=( "\${COMP_WORDS[@]:1}" )
  COMP_CWORD=$(( COMP_CWORD - 1 ))
  _kubewright
}
complete -o filenames -F _kubewright_npx npx
`;
}

/** What may follow a first word that several commands share: their second words, and the options of the one that has none. */
const secondWords = (all: readonly CompletedCommand[], first: string): readonly string[] =>
  unique(
    all.flatMap((command) => {
      if (command.words === first) return flagsOf(command);
      return command.words.startsWith(`${first} `) ? [command.words.slice(first.length + 1)] : [];
    }),
  );

function fish(commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap((command) => namesOf(command).flatMap((name) => fishLines(name, command)));
  const groupWords = commands.flatMap(({ words }) => (words.includes(" ") ? [words] : []));
  return [
    "# kubewright completion",
    "complete -c kubewright -e",
    ...unique(groupWords.map((words) => words.split(" ")[0] ?? "")).map(
      (first) => `complete -c kubewright -f -n __fish_use_subcommand -a ${first}`,
    ),
    ...lines,
    ...fishUnderNpx,
    "",
  ].join("\n");
}

/** npx kubewright …: what fish offers for the same line without the first word. */
const fishUnderNpx = [
  "function __kubewright_under_npx",
  "  set -l words (commandline -opc) (commandline -ct)",
  "  complete -C (string join ' ' -- $words[2..-1])",
  "end",
  "complete -c npx -n 'test (count (commandline -opc)) -eq 1' -a kubewright",
  "complete -c npx -f -n 'test (count (commandline -opc)) -ge 2; and test (commandline -opc)[2] = kubewright' -a '(__kubewright_under_npx)'",
];

function fishLines(name: string, { summary, options, choices }: CompletedCommand): readonly string[] {
  const [first = name, second] = name.split(" ");
  const seen = (word: string) => `__fish_seen_subcommand_from ${word}`;
  const own = second === undefined ? seen(first) : `${seen(first)}; and ${seen(second)}`;
  const offered = second === undefined ? "__fish_use_subcommand" : `${seen(first)}; and not ${seen(second)}`;
  return [
    `complete -c kubewright -f -n ${quote(offered)} -a ${second ?? first} -d ${quote(summary)}`,
    ...choices.map((choice) => `complete -c kubewright -f -n ${quote(own)} -a ${choice}`),
    ...Object.entries(options).map(([option, { description, type, choices: values }]) =>
      [
        `complete -c kubewright -n ${quote(own)} -l ${option} -d ${quote(description)}`,
        type === "string" ? " -r" : "",
        values ? ` -f -a ${quote(values.join(" "))}` : "",
      ].join(""),
    ),
  ];
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const unique = (words: readonly string[]): readonly string[] => [...new Set(words)];
