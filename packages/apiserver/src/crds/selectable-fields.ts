// Field selectors of custom resources: the `selectableFields` of their CRD.

import type { JsonObject, SelectableField } from "@kubewright/api";
import { JsonPath, type Strategy } from "@kubewright/kinds";

/** The part of a strategy that follows from `selectableFields`. */
export function selectableFields(
  fields: readonly SelectableField[],
): Pick<Strategy, "selectableFields" | "selectableField"> {
  if (fields.length === 0) return {};
  const paths = new Map(
    fields.map(({ jsonPath }) => [jsonPath.replace(/^\./, ""), JsonPath.parse(jsonPath)] as const),
  );
  return {
    selectableFields: [...paths.keys()],
    selectableField(object, field) {
      const value = paths.get(field)?.find(object as unknown as JsonObject)[0];
      return value === undefined || value === null ? "" : String(value);
    },
  };
}
