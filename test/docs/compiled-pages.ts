// The TypeScript of a page as one module that can be compiled: each block sees what the blocks before it declared, and may declare the
// same names anew. What a page takes for granted, such as a client, is declared by its prelude.
import { blocksOf } from "./page-runner.js";

/** Names that pages use without declaring them, by page. */
export type Preludes = Readonly<Record<string, string>>;

export function moduleOf(page: string, prelude: string): string {
  const blocks = blocksOf(page)
    .filter(({ info }) => info === "ts")
    .map(({ text }) => text);
  const imports = blocks.flatMap((text) => text.match(importStatement) ?? []);
  const bodies = blocks.map((text) =>
    text.replaceAll(importStatement, "").replaceAll(/^export (default )?/gm, toConst),
  );
  return [
    ...mergeImports([...(prelude.match(importStatement) ?? []), ...imports]),
    prelude.replaceAll(importStatement, ""),
    "export async function page() {",
    ...bodies.map((body) => `{\n${body}`),
    "}".repeat(bodies.length + 1),
  ].join("\n");
}

const importStatement = /^import [^;]*;\n?/gm;

const toConst = (_match: string, isDefault?: string): string => (isDefault ? "const main = " : "");

/** One import of each module, with every name once. */
function mergeImports(statements: readonly string[]): readonly string[] {
  const names = new Map<string, Set<string>>();
  const others = new Set<string>();
  for (const statement of statements) {
    const [, isType, list, module] = /^import (type )?\{([^}]*)\} from "([^"]*)"/.exec(statement) ?? [];
    if (list === undefined || module === undefined) {
      others.add(statement.trim());
      continue;
    }
    const known = names.get(module) ?? new Set();
    for (const name of list.split(",").map((each) => each.trim()))
      if (name !== "") known.add(isType ? `type ${name}` : name);
    names.set(module, known);
  }
  return [
    ...[...names].map(([module, known]) => {
      const values = [...known].filter((name) => !name.startsWith("type ") || !known.has(name.slice(5)));
      return `import { ${values.join(", ")} } from "${module}";`;
    }),
    ...others,
  ];
}
