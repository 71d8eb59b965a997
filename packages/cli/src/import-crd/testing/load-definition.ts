// Runs generated source, as importing it from a project would.
import type { CustomResourceDefinition } from "@kubewright/api";
import * as schema from "@kubewright/schema";
import { transformSync } from "esbuild";

/** The CustomResourceDefinition of the kind that a module exports. */
export function loadDefinition(source: string, kind: string): CustomResourceDefinition {
  const { code } = transformSync(source, { loader: "ts", format: "cjs" });
  const module: { exports: Record<string, schema.ResourceDefinition> } = { exports: {} };
  new Function("require", "module", code)(() => schema, module);
  const definition = module.exports[kind];
  if (!definition) throw new Error(`the module does not export ${kind}`);
  return definition.crd();
}
