// Names of custom kinds that kubectl resolves to a built-in resource. They are no error: the full name always works.
import { customKindsOf, type ManagerDefinition } from "@kubewright/runtime";
import { builtInCollisions } from "@kubewright/schema";

/** One line for each such name. */
export function nameWarnings(
  definition: Pick<ManagerDefinition, "controllers" | "resources">,
): readonly string[] {
  return customKindsOf(definition).flatMap((kind) =>
    builtInCollisions(kind.crd().spec.names).map(
      ({ field, message }) => `warning: ${kind.kind}.${kind.group}: ${field}: ${message}`,
    ),
  );
}
