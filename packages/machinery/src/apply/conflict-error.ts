// The refusal of an apply that would take fields from others, in the server's words.
import { ApiError, goQuote, type StatusCause } from "@kubewright/api";
import { compareText } from "../go-format.js";
import type { FieldManager } from "./managed-fields.js";
import { describePath } from "./path-element.js";
import type { Conflict } from "./updater.js";

/** 409 with a cause per field. */
export function conflictError(found: readonly Conflict[]): ApiError {
  const conflicts = [...found].sort((a, b) => compareText(a.manager.id, b.manager.id));
  const causes = conflicts.map(
    ({ manager, path }): StatusCause => ({
      reason: "FieldManagerConflict",
      message: `conflict with ${describeManager(manager)}`,
      field: describePath(path),
    }),
  );
  return new ApiError(messageOf(conflicts), { code: 409, reason: "Conflict", details: { causes } });
}

function messageOf(conflicts: readonly Conflict[]): string {
  const [first] = conflicts;
  if (first && conflicts.length === 1) {
    const where = describePath(first.path);
    return `Apply failed with 1 conflict: conflict with ${describeManager(first.manager)}: ${where}`;
  }
  const lines: string[] = [];
  let current: FieldManager | undefined;
  for (const { manager, path } of conflicts) {
    if (manager !== current) lines.push(`conflicts with ${describeManager(manager)}:`);
    current = manager;
    lines.push(`- ${describePath(path)}`);
  }
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join("\n")}`;
}

function describeManager({ name, subresource, operation, apiVersion }: FieldManager): string {
  const through = subresource === "" ? "" : ` with subresource ${goQuote(subresource)}`;
  return `${goQuote(name)}${through}${operation === "Update" ? ` using ${apiVersion}` : ""}`;
}
