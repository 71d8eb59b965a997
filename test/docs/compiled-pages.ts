// The TypeScript of a page as one module that a compiler can check: each block sees what the blocks before it declared, and may declare
// the same names anew. Names of our packages are imported where a page leaves that out; what else it takes for granted, such as a
// client, is declared by its prelude.

/** The names that each module exports. */
export type Exports = ReadonlyMap<string, ReadonlySet<string>>;

export function moduleOf(blocks: readonly string[], prelude: string, exports: Exports): string {
  const code = [prelude, ...blocks].join("\n");
  const statements = code.match(importStatement) ?? [];
  const bodies = blocks.map(bodyOf);
  return [
    ...importsOf(statements, code, exports),
    bodyOf(prelude),
    "export async function page() {",
    ...bodies.map((body) => `{\n${body}`),
    "}".repeat(bodies.length + 1),
  ].join("\n");
}

const importStatement = /^import [^;]*;\n?/gm;

/** What is exported from a page is a local name here. */
const bodyOf = (text: string): string =>
  text
    .replaceAll(importStatement, "")
    .replaceAll(/^export default /gm, "const main = ")
    .replaceAll(/^export /gm, "");

/** The imports that the page writes, one of each module, and those it leaves to the reader. */
function importsOf(statements: readonly string[], code: string, exports: Exports): readonly string[] {
  const names = new Map<string, Set<string>>();
  const others = new Set<string>();
  for (const statement of statements) {
    const [, isType, list, module] = /^import (type )?\{([^}]*)\} from "([^"]*)"/.exec(statement) ?? [];
    if (/from "\.\//.test(statement)) continue; // a file of the reader's project: its names are in the prelude
    if (list === undefined || module === undefined) others.add(statement.trim());
    else addNames(names, module, list.split(","), isType !== undefined);
  }
  const imported = new Set(
    [...names.values()].flatMap((known) => [...known].map((name) => name.replace("type ", ""))),
  );
  for (const word of new Set(code.replaceAll(importStatement, "").match(/\b[A-Za-z]\w*\b/g)))
    if (!imported.has(word)) {
      const [module] = [...exports].find(([, known]) => known.has(word)) ?? [];
      if (module) addNames(names, module, [word], false);
    }
  return [
    ...[...names].map(([module, known]) => `import { ${[...known].join(", ")} } from "${module}";`),
    ...others,
  ];
}

function addNames(
  names: Map<string, Set<string>>,
  module: string,
  list: readonly string[],
  isType: boolean,
): void {
  const known = names.get(module) ?? new Set();
  for (const name of list.map((each) => each.trim()).filter((each) => each !== ""))
    if (!known.has(name.replace("type ", ""))) known.add(isType ? `type ${name}` : name);
  names.set(module, known);
}
