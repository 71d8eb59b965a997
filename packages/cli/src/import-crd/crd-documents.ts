// CustomResourceDefinitions from files: YAML or JSON, several documents, lists. Other objects beside them are left alone.
import { type CustomResourceDefinition, isObject } from "@kubewright/api";
import { parseAllDocuments } from "yaml";
import { UsageError } from "../command.js";

/** The definitions in a text. Throws a UsageError for what cannot be read, and where there are none. */
export function parseCrds(text: string, file: string): readonly CustomResourceDefinition[] {
  const found = parseAllDocuments(text, { merge: true }).flatMap((document) => {
    const [problem] = document.errors;
    if (problem) throw new UsageError(`${file}: ${problem.message.split("\n")[0]}`);
    return definitionsIn(document.toJS({ maxAliasCount: 100 }), file);
  });
  if (found.length === 0) throw new UsageError(`${file}: there is no CustomResourceDefinition in it`);
  return found;
}

function definitionsIn(object: unknown, file: string): readonly CustomResourceDefinition[] {
  if (!isObject(object)) return [];
  if (Array.isArray(object["items"])) return object["items"].flatMap((item) => definitionsIn(item, file));
  if (object["kind"] !== "CustomResourceDefinition") return [];
  if (object["apiVersion"] !== "apiextensions.k8s.io/v1")
    throw new UsageError(
      `${file}: a CustomResourceDefinition of ${object["apiVersion"]} has no structural schema to import; apiextensions.k8s.io/v1 is needed`,
    );
  if (!isDefinition(object))
    throw new UsageError(`${file}: a CustomResourceDefinition lacks group, names or versions`);
  return [object];
}

function isDefinition(
  object: Record<string, unknown>,
): object is Record<string, unknown> & CustomResourceDefinition {
  const { spec } = object;
  return (
    isObject(spec) &&
    typeof spec["group"] === "string" &&
    isObject(spec["names"]) &&
    typeof spec["names"]["kind"] === "string" &&
    Array.isArray(spec["versions"]) &&
    spec["versions"].length > 0
  );
}
