import { type Command, type CommandEntry, defineCommand, exitStatus } from "../command.js";
import { completionScript, type Shell, shells } from "../completion.js";

/** `kubewright completion`: what a shell offers after Tab. */
export const completionCommand = (entries: readonly CommandEntry[]): Command =>
  defineCommand({
    example:
      'source <(npx kubewright completion bash)                   # in ~/.bashrc; completes kubewright and npx kubewright\nnpx kubewright completion zsh > "${fpath[1]}/_kubewright"\nnpx kubewright completion fish > ~/.config/fish/conf.d/kubewright.fish',
    positionals: { usage: shells.join("|"), least: 1, most: 1, choices: shells },
    options: {},
    async run({ positionals: [name] }) {
      const shell: Shell = shells.find((each) => each === name) ?? "bash";
      const commands = await Promise.all(
        entries.map(async ({ name: words, aliases = [], summary, load }) => {
          const { options, positionals } = await load();
          return { words, aliases, summary, options, choices: positionals?.choices ?? [] };
        }),
      );
      process.stdout.write(completionScript(shell, commands));
      return exitStatus.done;
    },
  });
