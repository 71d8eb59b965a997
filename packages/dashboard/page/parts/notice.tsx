// A sentence that says what is going on, where there is nothing to show.
import type { ComponentChildren } from "preact";

export function Notice({
  kind = "info",
  children,
}: {
  readonly kind?: "info" | "warning";
  readonly children: ComponentChildren;
}) {
  return (
    <p class={`notice ${kind}`} role={kind === "warning" ? "alert" : "status"}>
      {children}
    </p>
  );
}
