// Where the files of a kind are and what is called how inside them.
import { camelCase, kebabCase, pascalCase } from "./names.js";
import { fullGroup, type Project, type ProjectResource } from "./project-file.js";

/** Everything about a kind that its templates and edits need. */
export interface KindFiles {
  /** From the root of the project: `src/api/v1/model-box.ts`. */
  readonly resource: string;
  readonly controller: string;
  readonly children: string;
  readonly webhook: string;
  readonly conversion: string;
  /** `modelBoxController` and so on. */
  readonly controllerName: string;
  readonly webhookName: string;
  readonly conversionName: string;
  /** What an object of the kind is called in code. */
  readonly variable: string;
  readonly camel: string;
  /** True where another group of the project has a kind of the same name. */
  readonly hasTwin: boolean;
}

const reservedWords = new Set(
  "break case catch class const continue debugger default delete do else enum export extends false finally for function if import in instanceof new null package return super switch this throw true try typeof var void while with yield let static implements interface private protected public await async of type ctx".split(
    " ",
  ),
);

/** The files of a kind in a project. The first group needs no folder of its own; kinds of one name are told apart by their group. */
export function kindFiles(project: Project, kind: ProjectResource): KindFiles {
  const file = kebabCase(kind.kind);
  const firstGroup = project.resources.find(({ api }) => api) ?? kind;
  const isFirst = !project.multigroup && fullGroup(firstGroup) === fullGroup(kind);
  const first = project.resources.find((other) => other.kind === kind.kind);
  const hasTwin = first !== undefined && fullGroup(first) !== fullGroup(kind);
  const group = kind.group === "" ? "core" : kind.group.replaceAll(".", "-");
  const base = hasTwin ? `${group}-${file}` : file;
  // No name in code begins with a digit, as the name of a group may.
  const camel = camelCase(/^\d/.test(base) ? `group-${base}` : base);
  return {
    resource: kind.path ?? `src/api/${isFirst ? "" : `${group}/`}${kind.version}/${file}.ts`,
    controller: `src/controllers/${base}.ts`,
    children: `src/controllers/${base}-children.ts`,
    webhook: `src/webhooks/${base}.ts`,
    conversion: `src/webhooks/${base}-conversion.ts`,
    controllerName: `${camel}Controller`,
    webhookName: `${camel}Webhook`,
    conversionName: `${camel}Conversion`,
    variable: reservedWords.has(camel) ? `${camel}Object` : camel,
    camel,
    hasTwin,
  };
}

/** The variable that holds what a further version of a kind has: `modelBoxV2`. */
export const versionVariable = ({ camel }: KindFiles, version: string): string => camel + pascalCase(version);

/** How one file of a project imports another: `../api/v1/model-box.js`. */
export function importPath(from: string, to: string): string {
  const fromParts = from.split("/").slice(0, -1);
  const toParts = to.replace(/\.ts$/, ".js").split("/");
  while (fromParts.length > 0 && fromParts[0] === toParts[0]) {
    fromParts.shift();
    toParts.shift();
  }
  return [...(fromParts.length === 0 ? ["."] : fromParts.map(() => "..")), ...toParts].join("/");
}
