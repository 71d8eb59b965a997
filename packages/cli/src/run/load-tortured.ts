// Loads a project to be tortured, with the testing library it has itself, so that what it throws and what catches it are of one make.
import type { ManagerDefinition } from "@kubewright/runtime";
import type { objectsScenario, parseDisturbances, torture, tortureText } from "@kubewright/testing";
import { UsageError } from "../command.js";
import { bundle, runsFromSource } from "./bundle.js";
import { importModule, importProject, loadOptions, projectOf } from "./load-project.js";

interface Testing {
  readonly torture: typeof torture;
  readonly objectsScenario: typeof objectsScenario;
  readonly parseDisturbances: typeof parseDisturbances;
  readonly tortureText: typeof tortureText;
}

export interface Tortured {
  readonly definition: ManagerDefinition;
  /** Loads the modules of the project once more, as a new process would. Undefined where the libraries would come with them. */
  readonly reload: (() => Promise<ManagerDefinition>) | undefined;
  readonly testing: Testing;
}

const entry = `
export * as main from "./src/main.ts";
export { openManager } from "@kubewright/runtime/main";
export { objectsScenario, parseDisturbances, torture, tortureText } from "@kubewright/testing";
`;

export async function loadTortured(root: string): Promise<Tortured> {
  const options = loadOptions(root);
  const code = await bundle({
    ...options,
    stdin: { resolveDir: root, sourcefile: "kubewright-entry.ts", loader: "ts", contents: entry },
  });
  const module = await importModule(root, code).catch((error: unknown) => {
    const isMissing = error instanceof Error && error.message.includes("'@kubewright/testing'");
    throw isMissing
      ? new UsageError("torture needs @kubewright/testing: npm install -D @kubewright/testing")
      : error;
  });
  const { definition } = projectOf(root, module);
  const again = runsFromSource ? undefined : await bundle(options);
  const reload = again && (async () => (await importProject(root, again)).definition);
  return { definition, reload, testing: module as unknown as Testing };
}
