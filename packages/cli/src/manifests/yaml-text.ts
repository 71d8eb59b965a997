// Objects as YAML that is the same every time, and that readers of YAML 1.1, as kubectl is one, take for the same.
import { stringifyYaml } from "@kubewright/machinery";

/** One document, in the order the object has. */
export function yamlText(object: unknown): string {
  return stringifyYaml(object);
}

/** Several documents. */
export function yamlDocuments(objects: readonly unknown[]): string {
  return objects.map(yamlText).join("---\n");
}
