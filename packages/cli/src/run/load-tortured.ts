// Loads a project to be tortured, with the testing library it has itself, so that what it throws and what catches it are of one make.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ManagerDefinition } from "@kubewright/runtime";
import type {
  objectsScenario,
  parseReplay,
  TortureSettings,
  torture,
  tortureText,
} from "@kubewright/testing";
import { UsageError } from "../command.js";
import { bundle, runsFromSource } from "./bundle.js";
import { importModule, importProject, loadOptions, projectOf } from "./load-project.js";

interface Testing {
  readonly torture: typeof torture;
  readonly objectsScenario: typeof objectsScenario;
  readonly parseReplay: typeof parseReplay;
  readonly tortureText: typeof tortureText;
}

export interface Tortured {
  readonly definition: ManagerDefinition;
  /** Loads the modules of the project once more, as a new process would. Undefined where the libraries would come with them. */
  readonly reload: (() => Promise<ManagerDefinition>) | undefined;
  /** What the project says of its torture. */
  readonly settings: TortureSettings;
  readonly testing: Testing;
}

const entry = `
export * as main from "./src/main.ts";
export { openManager } from "@kubewright/runtime/main";
export { objectsScenario, parseReplay, torture, tortureText } from "@kubewright/testing";
`;

const usual = "src/torture.ts";

/** `scenario` is a file of the project; by default `src/torture.ts`, where there is one. */
export async function loadTortured(root: string, scenario?: string): Promise<Tortured> {
  const file = scenario ?? usual;
  const isThere = existsSync(join(root, file));
  if (scenario !== undefined && !isThere)
    throw new UsageError(`--scenario ${scenario}: there is no such file`);
  const settingsEntry = isThere ? `export { default as settings } from "./${file}";\n` : "";
  const options = loadOptions(root);
  const code = await bundle({
    ...options,
    stdin: {
      resolveDir: root,
      sourcefile: "kubewright-entry.ts",
      loader: "ts",
      contents: entry + settingsEntry,
    },
  });
  const module = await importModule(root, code).catch((error: unknown) => {
    const isMissing = error instanceof Error && error.message.includes("'@kubewright/testing'");
    throw isMissing
      ? new UsageError("torture needs @kubewright/testing: npm install -D @kubewright/testing")
      : error;
  });
  const { definition } = projectOf(root, module);
  const { settings = {}, ...testing } = module as Testing & { readonly settings?: TortureSettings };
  if (typeof settings !== "object" || settings === null)
    throw new UsageError(
      `${file} must default-export settings: export default { scenario } satisfies TortureSettings`,
    );
  const again = runsFromSource ? undefined : await bundle(options);
  const reload = again && (async () => (await importProject(root, again)).definition);
  return { definition, reload, settings, testing };
}
