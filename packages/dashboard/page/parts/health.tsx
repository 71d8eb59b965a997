// The health of an object as a mark and a word: never by colour alone.
import type { HealthState, ObjectSummary } from "../../src/protocol.js";

const marks: Readonly<Record<HealthState, string>> = {
  ready: "✓",
  progressing: "…",
  failed: "✕",
  terminating: "⌫",
};

export function Health({ object }: { readonly object: Pick<ObjectSummary, "health" | "message"> }) {
  return (
    <span class={`health ${object.health}`} title={object.message ?? object.health}>
      <span aria-hidden="true">{marks[object.health]}</span> {object.health}
    </span>
  );
}
