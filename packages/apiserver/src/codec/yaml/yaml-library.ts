// The YAML library, loaded with the first YAML body: most servers never see one, and loading it costs a quarter of their start.
import { createRequire } from "node:module";
import type * as Yaml from "yaml";

/** The library. Asked for at every node of a document, so it is not looked up again. */
export const yamlLibrary: () => typeof Yaml = (() => {
  let library: typeof Yaml | undefined;
  return () => {
    library ??= createRequire(import.meta.url)("yaml") as typeof Yaml;
    return library;
  };
})();

export const isAlias = (node: unknown): node is Yaml.Alias => yamlLibrary().isAlias(node);
export const isMap = (node: unknown): node is Yaml.YAMLMap => yamlLibrary().isMap(node);
export const isScalar = (node: unknown): node is Yaml.Scalar => yamlLibrary().isScalar(node);
export const isSeq = (node: unknown): node is Yaml.YAMLSeq => yamlLibrary().isSeq(node);
