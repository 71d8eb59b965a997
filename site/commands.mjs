// The page of the kubewright command, made from the declarations that --help is made from.
import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { build } from "esbuild";
import { escapeHtml } from "./html.mjs";
import { inline } from "./markdown.mjs";

/** Every command with its options, from the sources as they are: what was built of them may be older. */
export async function readCommands(root) {
  const folder = join(root, "node_modules", ".cache", "kubewright-site");
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, "commands.cjs");
  await build({
    absWorkingDir: root,
    stdin: { contents: 'export { entries } from "./packages/cli/src/registry.ts";', resolveDir: root },
    bundle: true,
    platform: "node",
    target: "node20.19",
    format: "cjs",
    conditions: ["kubewright-source"],
    external: ["esbuild"],
    define: { "import.meta.url": "scriptUrl" },
    banner: { js: 'const scriptUrl = require("node:url").pathToFileURL(__filename).href;' },
    outfile,
    logLevel: "warning",
  });
  const { entries } = createRequire(outfile)(outfile);
  return Promise.all(entries.map(async ({ load, ...entry }) => ({ ...entry, ...(await load()) })));
}

export function commandsPage(commands) {
  const groups = [...new Set(commands.map(({ group }) => group))];
  const html = [
    "<h1>kubewright</h1>",
    "<p>Every command, with the options that <code>--help-all</code> shows.",
    'The guides explain them: <a href="../guides/commands.html">generating, running, deploying</a>.</p>',
    ...groups.flatMap((group) => [
      `<h2 id="${group.toLowerCase()}">${group}</h2>`,
      ...commands.filter((command) => command.group === group).map(commandHtml),
    ]),
  ].join("\n");
  return { title: "kubewright", path: "reference/command.html", group: "Commands", html, commands };
}

export const commandAnchor = ({ name }) => `kubewright-${name.replaceAll(" ", "-")}`;

function commandHtml(command) {
  const { name, summary, aliases = [], positionals, options, example } = command;
  const usage = ["kubewright", name, positionals?.usage, "[options]"].filter(Boolean).join(" ");
  const rows = Object.entries(options).map(optionRow);
  return [
    `<section class="export"><h3 id="${commandAnchor(command)}">kubewright ${name}</h3>`,
    `<p>${inline(summary)}.</p>`,
    `<pre><code>${escapeHtml(usage)}</code></pre>`,
    aliases.length > 0
      ? `<p>Also: ${aliases.map((alias) => `<code>kubewright ${alias}</code>`).join(", ")}.</p>`
      : "",
    rows.length > 0 ? `<dl>${rows.join("\n")}</dl>` : "",
    `<p>Example:</p><pre><code>${escapeHtml(example)}</code></pre></section>`,
  ].join("\n");
}

function optionRow([name, { short, value, description, choices }]) {
  const flag = `${short ? `-${short}, ` : ""}--${name}${value ? ` ${value}` : ""}`;
  const values = choices && !description.includes(choices[0]) ? `: ${choices.join(", ")}` : "";
  return `<dt><code>${escapeHtml(flag)}</code></dt><dd>${inline(escapeHtml(description + values))}</dd>`;
}
