// The list of commands. Each is loaded when used, so that --help and --version load none of them.
import type { CommandEntry } from "./command.js";
import { nearest } from "./nearest.js";

/** Every command, in the order --help shows them. */
export const entries: readonly CommandEntry[] = [
  {
    name: "init",
    aliases: ["new"],
    summary: "Create a project",
    group: "Start",
    load: async () => (await import("./commands/init.js")).initCommand,
  },
  {
    name: "create api",
    aliases: ["add api", "add controller"],
    summary: "Add a kind and its controller to the project",
    group: "Start",
    load: async () => (await import("./commands/create-api.js")).createApiCommand,
  },
  {
    name: "create webhook",
    aliases: ["add webhook"],
    summary: "Add defaulting, validating or conversion webhooks for a kind",
    group: "Start",
    load: async () => (await import("./commands/create-webhook.js")).createWebhookCommand,
  },
  {
    name: "delete api",
    summary: "Remove what create api and create webhook created for a kind",
    group: "Start",
    load: async () => (await import("./commands/delete-api.js")).deleteApiCommand,
  },
  {
    name: "edit",
    summary: "Change the project: group folders, watched namespaces, extras",
    group: "Start",
    load: async () => (await import("./commands/edit.js")).editCommand,
  },
  {
    name: "import crd",
    summary: "Generate typed definitions of third-party kinds from CRDs, in files or on a cluster",
    group: "Start",
    load: async () => (await import("./commands/import-crd.js")).importCrdCommand,
  },
  {
    name: "upgrade",
    summary: "Update the scaffolded files of a project to this version",
    group: "Start",
    load: async () => (await import("./commands/upgrade.js")).upgradeCommand,
  },
  {
    name: "manifests",
    aliases: ["generate", "generate k8s", "generate crds"],
    summary: "Generate CRDs, RBAC, Deployment, webhook configurations and samples from the code",
    group: "Generate",
    load: async () => (await import("./commands/manifests.js")).manifestsCommand,
  },
  {
    name: "build",
    summary: "Bundle the operator into one file, and build or push its image without Docker",
    group: "Generate",
    load: async () => (await import("./commands/build.js")).buildCommand,
  },
  {
    name: "install",
    summary: "Install the CRDs in the current context",
    group: "Run",
    load: async () => (await import("./commands/install.js")).installCommand,
  },
  {
    name: "uninstall",
    summary: "Delete the CRDs from the current context",
    group: "Run",
    load: async () => (await import("./commands/uninstall.js")).uninstallCommand,
  },
  {
    name: "run",
    summary: "Run the operator from source, against the current context or an embedded cluster",
    group: "Run",
    load: async () => (await import("./commands/run.js")).runCommand,
  },
  {
    name: "dev",
    summary: "Run the operator on an embedded cluster, and reload it on save",
    group: "Run",
    load: async () => (await import("./commands/dev.js")).devCommand,
  },
  {
    name: "torture",
    summary: "Run the operator again and again with a crash, a fault or a delay at every write",
    group: "Run",
    load: async () => (await import("./commands/torture.js")).tortureCommand,
  },
  {
    name: "cluster",
    summary: "Run an embedded cluster until Ctrl-C",
    group: "Run",
    load: async () => (await import("./commands/cluster.js")).clusterCommand,
  },
  {
    name: "cluster rotate",
    summary:
      "Rotate the CA, the service account key or the token of an embedded cluster with a data directory",
    group: "Run",
    load: async () => (await import("./commands/cluster-rotate.js")).clusterRotateCommand,
  },
  {
    name: "nodes",
    summary: "Run simulated nodes for any cluster until Ctrl-C",
    group: "Run",
    load: async () => (await import("./commands/nodes.js")).nodesCommand,
  },
  {
    name: "deploy",
    summary: "Deploy the operator's image to the current context",
    group: "Run",
    load: async () => (await import("./commands/deploy.js")).deployCommand,
  },
  {
    name: "undeploy",
    summary: "Delete the Deployment and everything deployed with it",
    group: "Run",
    load: async () => (await import("./commands/undeploy.js")).undeployCommand,
  },
  {
    name: "logs",
    summary: "Show the logs of the deployed operator",
    group: "Run",
    load: async () => (await import("./commands/logs.js")).logsCommand,
  },
  {
    name: "migrate-storage",
    summary: "Rewrite stored objects in the storage version, after it has changed",
    group: "Run",
    load: async () => (await import("./commands/migrate-storage.js")).migrateStorageCommand,
  },
  {
    name: "doctor",
    summary: "Check what would keep the operator from working on the cluster, and how to fix it",
    group: "Run",
    load: async () => (await import("./commands/doctor.js")).doctorCommand,
  },
  {
    name: "explain-reconcile",
    summary: "Show why an object was last reconciled, what was written, and what comes next",
    group: "Run",
    load: async () => (await import("./commands/explain-reconcile.js")).explainReconcileCommand,
  },
  {
    name: "completion",
    summary: "Print a completion script for bash, zsh or fish",
    group: "More",
    load: async () => (await import("./commands/completion.js")).completionCommand(entries),
  },
];

/** What the words of a command line ask for. */
export type Found =
  | { readonly kind: "command"; readonly entry: CommandEntry; readonly rest: readonly string[] }
  | {
      readonly kind: "group";
      readonly word: string;
      readonly members: readonly CommandEntry[];
      readonly rest: readonly string[];
    }
  | { readonly kind: "unknown"; readonly words: string; readonly known: readonly string[] };

/** Finds the command that a command line begins with: two words before one. */
export function findCommand(argv: readonly string[], commands: readonly CommandEntry[] = entries): Found {
  for (const length of [2, 1]) {
    const words = argv.slice(0, length).join(" ");
    const entry = commands.find(({ name, aliases = [] }) => name === words || aliases.includes(words));
    if (entry && argv.length >= length) return { kind: "command", entry, rest: argv.slice(length) };
  }
  const [word = "", second] = argv;
  const namesOf = ({ name, aliases = [] }: CommandEntry) => [name, ...aliases];
  const members = commands.filter((entry) => namesOf(entry).some((name) => name.startsWith(`${word} `)));
  const known = commands.flatMap(namesOf);
  if (members.length === 0) {
    // Where the first word is wrong and the second is not, both are needed to tell what was meant.
    const both = `${word} ${second}`;
    if (
      second !== undefined &&
      nearest(
        both,
        known.filter((name) => name.endsWith(` ${second}`)),
      ) !== undefined
    )
      return { kind: "unknown", words: both, known };
    const firsts = [...new Set(known.map((name) => name.split(" ")[0] ?? name))];
    return { kind: "unknown", words: word, known: firsts };
  }
  if (second === undefined || second.startsWith("-"))
    return { kind: "group", word, members, rest: argv.slice(1) };
  return {
    kind: "unknown",
    words: `${word} ${second}`,
    known: known.filter((name) => name.startsWith(`${word} `)),
  };
}
