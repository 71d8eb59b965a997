// The public exports of the published packages, read from their declarations by the compiler: names, doc comments and members.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { SyntaxKind } from "typescript/unstable/ast";
import { API } from "typescript/unstable/sync";

const kinds = new Map([
  [SyntaxKind.FunctionDeclaration, "function"],
  [SyntaxKind.ClassDeclaration, "class"],
  [SyntaxKind.InterfaceDeclaration, "interface"],
  [SyntaxKind.TypeAliasDeclaration, "type"],
  [SyntaxKind.VariableDeclaration, "const"],
]);

/** Every entry point of every package with its exports. The declarations in `dist` have to be current. */
export function readExports(root) {
  const entries = entriesOf(root);
  const config = join(root, "node_modules", ".cache", "kubewright-site", "tsconfig.json");
  mkdirSync(join(config, ".."), { recursive: true });
  const compilerOptions = {
    module: "NodeNext",
    target: "ES2023",
    strict: true,
    noEmit: true,
    types: ["node"],
    typeRoots: [join(root, "node_modules", "@types")],
  };
  writeFileSync(config, JSON.stringify({ compilerOptions, files: entries.map(({ types }) => types) }));
  const api = new API({ cwd: root });
  try {
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    return entries.map(({ types, ...entry }) => ({ ...entry, exports: exportsOf(project, types, root) }));
  } finally {
    api.close();
  }
}

/** The entry points, as `exports` of each package.json lists them; programs that are started by their path export nothing. */
function entriesOf(root) {
  return readdirSync(join(root, "packages"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name: folder }) => {
      const manifest = JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8"));
      return Object.entries(manifest.exports)
        .filter(
          ([, conditions]) =>
            !/\/main\.js$/.test(conditions.import ?? conditions.default) || folder === "runtime",
        )
        .map(([path, { types }]) => ({
          folder,
          package: manifest.name,
          description: manifest.description,
          entry: join(manifest.name, path),
          types: join(root, "packages", folder, types),
        }));
    });
}

function exportsOf(project, file, root) {
  const { checker, program } = project;
  const source = program.getSourceFile(file);
  if (!source) throw new Error(`${relative(root, file)} is missing; run npm run build`);
  return checker
    .getExportsOfModule(checker.getSymbolAtLocation(source))
    .map((symbol) => exportOf(checker, symbol, root))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function exportOf(checker, exported, root) {
  const { name } = exported;
  const isAlias = exported.declarations.every(({ kind }) => kind === SyntaxKind.ExportSpecifier);
  const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported;
  const nodes = symbol.declarations.map((handle) => handle.resolve());
  const [first] = nodes;
  const path = relative(root, first.getSourceFile().fileName);
  if (!path.startsWith("packages/")) return { name, kind: "re-export", from: packageOf(path), members: [] };
  const described = nodes.map(docOf).find((doc) => doc !== "") ?? "";
  const container = nodes.find((node) => node.members && kinds.get(node.kind) !== "type");
  return {
    name,
    kind: kindOf(nodes),
    doc: described,
    code: nodes.map((node) => headOf(node, name)).join("\n"),
    members: container ? membersOf(container) : [],
    source: path.replace("/dist/", "/src/").replace(/\.d\.ts$/, ".ts"),
  };
}

const packageOf = (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? path;

function kindOf(nodes) {
  const found = [...new Set(nodes.map(({ kind }) => kinds.get(kind) ?? "namespace"))];
  return found.includes("interface") && found.includes("const") ? "kind" : (found[0] ?? "value");
}

/** The comment before a declaration; that of a variable stands before its statement. */
function docOf(node) {
  const holder = node.kind === SyntaxKind.VariableDeclaration ? node.parent.parent : node;
  const before = holder.getFullText().slice(0, holder.getStart() - holder.getFullStart());
  const [, text = ""] = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*$/.exec(before) ?? [];
  return text
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, ""))
    .join("\n")
    .trim();
}

/** A declaration without its members, and without words that only declaration files have. */
function headOf(node, name) {
  const text = node.kind === SyntaxKind.VariableDeclaration ? `const ${node.getText()}` : node.getText();
  const head =
    node.members && kinds.get(node.kind) !== "type" ? text.slice(0, text.indexOf("{")).trim() : text;
  return head
    .replace(/^export /, "")
    .replace(/^(declare|default) /, "")
    .replace(/^(abstract )?(class|function|interface|type|const) \w+/, `$1$2 ${name}`)
    .replace(/;$/, "");
}

function membersOf(container) {
  return container.members
    .map((node) => ({ node, text: node.getText().replace(/\s+/g, " ").replace(/;$/, "") }))
    .filter(({ text }) => !/^(private|protected|#|static #)/.test(text))
    .map(({ node, text }) => ({ name: nameOf(node, text), doc: docOf(node), code: plain(text) }));
}

const nameOf = (node, text) => node.name?.getText() ?? /^[\w[\]]*/.exec(text)[0];

/** What every member would repeat is left out: objects are readonly, and optional fields may be undefined. */
const plain = (text) => text.replace(/^readonly /, "").replace(/^(\w+\?: .*) \| undefined$/, "$1");
