// The words on built-in types and their fields, from the plain text files in packages/api/descriptions: one file per group version,
// with `Type: sentence` and below it `  field: sentence`. common.txt has the words for fields that many types share.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { moduleOf, shortName } from "./kube-facts.mjs";

/** Reads all files; throws on a line that is neither a type nor a field, and on a type or field that is named twice. */
export function loadDescriptions(directory) {
  const modules = new Map();
  for (const file of readdirSync(directory).sort()) {
    const module = file.replace(/\.txt$/, "");
    modules.set(module, parse(readFileSync(join(directory, file), "utf8"), file));
  }
  return new Descriptions(modules);
}

class Descriptions {
  constructor(modules) {
    this.modules = modules;
    this.common = [...(modules.get("common") ?? new Map())].map(([pattern, { fields }]) => ({
      fits: new RegExp(`^${pattern.replaceAll("*", ".*")}$`),
      fields,
    }));
    // The longest pattern says most.
    this.common.reverse();
  }

  /** The words on a type, if there are any. */
  ofType(schemaName) {
    return this.modules.get(moduleOf(schemaName))?.get(shortName(schemaName))?.text;
  }

  /** The words on a field, if there are any. */
  ofField(schemaName, field) {
    const own = this.modules.get(moduleOf(schemaName))?.get(shortName(schemaName))?.fields.get(field);
    if (own !== undefined) return own;
    const fitting = this.common.filter(({ fits }) => fits.test(shortName(schemaName)));
    return fitting.find(({ fields }) => fields.has(field))?.fields.get(field);
  }

  /** Types and fields in the files that the schemas do not have. */
  strangers(schemas) {
    const known = new Map(
      [...schemas].map(([name, schema]) => [`${moduleOf(name)} ${shortName(name)}`, schema]),
    );
    return [...this.modules]
      .filter(([module]) => module !== "common")
      .flatMap(([module, types]) =>
        [...types].flatMap(([type, { fields }]) => {
          const schema = known.get(`${module} ${type}`);
          if (schema === undefined) return [`${module} ${type}`];
          return [...fields.keys()]
            .filter((field) => !Object.hasOwn(schema.properties ?? {}, field))
            .map((field) => `${module} ${type}.${field}`);
        }),
      );
  }
}

function parse(text, file) {
  const types = new Map();
  let current;
  text.split("\n").forEach((line, index) => {
    if (line.trim() === "" || line.startsWith("#")) return;
    const [, indent, name, words = ""] = /^( {2})?([\w*]+)(?:: (.+))?$/.exec(line) ?? [];
    const entries = indent ? current?.fields : types;
    const isWhole = name !== undefined && (words !== "" || name.includes("*"));
    if (!isWhole || entries === undefined || entries.has(name) || /[\\`]|\$\{|\*\//.test(words))
      throw new Error(`${file}:${index + 1}: ${line}`);
    if (indent) entries.set(name, words);
    else {
      current = { text: words, fields: new Map() };
      types.set(name, current);
    }
  });
  return types;
}
