// Which pages the site has, in which order, and which file of the repository each is made from.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

const guides = [
  ["Start", ["README.md", "docs/tutorial.md", "examples/README.md", "docs/guides/guestbook.md"]],
  ["Tutorials", "docs/tutorials"],
  ["Examples", "examples"],
  ["Concepts", "docs/concepts"],
  [
    "Build",
    ["resources", "controllers", "workload", "agents", "schedule", "webhooks", "caching", "client"].map(
      guide,
    ),
  ],
  ["Test", ["testing", "torture", "simulation", "process-nodes", "nodes"].map(guide)],
  ["Run", ["production", "operating", "commands", "dashboard", "troubleshooting"].map(guide)],
  ["Migrate", ["kubebuilder", "operator-sdk", "pepr", "kopf"].map((name) => `docs/from-${name}.md`)],
  ["Operators", "docs/operators"],
  [
    "Trust",
    [
      ...["fidelity", "conformance", "reliability", "torture-results", "threat-model"].map(
        (name) => `docs/${name}.md`,
      ),
      "SECURITY.md",
    ],
  ],
  ["Contribute", ["ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/dependencies.md"]],
  ["Decisions", "docs/decisions"],
  ["中文", "docs/zh"],
];

function guide(name) {
  return `docs/guides/${name}.md`;
}

/** The groups of the menu with the files of their pages. A file stands where it is named first; new guides go to the end of "Build". */
export function sourceGroups(root) {
  const named = new Set(guides.flatMap(([, files]) => (Array.isArray(files) ? files : [])));
  const rest = markdownUnder(root, "docs/guides")
    .concat(markdownUnder(root, "docs").filter((path) => path.split("/").length === 2))
    .filter((path) => !named.has(path));
  return guides
    .map(([title, files]) => ({
      title,
      files: Array.isArray(files)
        ? [...files.filter((file) => existsSync(join(root, file))), ...(title === "Build" ? rest : [])]
        : markdownUnder(root, files).filter((path) => !named.has(path)),
    }))
    .filter(({ files }) => files.length > 0);
}

/** The Markdown files of a folder; the README of the folder comes first. */
function markdownUnder(root, folder) {
  return readdirSync(join(root, folder), { recursive: true })
    .filter((path) => path.endsWith(".md") && !path.includes("node_modules"))
    .map((path) => `${folder}/${path}`)
    .toSorted((a, b) => rank(a, folder) - rank(b, folder) || (a < b ? -1 : 1));
}

/** Folders whose pages have an order; pages of other folders are found by name. */
const ordered = {
  "docs/tutorials": [
    "owned-children",
    "status-and-conditions",
    "finalizers",
    "webhooks",
    "versions",
    "schedules",
    "outside-systems",
    "virtual-time",
    "torture",
    "deploying",
    "upgrades",
  ],
  "docs/concepts": [
    "operators",
    "reconcile-loop",
    "informers",
    "level-and-edge",
    "server-side-apply",
    "leader-election",
  ],
  "docs/zh": ["tutorial", "concepts"],
};

function rank(path, folder) {
  if (path === `${folder}/README.md`) return -1;
  const names = ordered[folder] ?? [];
  const place = names.indexOf(path.slice(folder.length + 1, -".md".length));
  return place >= 0 ? place : names.length;
}

/** Where the page of a file is on the site: `docs/guides/client.md` → `guides/client.html`. */
export function pathOf(file) {
  if (file === "README.md") return "index.html";
  return file
    .replace(/^docs\//, "")
    .replace(/README\.md$/, "index.md")
    .replace(/\.md$/, ".html")
    .replace(/^[A-Z]+\.html$/, (name) => name.toLowerCase());
}
